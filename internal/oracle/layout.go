package oracle

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A system is a processor system: root numbers in the order of its own
// coordinates, its shape, and the shape that it had in the traced run.
type system struct {
	procs  []int
	shape  []int
	traced []int
}

func (s *system) set() set {
	var all set
	for _, p := range s.procs {
		all |= only(p)
	}
	return all
}

// index is where root number p stands in s, or -1.
func (s *system) index(p int) int { return slices.Index(s.procs, p) }

// An abstract is an abstract machine; sys is nil before mapam_.
type abstract struct{ sys *system }

func product(v []int) int {
	n := 1
	for _, x := range v {
		n *= x
	}
	return n
}

// indices lists all index tuples of a space, the last dimension fastest.
func indices(size []int) [][]int {
	all := make([][]int, product(size))
	for i := range all {
		all[i] = coords(size, i)
	}
	return all
}

// linear is the place of tuple x in that list.
func linear(size, x []int) int {
	i := 0
	for d, v := range x {
		i = i*size[d] + v
	}
	return i
}

// view reshapes a system (model section 4, psview_): the trace's shape when it
// has as many processors, else the most even shape of the same rank.
func view(s *system, shape []int) *system {
	n := len(s.procs)
	v := &system{procs: s.procs, shape: shape, traced: shape}
	if product(shape) == n {
		return v
	}
	var best []int
	var try func(left int, sofar []int)
	try = func(left int, sofar []int) {
		if len(sofar) == len(shape) {
			if left == 1 && (best == nil || better(sofar, best)) {
				best = slices.Clone(sofar)
			}
			return
		}
		for d := 1; d <= left; d++ {
			if left%d == 0 {
				try(left/d, append(sofar, d))
			}
		}
	}
	try(n, nil)
	v.shape = best
	return v
}

// better orders shapes: the smallest sum, then the smallest largest extent,
// then the largest first extents.
func better(a, b []int) bool {
	sum := func(v []int) (t int) {
		for _, x := range v {
			t += x
		}
		return t
	}
	if sum(a) != sum(b) {
		return sum(a) < sum(b)
	}
	if slices.Max(a) != slices.Max(b) {
		return slices.Max(a) < slices.Max(b)
	}
	return slices.Compare(a, b) > 0
}

// section is the section first..last of s as the trace states it (crtps_),
// scaled to the simulated sizes.
func section(s *system, first, last []int) (*system, error) {
	lo, hi := make([]int, len(s.shape)), make([]int, len(s.shape))
	v := &system{}
	for d, n := range s.shape {
		lo[d], hi[d] = 0, n-1
		if d < len(first) && d < len(last) {
			traced := 1
			if d < len(s.traced) {
				traced = s.traced[d]
			}
			if first[d] < 0 || last[d] < first[d] || last[d] >= traced {
				return nil, fmt.Errorf("found the section %d..%d of %d processors", first[d], last[d], traced)
			}
			lo[d] = first[d] * n / traced
			hi[d] = max(lo[d], (last[d]+1)*n/traced-1)
		}
		v.shape = append(v.shape, hi[d]-lo[d]+1)
	}
	for d := range first {
		v.traced = append(v.traced, last[d]-first[d]+1)
	}
	for i, x := range indices(s.shape) {
		inside := true
		for d := range x {
			inside = inside && lo[d] <= x[d] && x[d] <= hi[d]
		}
		if inside {
			v.procs = append(v.procs, s.procs[i])
		}
	}
	return v, nil
}

// weights of one dimension of a processor system (genblk_, setelw_).
type weights struct {
	w []float64
	// sizes are block sizes, which hold as they are on as many coordinates.
	sizes bool
	// loads are those of equal segments of the axis.
	loads bool
}

// A template with its distribution.
type template struct {
	size []int
	divs []int
	// weighed is what genblk_ or setelw_ said for the system of that name.
	weighed map[int]weights
	weighOn *system

	as  Readings
	sys *system
	// owner[i] are the processors that hold element i.
	owner []set
	// dims says for each dimension of sys which axis it divides, with its
	// block boundaries; replicated or constant ones have axis -1.
	dims    []dimension
	version int
}

// A dimension of a processor system in a distribution.
type dimension struct {
	axis     int // of the template, -1 for none
	constant int // coordinate, -1 when not constant
	lower    []int
}

// distribute is distr_ (model section 4). balance asks for blocks by power.
func (t *template) distribute(s *system, axes, params []int, power []float64, balance bool) error {
	dims := make([]dimension, len(s.shape))
	used := map[int]bool{}
	for k := range dims {
		dims[k] = dimension{axis: -1, constant: -1}
		if k >= len(axes) || axes[k] == 0 {
			continue
		}
		if axes[k] == -1 {
			if k >= len(params) || params[k] < 0 || params[k] >= s.shape[k] {
				return fmt.Errorf("found a constant coordinate that dimension %d of %v lacks", k+1, s.shape)
			}
			dims[k].constant = params[k]
			continue
		}
		a := axes[k] - 1
		if a < 0 || a >= len(t.size) || used[a] {
			return fmt.Errorf("found axis %d of a template of rank %d", axes[k], len(t.size))
		}
		used[a] = true
		dims[k].axis = a
		var err error
		if dims[k].lower, err = t.blocks(s, k, a, power, balance); err != nil {
			return err
		}
	}
	owner := make([]set, product(t.size))
	for i, x := range indices(t.size) {
		for j, p := range s.procs {
			c := coords(s.shape, j)
			holds := true
			for k, d := range dims {
				switch {
				case d.constant >= 0:
					holds = holds && c[k] == d.constant
				case d.axis >= 0:
					holds = holds && d.lower[c[k]] <= x[d.axis] && x[d.axis] < d.lower[c[k]+1]
				}
			}
			if holds {
				owner[i] |= only(p)
			}
		}
	}
	t.sys, t.dims, t.owner = s, dims, owner
	t.version++
	return nil
}

// blocks are the first elements of the blocks of axis a on dimension k of s,
// and the end: model section 4, block distribution.
func (t *template) blocks(s *system, k, a int, power []float64, balance bool) ([]int, error) {
	total, n := t.size[a], s.shape[k]
	w := make([]float64, n)
	for c := range w {
		w[c] = 1
	}
	given, weighed := t.weighed[k]
	weighed = weighed && t.weighOn == s
	switch {
	case weighed && given.loads:
		for c, r := range cut(given.w, n) {
			w[c] = float64(r)
		}
	case weighed && given.sizes && len(given.w) == n:
		lower, at := make([]int, n+1), 0
		for c := range n {
			lower[c] = at
			at += int(given.w[c])
		}
		if lower[n] = at; at != total {
			return nil, fmt.Errorf("found block sizes whose sum is %d, expected %d", at, total)
		}
		return lower, nil
	case weighed:
		w = resample(given.w, n)
	case balance:
		w = byPower(s, k, power)
	}
	return lowers(total, w, t.divisor(a)), nil
}

func (t *template) divisor(a int) int {
	if a < len(t.divs) {
		return t.divs[a]
	}
	return 0
}

// lowers is the block rule, in the order of operations that the model states.
func lowers(total int, w []float64, div int) []int {
	n := len(w)
	sums := make([]float64, n+1)
	for c := range n {
		sums[c+1] = sums[c] + w[c]
	}
	size := max(1, float64(total)/sums[n])
	if div > 0 {
		size = max(size, float64(div))
	}
	lower := make([]int, n+1)
	for c := range n {
		at := math.Trunc(float64(size * sums[c]))
		if div > 0 {
			at = math.Floor(at/float64(div)) * float64(div)
		}
		lower[c] = int(min(float64(total), at))
	}
	lower[n] = total
	return lower
}

// cut divides segments with loads into n contiguous runs whose greatest load
// is least, of several ways the one that cuts earliest, and returns the
// lengths of the runs. No run is empty as long as there are segments.
func cut(loads []float64, n int) []int {
	var best []int
	least := math.Inf(1)
	var try func(from int, sofar []int, worst float64)
	try = func(from int, sofar []int, worst float64) {
		if len(sofar) == n-1 {
			sum := 0.0
			for _, l := range loads[from:] {
				sum += l
			}
			if worst = max(worst, sum); worst < least {
				least = worst
				best = append(slices.Clone(sofar), len(loads)-from)
			}
			return
		}
		sum := 0.0
		for to := from; to <= len(loads); to++ {
			if to == from && from < len(loads) {
				continue
			}
			if to > from {
				sum += loads[to-1]
			}
			if max(worst, sum) >= least {
				return
			}
			try(to, append(sofar, to-from), max(worst, sum))
		}
	}
	try(0, nil, 0)
	return best
}

// resample carries weights over to n coordinates: coordinate c gets that of
// the interval [c, c+1)·n'/n of the piecewise constant density.
func resample(w []float64, n int) []float64 {
	if len(w) == n {
		return w
	}
	out := make([]float64, n)
	step := float64(len(w)) / float64(n)
	for c := range out {
		from, to := float64(float64(c)*step), float64(float64(c+1)*step)
		if c == n-1 {
			to = float64(len(w))
		}
		for j, x := range w {
			if overlap := min(to, float64(j+1)) - max(from, float64(j)); overlap > 0 {
				out[c] += float64(x * overlap)
			}
		}
	}
	return out
}

// byPower weighs coordinate c of dimension k by the mean power of its
// processors, divided by the largest.
func byPower(s *system, k int, power []float64) []float64 {
	w := make([]float64, s.shape[k])
	for j, p := range s.procs {
		w[coords(s.shape, j)[k]] += power[p]
	}
	share := float64(len(s.procs) / s.shape[k])
	for c := range w {
		w[c] /= share
	}
	most := slices.Max(w)
	for c := range w {
		w[c] /= most
	}
	return w
}

// A rule says where an array, or a loop, lies along one axis of its template.
type rule struct {
	how byte // 'l' linear in dim, 'c' constant, 'r' replicated
	dim int
	a   int
	b   int
	// whole is whether replicas are along the axis from end to end.
	whole bool
}

// An array with its alignment. positions[i] are the places in the template
// that element i is aligned with.
type array struct {
	size      []int
	bytes     int64
	low, high []int
	t         *template // nil: whole on everybody, or not yet aligned
	whole     set
	positions [][]int32
	rules     []rule

	owned   []set
	version int
}

// owner are the processors that hold each element.
func (a *array) owner() []set {
	if a.t == nil {
		all := make([]set, product(a.size))
		for i := range all {
			all[i] = a.whole
		}
		return all
	}
	if a.owned == nil || a.version != a.t.version {
		a.owned, a.version = owners(a.positions, a.rules, a.t), a.t.version
	}
	return a.owned
}

// owners are the processors that hold any of the places of each element.
func owners(positions [][]int32, rules []rule, t *template) []set {
	all := make([]set, len(positions))
	for i, ps := range positions {
		for _, p := range ps {
			all[i] |= t.owner[p]
		}
		if t.as.WideReplicas || t.as.FilledReplicas {
			all[i] = widen(all[i], rules, t)
		}
	}
	return all
}

// widen adds owners to an element that is replicated along an axis, as
// Readings.WideReplicas and FilledReplicas have it.
func widen(owners set, rules []rule, t *template) set {
	for k, d := range t.dims {
		if d.axis < 0 || rules[d.axis].how != 'r' || owners == 0 {
			continue
		}
		first, last := 0, t.sys.shape[k]-1
		if !rules[d.axis].whole || !t.as.WideReplicas {
			at := coordinates(t.sys, k, []set{owners})
			first, last = at[0], at[len(at)-1]
		}
		for _, p := range owners.each() {
			c := coords(t.sys.shape, t.sys.index(p))
			for c[k] = first; c[k] <= last; c[k]++ {
				owners |= only(t.sys.procs[linear(t.sys.shape, c)])
			}
		}
	}
	return owners
}

func (a *array) ready() bool { return a.t != nil || a.whole != 0 }

// A pattern is what arrays are aligned with and loops mapped on.
type pattern struct {
	size      []int
	t         *template
	whole     set
	positions [][]int32 // of each element of the pattern
	rules     []rule    // for each axis of t
}

func patternOf(o any) (*pattern, error) {
	switch o := o.(type) {
	case *template:
		if o.sys == nil {
			return nil, errors.New("found a template that is not distributed")
		}
		p := &pattern{size: o.size, t: o, positions: make([][]int32, product(o.size))}
		for i := range p.positions {
			p.positions[i] = []int32{int32(i)}
		}
		for d := range o.size {
			p.rules = append(p.rules, rule{how: 'l', dim: d, a: 1})
		}
		return p, nil
	case *array:
		if !o.ready() {
			return nil, errors.New("found an array that is not aligned")
		}
		return &pattern{size: o.size, t: o.t, whole: o.whole, positions: o.positions, rules: o.rules}, nil
	}
	return nil, errors.New("found neither a template nor an array")
}

// align places index tuples in a pattern: tuple x lies at all pattern elements
// whose index along dimension j is coeff·x[axis]+cons, the constant, or
// anything (model section 4, align_).
func (p *pattern) align(tuples [][]int, axis, coeff, cons []int) (positions [][]int32, rules []rule, err error) {
	if len(axis) < len(p.size) || len(coeff) < len(p.size) || len(cons) < len(p.size) {
		return nil, nil, errors.New("found fewer rules than the pattern has dimensions")
	}
	own := make([]rule, len(p.size))
	for j := range own {
		switch {
		case axis[j] == -1:
			own[j] = rule{how: 'r'}
		case axis[j] == 0 || coeff[j] == 0:
			own[j] = rule{how: 'c', b: cons[j]}
		default:
			own[j] = rule{how: 'l', dim: axis[j] - 1, a: coeff[j], b: cons[j]}
		}
	}
	if p.t != nil {
		positions = make([][]int32, len(tuples))
		for i, x := range tuples {
			ranges := make([][]int, len(own))
			for j, r := range own {
				switch r.how {
				case 'r':
					for y := range p.size[j] {
						ranges[j] = append(ranges[j], y)
					}
				case 'c':
					ranges[j] = []int{r.b}
				default:
					ranges[j] = []int{r.a*x[r.dim] + r.b}
				}
				for _, y := range ranges[j] {
					if y < 0 || y >= p.size[j] {
						return nil, nil, fmt.Errorf("found an index %d outside of dimension %d of the pattern", y, j+1)
					}
				}
			}
			seen := map[int32]bool{}
			for _, y := range choices(ranges) {
				for _, at := range p.positions[linear(p.size, y)] {
					if !seen[at] {
						seen[at] = true
						positions[i] = append(positions[i], at)
					}
				}
			}
		}
	}
	for _, r := range p.rules {
		if r.how == 'l' {
			switch q := own[r.dim]; q.how {
			case 'l':
				r = rule{how: 'l', dim: q.dim, a: r.a * q.a, b: r.a*q.b + r.b}
			case 'c':
				r = rule{how: 'c', b: r.a*q.b + r.b}
			default:
				// A pattern covers an axis from end to end, or in part.
				one, other := r.b, r.a*(p.size[r.dim]-1)+r.b
				r = rule{how: 'r', whole: min(one, other) == 0 && max(one, other) == p.t.size[len(rules)]-1}
			}
		}
		rules = append(rules, r)
	}
	return positions, rules, nil
}

// choices lists all tuples with element j from ranges[j].
func choices(ranges [][]int) [][]int {
	all := [][]int{nil}
	for _, r := range ranges {
		var next [][]int
		for _, x := range all {
			for _, v := range r {
				next = append(next, append(slices.Clone(x), v))
			}
		}
		all = next
	}
	return all
}
