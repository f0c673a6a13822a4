package parasol

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/units"
)

// An Estimate is the time of a number of operations on a processor: the sum
// of count times timing (Parasol I, section 1).
type Estimate struct {
	Time units.Seconds
	// Deviation is the standard deviation of Time to the first order, over
	// the distinct timings, when Unknown is empty. Unknown lists the timings
	// whose deviation the file does not state.
	Deviation units.Seconds
	Unknown   []string
	// Speedup is the small-loop speed-up by which Time was divided, else 1.
	Speedup float64
	// Parts are the operations, those that take longest first, then in the
	// order in which they were counted.
	Parts []Part
}

// A Part is what one kind of operation takes. Timing is the one that counts,
// which is that of the substitute where only that is defined.
type Part struct {
	Name   string
	Number float64
	Timing string
	Each   Timing
	Time   units.Seconds
}

// Estimate returns the time that operations take on a processor of type t.
// Counts of the same operation are added. With smallLoops all is divided by the small-loop
// speed-up (2.8), which must be stated then. A count that is negative or not
// finite, a name that is none and a timing that the file does not state are
// errors.
func (m *Machine) Estimate(t *ProcessorType, counts []Count, smallLoops bool) (*Estimate, error) {
	e := &Estimate{Speedup: 1}
	var speedup Timing
	if smallLoops {
		var ok bool
		if speedup, ok = t.SmallLoopSpeedup(); !ok {
			return nil, m.file.errorAt(t.at, "parasol/missing", "found no smallloopspeedup of processor %d, expected one for small loops", t.ID)
		}
		e.Speedup = speedup.Average
	}
	// used[i] is how often the timing that item i states counts.
	used := map[*item]float64{}
	var order []*item
	at := map[string]int{}
	for _, c := range counts {
		if problem := c.Problem(); problem != "" {
			return nil, errors.New(problem)
		}
		i := parameterIndex[c.Name]
		it := t.timing(i)
		if it == nil {
			return nil, m.file.errorAt(t.at, "parasol/missing", "found no timing %s of processor %d, expected one: it is counted; stated are %s", parameters[i].Name, t.ID, t.stated())
		}
		if _, ok := used[it]; !ok {
			order = append(order, it)
		}
		used[it] += c.Number
		name := parameters[i].Name
		k, ok := at[name]
		if !ok {
			k = len(e.Parts)
			at[name] = k
			e.Parts = append(e.Parts, Part{Name: name, Timing: parameters[it.field].Name, Each: it.timing()})
		}
		e.Parts[k].Number += c.Number
	}
	sum := 0.0
	for i := range e.Parts {
		p := &e.Parts[i]
		time := p.Number * p.Each.Average
		sum += float64(time)
		p.Time = units.Seconds(time / e.Speedup)
	}
	e.Time = units.Seconds(sum / e.Speedup)
	if math.IsInf(sum, 0) || math.IsInf(float64(e.Time), 0) {
		return nil, fmt.Errorf("found a sum that is not finite, expected counts whose time is")
	}
	variance := 0.0
	add := func(term float64) { variance = math.Hypot(variance, term) }
	for _, it := range order {
		switch {
		case used[it] == 0:
		case !it.known:
			e.Unknown = append(e.Unknown, parameters[it.field].Name)
		default:
			add(used[it] * it.deviation / e.Speedup)
		}
	}
	if smallLoops && sum > 0 {
		if speedup.Known {
			add(sum / e.Speedup / e.Speedup * speedup.Deviation)
		} else {
			e.Unknown = append(e.Unknown, "smallloopspeedup")
		}
	}
	if len(e.Unknown) == 0 {
		e.Deviation = units.Seconds(variance)
	}
	slices.SortStableFunc(e.Parts, func(a, b Part) int {
		switch {
		case a.Time > b.Time:
			return -1
		case a.Time < b.Time:
			return 1
		}
		return 0
	})
	return e, nil
}

// stated lists the timings that the type has.
func (t *ProcessorType) stated() string {
	var names []string
	for i, it := range t.timings.items {
		if it != nil {
			names = append(names, parameters[i].Name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	if len(names) > 30 {
		names = append(names[:30], "...")
	}
	return strings.Join(names, ", ")
}

// Words names the operation, with the substitute whose timing is used.
func (p *Part) Words() string {
	s := parameters[parameterIndex[p.Name]].Words()
	if p.Timing != p.Name {
		s += ", by the timing of " + p.Timing
	}
	return s
}

// Problem returns what is wrong with a count, "" when it is valid.
func (c Count) Problem() string {
	switch _, ok := parameterIndex[c.Name]; {
	case !ok:
		return fmt.Sprintf("found %q, expected the name of a timing%s", cut(c.Name), diag.DidYouMean(cut(c.Name), parameterNames()))
	case !(c.Number >= 0) || math.IsInf(c.Number, 0):
		return fmt.Sprintf("found %v times %s, expected a number that is not negative", c.Number, c.Name)
	}
	return ""
}
