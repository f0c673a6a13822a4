package sim

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
)

// warnLone warns of a trace that is called as the run-time system calls that of one
// of several processes: its loops are those parts only that the process executed. A
// merged trace looks the same, so that its name is all there is to go by.
func (n *notes) warnLone(h *call.Header) {
	if h.Runtime.Processors < 2 || len(h.Source) != 1 {
		return
	}
	stem, ok := loneStem(h.Source[0], h.Runtime.Processors)
	if !ok {
		return
	}
	n.warn(diag.Pos{File: h.Source[0]}, "lone", "by its name this is the trace of one of %d processes, with that process's part of the loops; expected a trace of all: dvmtrace-merge %s makes it",
		h.Runtime.Processors, stem)
}

// loneStem returns what the traces of the processes of a run have in common, "jac" of
// jac1_1.ptr.zst, and whether file is called like one of them.
func loneStem(file string, processes int) (stem string, ok bool) {
	name := path.Base(filepath.ToSlash(file))
	for _, end := range []string{".zst", ".gz", ".ptr"} {
		name = strings.TrimSuffix(name, end)
	}
	stem, second, ok := cutLast(name, "_")
	process, err := strconv.Atoi(second)
	if !ok || err != nil || process < 0 || process >= processes || strconv.Itoa(process) != second || !strings.HasSuffix(stem, second) {
		return "", false
	}
	stem = strings.TrimSuffix(stem, second)
	return filepath.Join(filepath.Dir(file), stem), stem != ""
}

// cutLast is [strings.Cut] at the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
