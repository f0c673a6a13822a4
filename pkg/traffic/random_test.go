package traffic_test

import (
	"math/rand/v2"

	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
)

// gen makes random objects of a small program.
type gen struct {
	*rand.Rand
	grid []int
}

func newGen(seed uint64) *gen {
	g := &gen{Rand: rand.New(rand.NewPCG(seed, 11))}
	for range 1 + g.IntN(3) {
		g.grid = append(g.grid, 1+g.IntN(4))
	}
	return g
}

func volume(grid []int) int {
	n := 1
	for _, x := range grid {
		n *= x
	}
	return n
}

// system returns the root, a section of it, a view of either, or any
// processors in any order.
func (g *gen) system() *procs.System {
	root := &procs.System{Grid: g.grid}
	switch g.IntN(6) {
	case 0, 1, 2:
		return root
	case 3:
		return g.section(root)
	case 4:
		return g.view(g.section(root))
	default:
		s := g.view(root)
		s.Ranks = g.Perm(volume(g.grid))
		return s
	}
}

func (g *gen) section(base *procs.System) *procs.System {
	s := &procs.System{}
	known := base.Ranks == nil && g.IntN(2) == 0 // the root's sections may say where they begin
	var low []int
	for _, n := range base.Grid {
		lo := g.IntN(n)
		low = append(low, lo)
		if known {
			s.Lower = append(s.Lower, lo)
		}
		s.Grid = append(s.Grid, 1+g.IntN(n-lo))
	}
	s.Ranks = make([]int, volume(s.Grid))
	for i := range s.Ranks {
		at, n, stride := 0, i, 1
		for k := len(s.Grid) - 1; k >= 0; k-- {
			at += (low[k] + n%s.Grid[k]) * stride
			n /= s.Grid[k]
			stride *= base.Grid[k]
		}
		s.Ranks[i] = base.Rank(at)
	}
	return s
}

// view reshapes a system at random.
func (g *gen) view(base *procs.System) *procs.System {
	v := &procs.System{Ranks: base.Ranks}
	n := volume(base.Grid)
	for range 1 + g.IntN(2) {
		var div []int
		for d := 1; d <= n; d++ {
			if n%d == 0 {
				div = append(div, d)
			}
		}
		d := div[g.IntN(len(div))]
		v.Grid = append(v.Grid, d)
		n /= d
	}
	v.Grid = append(v.Grid, n)
	return v
}

func (g *gen) size(rank, most int) []int64 {
	s := make([]int64, rank)
	for i := range s {
		s[i] = int64(1 + g.IntN(most))
	}
	return s
}

func (g *gen) weights(n int64, coords int) layout.Weights {
	switch g.IntN(5) {
	case 0:
		return layout.Weights{Divisor: int64(1 + g.IntN(4))}
	case 1:
		w := layout.Weights{Sizes: make([]int64, coords)}
		for range n {
			w.Sizes[g.IntN(coords)]++
		}
		return w
	case 2:
		w := layout.Weights{Load: make([]float64, coords)}
		for c := range w.Load {
			w.Load[c] = float64(g.IntN(4))
		}
		w.Load[g.IntN(coords)] = 1
		return w
	}
	return layout.Weights{}
}

// template is a random template with its distribution on s.
func (g *gen) template(s *procs.System) *layout.Dist {
	for {
		size := g.size(1+g.IntN(3), 14)
		var axis, param []int64
		order := g.Perm(len(size))
		for k := range len(s.Grid) + 1 - g.IntN(2)*g.IntN(3) {
			a := int64(g.IntN(len(size)+2)) - 1
			if k < len(order) && g.IntN(4) > 0 {
				a = int64(order[k]) + 1
			}
			axis = append(axis, a)
			param = append(param, int64(g.IntN(4)))
		}
		// An axis lies along one dimension of the grid, unless rarely.
		seen := map[int64]bool{}
		for i, a := range axis {
			if a > 0 && seen[a] && g.IntN(6) > 0 {
				axis[i] = 0
			}
			seen[a] = true
		}
		d, err := layout.Distribute(s.Grid, size, axis, param, func(a, k int) layout.Weights { return g.weights(size[a], s.Grid[k]) })
		if err == nil {
			return d
		}
	}
}

// place puts an index space of the given size on d.
func (g *gen) place(d *layout.Dist, size []int64) *layout.Mapping {
	rules := make([]layout.Rule, len(d.Size))
	dims := g.Perm(len(size))
	for j, n := range d.Size {
		switch x := g.IntN(12); {
		case x == 0:
			rules[j] = layout.Rule{Kind: layout.Replicated}
		case x == 1:
			rules[j] = layout.Rule{Kind: layout.Constant, B: int64(g.IntN(int(n)))}
		case x == 2:
			lo := int64(g.IntN(int(n)))
			rules[j] = layout.Rule{Kind: layout.Bounded, A: lo, B: lo + int64(g.IntN(4))}
		default:
			i := dims[j%len(dims)]
			if j >= len(dims) && g.IntN(8) > 0 {
				rules[j] = layout.Rule{Kind: layout.Replicated}
				continue
			}
			r := layout.Rule{Kind: layout.Linear, Dim: i, A: 1, B: int64(g.IntN(3) - 1)}
			if g.IntN(4) == 0 {
				r.A = 2
			}
			if g.IntN(3) == 0 {
				r.A, r.B = -r.A, r.A*(size[i]-1)+r.B
			}
			rules[j] = r
		}
	}
	m, err := layout.Place(d, rules, size)
	if err != nil {
		return layout.Everywhere(d.Grid, size)
	}
	return m
}

func (g *gen) array() *object.Array {
	s := g.system()
	a := &object.Array{Size: g.size(1+g.IntN(3), 7), ElemSize: []int64{1, 4, 8}[g.IntN(3)], System: s}
	a.Map = g.place(g.template(s), a.Size)
	return a
}
