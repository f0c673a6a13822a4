package machine

import (
	"cmp"
	"fmt"
	"slices"
)

// Order is the order in which grids take the processors of a machine
// (docs/model.md#order).
type Order string

const (
	// InFile takes the processors as the description lists them.
	InFile Order = "file"
	// Fastest takes those of greater power first, equal ones as listed.
	Fastest Order = "fastest"
	// Cyclic takes one processor of each node in turn ([Machine.Home]).
	Cyclic Order = "cyclic"
)

// Orders lists all orders, the default first.
func Orders() []Order { return []Order{InFile, Fastest, Cyclic} }

// maxOrdered is the largest number of processors that can be put in order.
const maxOrdered = 1 << 24

// Ordered returns a machine whose processors are numbered in the given order; m
// is not changed, and both share their nodes. Powers must not be changed any
// more. It is an error when the machine has too many processors to be put in
// order.
func (m *Machine) Ordered(o Order) (*Machine, error) {
	if !slices.Contains(Orders(), o) {
		return nil, fmt.Errorf("found order %q, expected one of %q", o, Orders())
	}
	out := *m
	out.place, out.order = nil, o
	switch runs := out.sameOrder(o); {
	case runs:
		return &out, nil
	case m.Processors() > maxOrdered:
		return nil, fmt.Errorf("found order %q on a machine of %d processors, expected at most %d, or the order %q", o, m.Processors(), maxOrdered, InFile)
	}
	file := out
	all := make([]int64, m.Processors())
	if o == Fastest {
		power := Powers(file.PowerRuns(m.Processors()))
		for i := range all {
			all[i] = int64(i)
		}
		slices.SortStableFunc(all, func(a, b int64) int { return cmp.Compare(power[b], power[a]) })
	} else {
		all = file.inTurn(all[:0])
	}
	out.place = all
	return &out, nil
}

// sameOrder reports whether it is clear without a look at every processor that an
// order is that of the file.
func (m *Machine) sameOrder(o Order) bool {
	switch o {
	case Fastest:
		w := runWriter{uniform: map[*Node]float64{}}
		return w.scan(m.Root) != 0
	case Cyclic:
		_, flat := m.Flat()
		return flat
	}
	return true
}

// inTurn appends the processors, one of each node in turn.
func (m *Machine) inTurn(all []int64) []int64 {
	var homes []Instance
	for p := int64(0); p < m.Processors(); {
		h := m.Home(p)
		homes = append(homes, h)
		p = h.First + h.Node.Processors()
	}
	for i := int64(0); len(homes) > 0; i++ {
		homes = slices.DeleteFunc(homes, func(h Instance) bool { return h.Node.Processors() <= i })
		for _, h := range homes {
			all = append(all, h.First+i)
		}
	}
	return all
}

// Order returns the order in which the processors are numbered.
func (m *Machine) Order() Order {
	if m.order == "" {
		return InFile
	}
	return m.order
}

// Place returns the number that processor p has in the description.
func (m *Machine) Place(p int64) int64 {
	if m.place == nil {
		return p
	}
	return m.place[p]
}

// Scattered reports whether the processors of a node may have numbers that do not
// follow each other.
func (m *Machine) Scattered() bool { return m.place != nil }

// Home returns the node of processor p, in the sense of a computer: the lowest
// cluster around it. Where a cluster has processors beside clusters, and where it is
// the only one of the machine, each of its processors is a node of its own. First
// is the number in the description.
func (m *Machine) Home(p int64) Instance {
	path := m.Path(p)
	at := path[len(path)-1]
	if len(path) <= 2 {
		return at
	}
	around := path[len(path)-2]
	for _, g := range around.Node.Groups {
		if !g.Node.Leaf() {
			return at
		}
	}
	return around
}
