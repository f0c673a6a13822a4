package search

import (
	"math"
)

// A surrogate guesses the value of the objective on grids that were not
// simulated: a sum of a few terms, fitted by weighted least squares to the grids
// that were. It only decides which grids to try next.
type surrogate struct{ factors []float64 }

// features returns the terms for a grid: a constant, the largest block, its sides,
// the number of processors, the extents, which dimensions are distributed, and which
// clusters of the machine are smaller than the grid.
func (p *pass) features(g *grid) []float64 {
	f := []float64{1, 1, float64(g.n), math.Log2(float64(g.n))}
	for _, at := range p.cfg.Machine.Path(0)[1:] {
		if size := at.Node.Processors(); size > 1 {
			f = append(f, indicator(int64(g.n) > size))
		}
	}
	for k, n := range g.extents {
		e := p.shape.Extents[k]
		side := float64((e+int64(n)-1)/int64(n)) / float64(e)
		f[1] *= side
		f = append(f, side, float64(n), indicator(n > 1))
	}
	return f
}

// indicator returns 1 for true, 0 for false.
func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// ridge is the penalty on the factors, which keeps the fit from following
// differences that only few grids show.
const ridge = 1e-6

// fit fits a surrogate to the grids that were tried; ok is false when none
// could be simulated. Grids that are far worse than the best count little.
func (p *pass) fit() (s surrogate, ok bool) {
	var a [][]float64
	for _, g := range p.list {
		if p.seen[g] == 0 || !g.out.known() {
			continue
		}
		f := p.features(g)
		if a == nil {
			a = make([][]float64, len(f))
			for i := range a {
				a[i] = make([]float64, len(f)+1)
			}
		}
		w := math.Pow(p.best.guide()/g.guide(), 4)
		if !(w > 1e-6) {
			w = 1e-6
		}
		for i := range f {
			for j := range f {
				a[i][j] += float64(w * f[i] * f[j])
			}
			a[i][len(f)] += float64(w * f[i] * g.guide())
		}
	}
	for i := range a {
		a[i][i] += ridge * (a[i][i] + 1e-9)
	}
	return surrogate{solve(a)}, a != nil
}

// guide is the quantity that the surrogate guesses: the value of the objective,
// increased for grids beyond the limits.
func (g *grid) guide() float64 { return g.score.value * (1 + g.score.over) }

// of guesses the value of a grid with the given features.
func (s surrogate) of(features []float64) float64 {
	sum := 0.0
	for i, f := range features {
		sum += float64(f * s.factors[i])
	}
	return sum
}

// solve solves the linear equations of the rows of a, whose last column is the
// right side, by elimination.
func solve(a [][]float64) []float64 {
	n := len(a)
	for c := range n {
		top := c
		for r := c + 1; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[top][c]) {
				top = r
			}
		}
		a[c], a[top] = a[top], a[c]
		if a[c][c] == 0 {
			continue
		}
		for r := range n {
			if r == c {
				continue
			}
			f := a[r][c] / a[c][c]
			for j := c; j <= n; j++ {
				a[r][j] -= float64(f * a[c][j])
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		if a[i][i] != 0 {
			x[i] = a[i][n] / a[i][i]
		}
	}
	return x
}

// curiosity is by what share of the best value a grid may be guessed worse for
// every doubling of an extent between it and the nearest one that was tried.
const curiosity = 0.05

// promising returns at most two untried grids: the one of least guessed value, and
// the one of least value when the guesses are lowered by the distance from the
// nearest tried grid (see curiosity).
func (p *pass) promising() []*grid {
	s, ok := p.fit()
	if !ok {
		return nil
	}
	p.measure()
	var sure, far *grid
	least, leastFar := math.Inf(1), math.Inf(1)
	for i, g := range p.list {
		if p.seen[g] > 0 {
			continue
		}
		v := s.of(p.features(g))
		if v < least {
			sure, least = g, v
		}
		if v -= float64(curiosity * p.best.guide() * p.distance[i]); v < leastFar {
			far, leastFar = g, v
		}
	}
	switch {
	case sure == nil:
		return nil
	case far == nil || far == sure:
		return []*grid{sure}
	}
	return []*grid{sure, far}
}

// measure brings up to date how far every grid of the list is from the nearest
// one that was tried, in doublings of extents.
func (p *pass) measure() {
	if p.distance == nil {
		p.distance = make([]float64, len(p.list))
		for i := range p.distance {
			p.distance[i] = math.Inf(1)
		}
	}
	for _, k := range p.order[p.measured:] {
		for i, g := range p.list {
			d := 0.0
			for j, n := range g.extents {
				d += math.Abs(math.Log2(float64(n) / float64(k.extents[j])))
			}
			p.distance[i] = min(p.distance[i], d)
		}
	}
	p.measured = len(p.order)
}
