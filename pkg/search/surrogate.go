package search

import (
	"cmp"
	"math"
	"slices"

	"dvmtools/pkg/units"
)

// A surrogate guesses the execution time on grids that were not simulated: what an
// estimator says, corrected by a sum of a few terms that is fitted by weighted least
// squares to the grids that were. It only decides which grids to try next.
type surrogate struct{ factors []float64 }

// features are the terms of a grid, and the sum of the guesses of the estimator.
type features struct {
	terms []float64
	guess float64
}

// narrow is how many of the first terms are enough where the estimator is right but
// for shares of its parts: a constant and the parts.
const narrow = 1 + numParts

// features returns the terms of grid i of the list: a constant, the parts of the program,
// the largest block, the number of processors, which clusters of the machine are
// smaller than the grid, the sides of a block, the extents, and which dimensions are
// distributed.
func (p *pass) features(i int) *features {
	if p.known == nil {
		p.known, p.estimator = make([]*features, len(p.list)), newEstimator(&p.cfg, &p.shape)
	}
	if p.known[i] != nil {
		return p.known[i]
	}
	g, f := p.list[i], &features{}
	parts := p.estimator.of(g)
	for _, x := range parts[:numGuesses] {
		f.guess += x
	}
	f.terms = append(append(f.terms, 1), parts[:]...)
	block := len(f.terms)
	f.terms = append(f.terms, 1, float64(g.n), math.Log2(float64(g.n)))
	for _, at := range p.cfg.Machine.Path(0)[1:] {
		if size := at.Node.Processors(); size > 1 {
			f.terms = append(f.terms, indicator(int64(g.n) > size))
		}
	}
	for k, n := range g.extents {
		e := p.shape.Extents[k]
		side := float64((e+int64(n)-1)/int64(n)) / float64(e)
		f.terms[block] *= side
		f.terms = append(f.terms, side, float64(n), indicator(n > 1))
	}
	p.known[i] = f
	return f
}

// indicator returns 1 for true, 0 for false.
func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// The penalties on the factors, relative to their terms, which keep the fits from
// following differences that only few grids show.
const (
	narrowRidge = 0.1
	wideRidge   = 1e-4
)

// leastWeight is the weight of grids that are far worse than the best.
const leastWeight = 1e-3

// fit fits a surrogate with the first terms of the grids, or all when there are fewer, to
// what those that were tried take beyond the guesses of the estimator. ok is false
// when none could be simulated.
func (p *pass) fit(terms int, ridge float64) (s surrogate, ok bool) {
	var a [][]float64
	for i, g := range p.list {
		if p.seen[g] == 0 || !g.out.known() {
			continue
		}
		w := p.best.guide() / g.guide()
		if w *= w; !(w > leastWeight) {
			w = leastWeight
		}
		f := p.features(i)
		n := min(terms, len(f.terms))
		if a == nil {
			a = make([][]float64, n)
			for r := range a {
				a[r] = make([]float64, n+1)
			}
		}
		for r := range a {
			x := w * f.terms[r]
			for c := range n {
				a[r][c] += float64(x * (w * f.terms[c]))
			}
			a[r][n] += float64(x * (w * (float64(g.out.time) - f.guess)))
		}
	}
	for r := range a {
		if r > 0 { // not the constant
			a[r][r] += float64(ridge * a[r][r])
		}
		a[r][r] += math.SmallestNonzeroFloat32
	}
	return surrogate{solve(a)}, a != nil
}

// guide is the quantity that decides which grids to try: the value of the objective,
// increased for grids beyond the limits.
func (g *grid) guide() float64 { return g.score.value * (1 + g.score.over) }

// guess guesses the guide of grid i of the list. For an objective other than time it
// takes all grids to be as productive as the best.
func (p *pass) guess(s surrogate, i int) float64 {
	f, g, best := p.features(i), p.list[i], p.best.out
	t := f.guess
	for r, x := range s.factors {
		t += float64(x * f.terms[r])
	}
	o := outcome{time: units.Seconds(max(t, 0))}
	if t > 0 {
		o.efficiency = min(1, best.efficiency*float64(best.time)*float64(p.best.n)/(t*float64(g.n)))
	}
	like := grid{score: p.cfg.score(&o, g.n)}
	return like.guide()
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

// promising returns at most two untried grids: those of least guess with the narrow
// and with the wide fit.
func (p *pass) promising() (out []*grid) {
	if s, ok := p.fit(narrow, narrowRidge); ok {
		out = p.least(out, func(i int) float64 { return p.guess(s, i) })
	}
	if s, ok := p.fit(math.MaxInt, wideRidge); ok {
		out = p.least(out, func(i int) float64 { return p.guess(s, i) })
	}
	return out
}

// curiosity is by what share of the best value a grid may be guessed worse for
// every doubling of an extent between it and the nearest one that was tried.
const curiosity = 0.05

// curious adds to out the grid of least guess when the guesses are lowered by the
// distance from the nearest grid that was tried.
func (p *pass) curious(out []*grid) []*grid {
	s, ok := p.fit(math.MaxInt, wideRidge)
	if !ok {
		return out
	}
	p.measure()
	return p.least(out, func(i int) float64 {
		return p.guess(s, i) - float64(curiosity*p.best.guide()*p.distance[i])
	})
}

// least adds to out the grid of least value among those that were not tried and are not
// in out, if there is one.
func (p *pass) least(out []*grid, value func(i int) float64) []*grid {
	var top *grid
	least := math.Inf(1)
	for i, g := range p.list {
		if p.seen[g] > 0 || slices.Contains(out, g) {
			continue
		}
		// When a grid could not be simulated, those that are alike in that are left out.
		if v := value(i); v < least && !(p.failed != nil && p.estimator.tooWide(g)) {
			top, least = g, v
		}
	}
	if top == nil {
		return out
	}
	return append(out, top)
}

// better returns at most n of the grids at some places of the list, those of least
// guess first.
func (p *pass) better(places []int, n int) (out []*grid) {
	s, ok := p.fit(narrow, narrowRidge)
	if ok {
		guesses := map[int]float64{}
		for _, i := range places {
			guesses[i] = p.guess(s, i)
		}
		slices.SortStableFunc(places, func(i, j int) int { return cmp.Compare(guesses[i], guesses[j]) })
	}
	for _, i := range places[:min(n, len(places))] {
		out = append(out, p.list[i])
	}
	return out
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
