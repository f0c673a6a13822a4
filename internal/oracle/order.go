package oracle

import "dvmtools/pkg/machine"

// places returns the processors of a machine in the order in which grids take them
// (docs/model.md#order), by their numbers in its description.
func places(m *machine.Machine, order machine.Order) []int {
	var leaves []leaf
	list(m.Root, true, -1, &leaves)
	taken := make([]bool, len(leaves))
	var all []int
	take := func(p int) {
		taken[p] = true
		all = append(all, p)
	}
	for len(all) < len(leaves) {
		switch order {
		case machine.Fastest:
			best := -1
			for p, l := range leaves {
				if !taken[p] && (best < 0 || l.power > leaves[best].power) {
					best = p
				}
			}
			take(best)
		case machine.Cyclic:
			// One turn: the first free processor of every node.
			last := -1
			for p, l := range leaves {
				if !taken[p] && l.home != last {
					take(p)
					last = l.home
				}
			}
		default:
			take(len(all))
		}
	}
	return all
}

// A leaf is a processor: its power, and the first processor of the node that it
// belongs to.
type leaf struct {
	power float64
	home  int
}

// list appends the processors below n. home is the first processor of the cluster of
// processors that is being listed, -1 outside of one.
func list(n *machine.Node, root bool, home int, all *[]leaf) {
	if len(n.Groups) == 0 {
		if home < 0 {
			home = len(*all)
		}
		*all = append(*all, leaf{n.Power, home})
		return
	}
	lowest := !root
	for _, g := range n.Groups {
		lowest = lowest && len(g.Node.Groups) == 0
	}
	home = -1
	if lowest {
		home = len(*all)
	}
	for _, g := range n.Groups {
		for range g.Count {
			list(g.Node, false, home, all)
		}
	}
}
