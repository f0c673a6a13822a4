package oracle

import (
	"errors"
	"fmt"
	"slices"
)

// A rule says where an array, or a loop, lies along one axis of its template.
type rule struct {
	how byte // 'l' linear in dim, 'c' constant, 'r' replicated
	dim int
	a   int
	b   int
	// whole is whether replicas lie along the whole axis.
	whole bool
}

// An array with its alignment. positions[i] are the template elements with
// which element i is aligned.
type array struct {
	size      []int
	bytes     int64
	low, high []int
	t         *template // nil when replicated without a template, or not yet aligned
	whole     set       // the processors that hold all elements, when t is nil
	positions [][]int32
	rules     []rule

	owned   []set
	version int
}

// owner returns the processors that hold each element.
func (a *array) owner() []set {
	if a.t == nil {
		all := make([]set, product(a.size))
		for i := range all {
			all[i] = a.whole
		}
		return all
	}
	if a.owned == nil || a.version != a.t.version {
		a.owned, a.version = owners(a.positions, a.t), a.t.version
	}
	return a.owned
}

// owners returns, for each element, the processors that hold one of its template
// elements.
func owners(positions [][]int32, t *template) []set {
	all := make([]set, len(positions))
	for i, ps := range positions {
		for _, p := range ps {
			all[i] |= t.owner[p]
		}
	}
	return all
}

// ready is whether the array is aligned, or replicated without a template.
func (a *array) ready() bool { return a.t != nil || a.whole != 0 }

// A pattern is a template or an array as a target of align_ and mappl_.
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

// align aligns index tuples with a pattern: tuple x lies at all pattern elements
// whose index along dimension j is coeff·x[axis]+cons, a constant, or, for
// replicas, any index (docs/model.md#alignment, align_).
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
				// The pattern may cover only a part of the axis.
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
