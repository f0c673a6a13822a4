package merge

import (
	"bytes"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// MaxLookahead is the greatest number of calls of a process that are read ahead to
// match calls of several processes. With more than 64
// processes fewer are read ahead: 65536 divided by the number of processes, but at
// least 64.
const MaxLookahead = 1024

// lookahead returns how many calls of each of n processes may be read ahead.
func lookahead(n int) int { return min(MaxLookahead, max(64, 65536/n)) }

// same reports whether call a of process p and call b of process q are the
// same call of the program.
func (n *names) same(p *process, a *call.Call, q *process, b *call.Call) bool {
	if a.Func != b.Func || a.Only != b.Only {
		return false
	}
	var ref string
	switch a.Class() {
	case libdvm.RunMachine:
		ref = "AMRef"
	case libdvm.ElementMachine:
		ref = "AMViewRef"
		if !equalArrays(a, b, "IndexArray") {
			return false
		}
	default:
		return samePlace(a, b)
	}
	ha, oka := a.Handle(ref)
	hb, okb := b.Handle(ref)
	if oka && okb {
		ca, oka := n.of(p, ha)
		cb, okb := n.of(q, hb)
		if oka && okb {
			return ca == cb
		}
	}
	// The handle is not known yet. This happens only in calls far ahead.
	return samePlace(a, b)
}

func samePlace(a, b *call.Call) bool {
	return a.Line == b.Line && a.RetLine == b.RetLine && a.File == b.File && a.RetFile == b.RetFile
}

func equalArrays(a, b *call.Call, key string) bool {
	qa, qb := a.Args.Get(key), b.Args.Get(key)
	if qa == nil || qb == nil {
		return qa == qb
	}
	return slices.EqualFunc(a.Args.Elems(qa), b.Args.Elems(qb), bytes.Equal)
}

// group holds the processes whose next call is the same.
type group struct {
	procs []*process
	calls []*call.Call // their heads
}

func (g *group) add(p *process, c *call.Call) {
	g.procs, g.calls = append(g.procs, p), append(g.calls, c)
}

// gather groups the active processes by their heads and returns those at the
// program's end separately. The groups are valid until gather is called again.
func (m *merger) gather() (groups []group, ended []*process, err error) {
	for i := range m.groups {
		m.groups[i].procs, m.groups[i].calls = m.groups[i].procs[:0], m.groups[i].calls[:0]
	}
	used := 0
	ended = m.ended[:0]
	for _, p := range m.procs {
		if p.level != len(m.tasks) {
			continue
		}
		c, err := p.head()
		if err != nil {
			return nil, nil, err
		}
		if c == nil {
			ended = append(ended, p)
			continue
		}
		i := 0
		for i < used && !m.names.same(m.groups[i].procs[0], m.groups[i].calls[0], p, c) {
			i++
		}
		if i == used {
			used++
			if i == len(m.groups) {
				m.groups = append(m.groups, group{})
			}
		}
		m.groups[i].add(p, c)
	}
	m.ended = ended
	return m.groups[:used], ended, nil
}

// choose returns the group that goes first: the one with a process that reaches
// the head of another group in the fewest calls; of several the one at the smallest
// LINE, then the one of the lowest process. found is false when no process reaches
// another head within the look-ahead, so that only LINE decides.
func (m *merger) choose(groups []group) (first *group, found bool) {
	for k := 1; k <= m.ahead; k++ {
		more := false
		for i := range groups {
			g := &groups[i]
			hit, any := m.reaches(groups, i, k)
			more = more || any
			if hit && before(g, first) {
				first = g
			}
		}
		if first != nil {
			return first, true
		}
		if !more {
			break
		}
	}
	for i := range groups {
		if before(&groups[i], first) {
			first = &groups[i]
		}
	}
	return first, false
}

// before reports whether a goes before b by LINE. At the same LINE the earlier
// group stays first, as groups are in the order of their lowest processes.
func before(a, b *group) bool {
	return b == nil || a.calls[0].Line < b.calls[0].Line
}

// reaches reports whether the call of a process of group i after k others is the
// head of another group; any is false when all processes of the group end before.
// Errors in the calls ahead are ignored here: they are returned when the calls are
// merged.
func (m *merger) reaches(groups []group, i, k int) (hit, any bool) {
	g := &groups[i]
	for at, p := range g.procs {
		c, err := p.peek(k)
		// Reading ahead copies the head, which moves it.
		g.calls[at], _ = p.head()
		if err != nil || c == nil {
			continue
		}
		any = true
		for j := range groups {
			if j != i && m.names.same(groups[j].procs[0], groups[j].calls[0], p, c) {
				return true, true
			}
		}
	}
	return false, any
}
