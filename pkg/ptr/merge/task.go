package merge

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// decide takes the result of runam_ and dopl_ from the first process of the
// group that got no zero: of a task that one process enters, and of a loop
// that one process has iterations of, the merged trace must say so.
func (m *merger) decide(out *call.Call, g *group) {
	key, none := "", int64(0) // the result, and what counts when none is stated
	switch out.Class() {
	case libdvm.RunMachine:
		key, none = "Run", 1
	case libdvm.DoLoop:
		key = "DoPL"
	default:
		return
	}
	for _, c := range g.calls {
		if n, err := c.RetIntOr(key, none); err == nil && n != 0 {
			out.Ret, out.RetText = c.Ret, c.RetText
			return
		}
	}
}

// tasksAfter keeps account of tasks after the group's call: those that
// runam_ lets in go on alone until the last of them has left by stopam_.
func (m *merger) tasksAfter(g *group) {
	switch g.calls[0].Class() {
	case libdvm.RunMachine:
		in := 0
		for k, p := range g.procs {
			if n, err := g.calls[k].RetIntOr("Run", 1); err == nil && n != 0 {
				p.level++
				in++
			}
		}
		if in > 0 {
			m.tasks = append(m.tasks, in)
		}
	case libdvm.StopMachine:
		m.leave(g.procs)
	}
}

// leave takes processes out of the innermost task, which ends with the last.
func (m *merger) leave(procs []*process) {
	if len(m.tasks) == 0 {
		return
	}
	for _, p := range procs {
		p.level--
	}
	last := &m.tasks[len(m.tasks)-1]
	if *last -= len(procs); *last <= 0 {
		m.tasks = m.tasks[:len(m.tasks)-1]
	}
}
