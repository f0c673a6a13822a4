package object

import (
	"strconv"

	"dvmtools/pkg/call"
	"dvmtools/pkg/procs"
)

// GetSystem handles getps_: it names the system of a machine.
func (t *Table) GetSystem(c *call.Call) error {
	m, err := t.machine(c)
	if err != nil {
		return err
	}
	s := m.System
	if s == nil {
		s = t.Current()
	}
	t.bindRet(c, "PSRef", s)
	return nil
}

// GetMachine handles getam_: it names the current machine.
func (t *Table) GetMachine(c *call.Call) error {
	t.bindRet(c, "AMRef", t.current[len(t.current)-1].machine)
	return nil
}

func (t *Table) newSystem(s *procs.System) *procs.System {
	t.systems++
	s.ID = t.systems
	return s
}

// maxRank bounds ranks: the run-time system has at most 7 dimensions.
const maxRank = 64

// ViewSystem handles psview_.
func (t *Table) ViewSystem(c *call.Call) error {
	base, err := t.system(c)
	if err != nil {
		return err
	}
	size, err := sizes(c)
	if err != nil {
		return err
	}
	if len(size) > maxRank {
		return Error(c, "rank", "Rank=%d, expected at most %d", len(size), maxRank)
	}
	t.bindRet(c, "PSRef", t.newSystem(procs.View(base, size)))
	return nil
}

// CreateSystem handles crtps_.
func (t *Table) CreateSystem(c *call.Call) error {
	base, err := t.system(c)
	if err != nil {
		return err
	}
	if g := t.sections.take(c); g != nil {
		t.bindRet(c, "PSRef", t.newSystem(g.Section(base)))
		return nil
	}
	t.sections.leaveOpen(c, base)
	init, err := ints(c, "InitIndexArray")
	if err != nil {
		return err
	}
	last, err := ints(c, "LastIndexArray")
	if err != nil {
		return err
	}
	for k := range min(len(init), len(last)) {
		if init[k] < 0 || last[k] < init[k] || last[k] > 1<<31 {
			return Error(c, "section", "InitIndexArray[%d]=%d, LastIndexArray[%d]=%d, expected 0 <= first <= last", k, init[k], k, last[k])
		}
	}
	t.bindRet(c, "PSRef", t.newSystem(procs.Section(base, init, last)))
	return nil
}

// ElementMachine handles getamr_: it names a machine of a template.
func (t *Table) ElementMachine(c *call.Call) error {
	tm, err := t.template(c)
	if err != nil {
		return err
	}
	index, err := ints(c, "IndexArray")
	if err != nil {
		return err
	}
	var key []byte
	for _, i := range index {
		key = append(strconv.AppendInt(key, i, 10), ',')
	}
	m := tm.machines[string(key)]
	if m == nil {
		m = &Machine{}
		if tm.machines == nil {
			tm.machines = map[string]*Machine{}
		}
		tm.machines[string(key)] = m
	}
	t.bindRet(c, "AMRef", m)
	return nil
}

// MapMachine handles mapam_.
func (t *Table) MapMachine(c *call.Call) error {
	m, err := t.machine(c)
	if err != nil {
		return err
	}
	s, err := t.system(c)
	if err != nil {
		return err
	}
	m.System = s
	return nil
}

// Run handles runam_ and reports whether the task was entered. One whose
// machine names nothing enters the current system again beside its error, so
// that a caller who goes on finds the stopam_ of the task paired.
func (t *Table) Run(c *call.Call) (bool, error) {
	// Programs of the design (R appendix 5) state no Run: they enter.
	run, err := c.RetIntOr("Run", 1)
	if err != nil {
		return false, err
	}
	if run == 0 {
		return false, nil
	}
	m, err := t.machine(c)
	if err != nil {
		t.current = append(t.current, t.current[len(t.current)-1])
		return true, err
	}
	s := m.System
	if s == nil {
		s = t.Current()
	}
	t.current = append(t.current, pair{m, s})
	return true, nil
}

// Stop handles stopam_.
func (t *Table) Stop(c *call.Call) error {
	if len(t.current) == 1 {
		return Error(c, "task", "no task is entered, expected a runam_ without Run=0 before")
	}
	t.current = t.current[:len(t.current)-1]
	return nil
}
