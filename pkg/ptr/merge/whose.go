package merge

import (
	"bytes"
	"strconv"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
)

// unknownProcess is the number of a process that its trace does not state.
const unknownProcess = -1

// ownSystem begins the line in which a process describes the processor system
// that consists of itself alone, before ret_dvm_Init:
//
//	ProcCount=1  HasCurrent=1  CentralProc=3  IOProc=3
var ownSystem = []byte("ProcCount=1  HasCurrent=1  CentralProc=")

// statedProcess returns the number of the process that the lines of a call
// before the program state, else [unknownProcess].
func statedProcess(c *call.Call) int {
	for _, line := range c.RetText {
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " "), ownSystem)
		if !ok {
			continue
		}
		number, _, _ := bytes.Cut(rest, []byte(" "))
		if n, err := strconv.Atoi(string(number)); err == nil && n >= 0 {
			return n
		}
	}
	return unknownProcess
}

// checkOwners reads every trace to the beginning of the program and checks that it
// states the process of its name or position, and that no two traces state the same
// process.
func (m *merger) checkOwners(sources []Source) error {
	byStated := map[int]*process{}
	for i, p := range m.procs {
		if _, err := p.head(); err != nil {
			return err
		}
		wrong := func(format string, args ...any) error {
			return diag.New(diag.Pos{File: p.name, Line: 1}, "merge/whose", format, args...)
		}
		if p.stated == unknownProcess {
			continue
		}
		if other := byStated[p.stated]; other != nil {
			return wrong("this is the trace of process %d by the lines before ret_dvm_Init (CentralProc=%d), and so is %s; is one a copy of the other? give the trace of each process once", p.stated, p.stated, other.name)
		}
		byStated[p.stated] = p
		named := sources[i].Process
		switch {
		case named >= 0 && named != p.stated:
			return wrong("this is the trace of process %d by the lines before ret_dvm_Init (CentralProc=%d), expected that of process %d, as the file is named; was it copied or renamed?", p.stated, p.stated, named)
		case named < 0 && i == 0 && p.stated != 0:
			return wrong("this is the trace of process %d by the lines before ret_dvm_Init (CentralProc=%d), expected that of process 0; give it first", p.stated, p.stated)
		}
	}
	return nil
}
