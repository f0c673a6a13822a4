package measure

import (
	"fmt"
	"math"
	"strings"

	"dvmtools/pkg/machine/parasol"
)

// Agree tells whether two measurements agree within the standard deviations that
// they state: they are not farther from each other than the standard deviation of
// their difference.
func Agree(a, deviationA, b, deviationB float64) bool {
	return math.Abs(a-b) <= math.Hypot(deviationA, deviationB)
}

// A Comparison is of two machine files, by the timings that state a deviation in
// either.
type Comparison struct {
	// Agreeing and Differing are the timings that both files have.
	Agreeing, Differing []Compared
	// Single has the names of those that one file has, First says in which.
	Single []Single
}

// Compared is a timing that both files have, with its name as in references.
type Compared struct {
	Name string
	A, B parasol.Timing
}

// Single is a timing that only one of two files has.
type Single struct {
	Name  string
	First bool
}

// Compare compares two measured machines.
func Compare(a, b *parasol.Machine) *Comparison {
	var c Comparison
	other := map[string]parasol.Timing{}
	for _, f := range b.Fields() {
		if f.Timing.Known {
			other[f.Name] = f.Timing
		}
	}
	for _, f := range a.Fields() {
		if !f.Timing.Known {
			continue
		}
		x := Compared{f.Name, f.Timing, other[f.Name]}
		_, both := other[f.Name]
		delete(other, f.Name)
		switch {
		case !both:
			c.Single = append(c.Single, Single{f.Name, true})
		case Agree(x.A.Average, x.A.Deviation, x.B.Average, x.B.Deviation):
			c.Agreeing = append(c.Agreeing, x)
		default:
			c.Differing = append(c.Differing, x)
		}
	}
	for _, f := range b.Fields() {
		if _, ok := other[f.Name]; ok {
			c.Single = append(c.Single, Single{f.Name, false})
		}
	}
	return &c
}

// Names is how many timings either file has.
func (c *Comparison) Names() int { return len(c.Agreeing) + len(c.Differing) + len(c.Single) }

// String says for how many of the names the files agree, and lists the others.
func (c *Comparison) String() string {
	var b strings.Builder
	both := len(c.Agreeing) + len(c.Differing)
	share := func(n, of int) string {
		if of == 0 {
			return "none of 0"
		}
		return fmt.Sprintf("%d of %d, %.1f %%", n, of, 100*float64(n)/float64(of))
	}
	fmt.Fprintf(&b, "agree within their deviations: %s\n", share(len(c.Agreeing), c.Names()))
	if len(c.Single) > 0 {
		fmt.Fprintf(&b, "of those in both files:        %s\n", share(len(c.Agreeing), both))
	}
	var relative []float64
	for _, x := range append(append([]Compared{}, c.Agreeing...), c.Differing...) {
		if min(x.A.Average, x.B.Average) > 0 { // a latency may be 0
			relative = append(relative, max(x.A.Deviation/x.A.Average, x.B.Deviation/x.B.Average))
		}
	}
	if len(relative) > 0 {
		fmt.Fprintf(&b, "the larger deviation:          %.1f %% of the timing in the median\n", 100*medianOf(relative))
	}
	for _, x := range c.Differing {
		fmt.Fprintf(&b, "differs: %-12s %s and %s, standard deviations %s and %s\n", x.Name, digits(x.A.Average), digits(x.B.Average), digits(x.A.Deviation), digits(x.B.Deviation))
	}
	for _, x := range c.Single {
		which := "second"
		if x.First {
			which = "first"
		}
		fmt.Fprintf(&b, "only in the %s file: %s\n", which, x.Name)
	}
	return b.String()
}
