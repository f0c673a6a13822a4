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
	dirs, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	for _, d := range dirs {
		read := func(name string) string {
			b, err := os.ReadFile(filepath.Join(d, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(b))
		}
		if t := read("type"); read("level") != "1" || t != kind && t != "Unified" {
			continue
		}
		if kb, ok := strings.CutSuffix(read("size"), "K"); ok {
			if n, err := strconv.ParseInt(kb, 10, 64); err == nil {
				return n << 10
			}
		}
	}
	return 0
}
