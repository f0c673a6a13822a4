package merge

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// decide takes the result of runam_ and dopl_ from the first process of the group
// for which it is not zero: the merged trace must enter a task that any process
// enters, and execute a loop of which any process has iterations.
func (m *merger) decide(out *call.Call, g *group) {
	key, none := "", int64(0) // the result, and its value when it is not stated
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

// tasksAfter updates the tasks after the group's call. Only the processes that
// enter a task by runam_ continue until the last of them has left it by stopam_.
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

// leave removes processes from the innermost task, which ends when the last one
// leaves.
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
