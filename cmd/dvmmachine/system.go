package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// load is the load average of the machine, empty when it is not known.
type load string

// systemLoad returns the load averages over 1, 5 and 15 minutes.
func systemLoad() load {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	return load(strings.Join(strings.Fields(string(b))[:3], " "))
}

// conditions says the load before and after, for people.
func (before load) conditions(after load) []string {
	if before == "" {
		return []string{"load: the system does not tell it"}
	}
	return []string{"load over 1, 5 and 15 minutes: " + string(before) + " before, " + string(after) + " after"}
}

// processorName returns the system's name of the processor, empty when it is not
// known.
func processorName() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}

// cacheSize returns the size in bytes of the first-level cache of a kind,
// "Instruction" or "Data", 0 when it is not known.
func cacheSize(kind string) int64 {
	for _, c := range caches() {
		if c.level == "1" && (c.kind == kind || c.kind == "Unified") {
			return c.size
		}
	}
	return 0
}

// cache is a cache of the first processor.
type cache struct {
	level, kind string
	size        int64 // bytes
}

// caches returns what the system tells about caches.
func caches() []cache {
	var all []cache
	dirs, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	for _, d := range dirs {
		read := func(name string) string {
			b, err := os.ReadFile(filepath.Join(d, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(b))
		}
		text, unit := read("size"), int64(1)
		if kb, ok := strings.CutSuffix(text, "K"); ok {
			text, unit = kb, 1<<10
		} else if mb, ok := strings.CutSuffix(text, "M"); ok {
			text, unit = mb, 1<<20
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
			all = append(all, cache{read("level"), read("type"), n * unit})
		}
	}
	return all
}

// beyondCaches returns a length in bytes for data that are retrieved from memory:
// a power of two, twice the largest cache or more, and at least 64 MB. A program needs
// twice as much; 0 when there is no room for it.
func beyondCaches() int64 {
	n := int64(64 << 20)
	for _, c := range caches() {
		for n < 2*c.size {
			n *= 2
		}
	}
	if free := freeMemory(); n > maxChain || free > 0 && 3*n > free {
		return 0
	}
	return n
}

// maxChain is the length in bytes of an array of which a program can have two: those
// of Fortran are static, and often must lie within 2 GB.
const maxChain = 512 << 20

// freeMemory returns how many bytes of memory are at hand, 0 when it is not known.
func freeMemory() int64 {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemAvailable:" {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return n << 10
			}
		}
	}
	return 0
}
