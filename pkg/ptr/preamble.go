package ptr

import (
	"bytes"
	"strconv"

	"dvmtools/pkg/call"
)

// maxPreamble bounds the lines before the first event, so that a file that is
// no trace is refused instead of being kept in memory.
const maxPreamble = 1 << 20

// parseRuntime reads what the preamble says of the run
// (docs/trace-format.md#preamble); everything else in it is free text. ok is
// false when it says nothing, as in a trace whose beginning was overwritten.
func parseRuntime(lines []string) (rt call.Runtime, ok bool) {
	for _, l := range lines {
		b := []byte(l)
		if rt.RTSVersion == 0 {
			if v := ints(b, "RTS VERSION ="); len(v) > 0 {
				rt.RTSVersion, ok = v[0], true
			}
		}
		if rt.Processors == 0 {
			if v := ints(b, "ProcCount="); len(v) > 0 && v[0] > 0 {
				rt.Processors, ok = v[0], true
			}
		}
		if v := ints(b, "PSSize="); v != nil {
			rt.Grid = v
		}
		if v := ints(b, "VPSSize="); v != nil {
			rt.VirtualGrid = v
		}
		if v := ints(b, "IOProc="); len(v) > 0 {
			rt.IOProcessor = v[0]
		}
	}
	if rt.Processors == 0 {
		rt.Processors = 1
	}
	if len(rt.Grid) == 0 {
		rt.Grid = []int{rt.Processors}
	}
	return rt, ok
}

// ints returns the blank-separated non-negative numbers behind key in line,
// where key begins a word; nil when there are none.
func ints(line []byte, key string) []int {
	at := bytes.Index(line, []byte(key))
	if at < 0 || at > 0 && isWordByte(line[at-1]) {
		return nil
	}
	rest := line[at+len(key):]
	var v []int
	for i := skipBlanks(rest, 0); i < len(rest); i = skipBlanks(rest, i) {
		start := i
		for i < len(rest) && rest[i] >= '0' && rest[i] <= '9' {
			i++
		}
		n, err := strconv.Atoi(string(rest[start:i]))
		if err != nil || n > 1<<30 {
			break
		}
		v = append(v, n)
		if i < len(rest) && rest[i] != ' ' {
			break
		}
	}
	return v
}
