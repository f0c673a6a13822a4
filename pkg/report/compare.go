package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// Pair is an interval of two programs; one of the two is nil when the other
// program has no such interval.
type Pair struct {
	A, B *Node
	// Level is how deep it lies.
	Level int
}

// Match pairs the intervals of a and b. Inside matching intervals it pairs those of
// equal type, file, line and expression, in their order, and then, of the rest, those
// of equal type, file and expression, whose line has changed. Pairs are in the order
// of reading; intervals that only b has come after the others of their parent.
func Match(a, b *Tree) []Pair {
	var pairs []Pair
	stack := []Pair{{a.Root, b.Root, 0}}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		pairs = append(pairs, p)
		inner := matchInner(innerOf(p.A), innerOf(p.B), p.Level+1)
		slices.Reverse(inner)
		stack = append(stack, inner...)
	}
	return pairs
}

func innerOf(n *Node) []*Node {
	if n == nil {
		return nil
	}
	return n.Inner
}

// identity holds the properties by which an interval is the same in two programs.
type identity struct {
	kind    interval.Type
	file    string
	line    int
	hasExpr bool
	expr    int64
}

func identityOf(n *Node, withLine bool) identity {
	id := identity{kind: n.Type, file: n.File}
	if withLine {
		id.line = n.Line
	}
	if n.Expr != nil {
		id.hasExpr, id.expr = true, *n.Expr
	}
	return id
}

// matchInner pairs neighbours.
func matchInner(a, b []*Node, level int) []Pair {
	partner := map[*Node]*Node{}
	taken := map[*Node]bool{}
	for _, withLine := range []bool{true, false} {
		free := map[identity][]*Node{}
		for _, n := range b {
			if !taken[n] {
				id := identityOf(n, withLine)
				free[id] = append(free[id], n)
			}
		}
		for _, n := range a {
			if partner[n] != nil {
				continue
			}
			id := identityOf(n, withLine)
			if list := free[id]; len(list) > 0 {
				partner[n], taken[list[0]] = list[0], true
				free[id] = list[1:]
			}
		}
	}
	var pairs []Pair
	for _, n := range a {
		pairs = append(pairs, Pair{n, partner[n], level})
	}
	for _, n := range b {
		if !taken[n] {
			pairs = append(pairs, Pair{nil, n, level})
		}
	}
	return pairs
}

// own returns a characteristic of an interval without the intervals inside it, 0 for
// nil. A difference that may come from rounding is 0.
func own(n *Node, of func(*interval.Times) float64) float64 {
	if n == nil {
		return 0
	}
	x := of(&n.Times)
	for _, in := range n.Inner {
		x -= of(&in.Times)
	}
	if math.Abs(x) <= 1e-12*math.Abs(of(&n.Times)) {
		return 0
	}
	return x
}

// The names of parts that are used in several places.
const (
	labelComputing = "computing"
	labelIO        = "input and output"
	labelWaiting   = "waiting for others"
	labelIdle      = "idle"
)

// causes are the parts of a processor's time, summed over processors, by which
// two programs differ. Divided by the number of processors they sum to the
// execution time.
// Repeated computation counts as computing: it takes as long as any other.
var causes = []struct {
	label, doing string
	of           func(t *interval.Times) float64
}{
	{labelComputing, "computing", func(t *interval.Times) float64 { return float64(t.CPUTime) }},
	{"in the run-time system", "in the run-time system", func(t *interval.Times) float64 { return float64(t.SYSTime) }},
	{labelIO, "reading and writing", func(t *interval.Times) float64 { return float64(t.IOTime) }},
	{labelWaiting, "waiting for other processors", func(t *interval.Times) float64 { return float64(t.CommunicationSynch) }},
	{"results of input and output", "sending the results of input and output", ofKind(interval.IO)},
	{"reductions", "in reductions", ofKind(interval.Reduction)},
	{"shadow edges", "exchanging shadow edges", ofKind(interval.Shadow)},
	{"remote access", "accessing elements of other processors", ofKind(interval.Remote)},
	{"redistribution", "redistributing arrays", ofKind(interval.Redistribution)},
	{labelIdle, "idle at the end", func(t *interval.Times) float64 { return float64(t.Idle) }},
}

// cause is by how much a part differs.
type cause struct {
	label, doing string
	// a and b are the part in the two programs, for the average processor.
	a, b float64
	// where is the interval in which it differs most, in the same direction.
	where Pair
	// line is that at which it differs most, "" when it is not known.
	line string
}

func (c *cause) change() float64 { return c.b - c.a }

// findCauses returns the parts of time that differ, the largest difference first:
// those of a divided among pa processors, those of b among pb.
func findCauses(a, b *Tree, pairs []Pair, lines []LinePair, pa, pb float64) []cause {
	var list []cause
	whole := max(float64(a.Root.ExecutionTime), float64(b.Root.ExecutionTime))
	for _, c := range causes {
		x := cause{label: c.label, doing: c.doing, a: c.of(&a.Root.Times) / pa, b: c.of(&b.Root.Times) / pb}
		if difference(x.a, x.b, whole) == 0 {
			continue
		}
		most := 0.0
		for _, p := range pairs {
			d := own(p.B, c.of)/pb - own(p.A, c.of)/pa
			if x.change() < 0 {
				d = -d
			}
			if d > most {
				most, x.where = d, p
			}
		}
		x.line = worstChange(lines, c.of, pa, pb, x.change())
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(x, y cause) int { return cmp.Compare(math.Abs(y.change()), math.Abs(x.change())) })
	return list
}

// difference returns b - a, 0 when that may be nothing but the rounding of sums
// that are parts of whole.
func difference(a, b, whole float64) float64 {
	if math.Abs(b-a) <= 1e-12*whole {
		return 0
	}
	return b - a
}

func processorsOf(t *Tree) float64 { return max(1, float64(t.Root.Processors)) }

// Compare returns what differs between two simulations and why: the intervals
// matched by [Match], those that changed most first.
func Compare(a, b *Tree, nameA, nameB string) *Sheet {
	pairs := Match(a, b)
	ta, tb := a.Root.ExecutionTime, b.Root.ExecutionTime
	lines := MatchLines(a, b)
	list := findCauses(a, b, pairs, lines, processorsOf(a), processorsOf(b))
	s := &Sheet{
		Kind:  "comparison",
		Title: comparisonTitle(a, b),
		Tiles: []tile{
			{"A: " + gridWords(a.Header.Grid), ta.Short()},
			{"B: " + gridWords(b.Header.Grid), tb.Short()},
			{"B against A", changeWords(float64(ta), float64(tb))},
			{"Efficiency", percent(a.Root.Efficiency) + " → " + percent(b.Root.Efficiency)},
		},
		Sentences: []string{verdict(ta, tb) + " Efficiency is " + percent(b.Root.Efficiency) + " instead of " + percent(a.Root.Efficiency) + "."},
		Facts:     [][2]string{{"A", Clean(nameA)}, {"B", Clean(nameB)}},
	}
	s.Facts = append(s.Facts, headerChanges(a, b)...)
	least := 0.01 * max(float64(ta), float64(tb))
	for i := range list {
		if math.Abs(list[i].change()) >= least && i < 5 {
			s.Sentences = append(s.Sentences, list[i].sentence(float64(ta), len(pairs) > 1))
		}
	}
	if isPrediction(a, b) {
		s.Tables = append(s.Tables, predictionTable(pairs, processorsOf(a), processorsOf(b)))
	}
	s.Tables = append(s.Tables, causeTable(list, float64(ta)), changeTable(pairs))
	if len(lines) > 0 {
		s.Tables = append(s.Tables, lineChanges(lines, processorsOf(a), processorsOf(b), float64(max(ta, tb))))
	}
	return s
}

func comparisonTitle(a, b *Tree) string {
	pa, pb := program(a), program(b)
	ga, gb := gridWords(a.Header.Grid), gridWords(b.Header.Grid)
	switch {
	case pa != pb:
		return pa + " and " + pb
	case ga != gb:
		return pa + " on " + ga + " and " + gb
	}
	return pa + " on " + ga + ": A and B"
}

// verdict says how the execution times compare.
func verdict(a, b units.Seconds) string {
	switch {
	case a == b:
		return "Both take " + a.Short() + "."
	case b < a:
		return fmt.Sprintf("B takes %s, %s (%s) less than A with %s.", b.Short(), (a - b).Short(), percent(ratio(float64(a-b), float64(a))), a.Short())
	}
	return fmt.Sprintf("B takes %s, %s (%s) more than A with %s.", b.Short(), (b - a).Short(), percent(ratio(float64(b-a), float64(a))), a.Short())
}

// changeWords returns "+12.3 %", or "none".
func changeWords(a, b float64) string {
	if a == b {
		return "no change"
	}
	if a == 0 {
		return "from nothing"
	}
	f := ratioField((b - a) / a).difference()
	return f.shown(false)
}

// sentence returns a sentence about a cause.
func (c *cause) sentence(total float64, places bool) string {
	word := "more"
	if c.change() < 0 {
		word = "less"
	}
	s := fmt.Sprintf("The average processor spends %s %s %s (%s of A's execution time)",
		timeWords(math.Abs(c.change())), word, c.doing, percent(ratio(math.Abs(c.change()), total)))
	if n := c.where.either(); n != nil && places {
		if n.Up == nil {
			s += ", most of it outside of the intervals"
		} else {
			s += ", most of it in the " + kindOfInterval(n.Type) + " at " + placeWords(&n.Interval)
		}
	}
	return c.atLine(s) + "."
}

// atLine adds the line to a sentence that may name an interval.
func (c *cause) atLine(s string) string {
	switch {
	case c.line == "":
		return s
	case strings.Contains(s, ", most of it"):
		return s + " and at " + c.line
	}
	return s + ", most of it at " + c.line
}

// either returns the interval in the second program, or in the first.
func (p Pair) either() *Node {
	if p.B != nil {
		return p.B
	}
	return p.A
}

// headerChanges says what was simulated differently.
func headerChanges(a, b *Tree) [][2]string {
	var list [][2]string
	add := func(name, x, y string) {
		if x != y {
			list = append(list, [2]string{name, x + " → " + y})
		}
	}
	add("program", program(a), program(b))
	add("trace", trace(&a.Header), trace(&b.Header))
	add("grid", gridWords(a.Header.Grid), gridWords(b.Header.Grid))
	ma, na := machineWords(&a.Header.Machine)
	mb, nb := machineWords(&b.Header.Machine)
	add("machine", ma, mb)
	if ma == mb {
		for i := range min(len(na), len(nb)) {
			add("node", na[i], nb[i])
		}
	}
	if a.Header.Measured == b.Header.Measured {
		add("options", optionWords(&a.Header), optionWords(&b.Header))
	}
	if len(list) == 0 {
		list = append(list, [2]string{"simulated", "the same program on the same machine and grid"})
	}
	return list
}

// numbered names an interval with its number, which tells apart intervals that begin
// at the same place.
func numbered(n *Node) string {
	return nameWords(n) + " (i" + countValue(int64(n.ID)).Exact() + ")"
}

func causeTable(list []cause, total float64) table {
	t := table{name: "causes", title: "Why",
		note:    "Time of the average processor; the changes sum to that of the execution time.",
		columns: []columnOf{{"part of the time", true}, {"A", false}, {"B", false}, {"change", false}, {"of A's time", false}, {"most of it at", true}, {"at line", true}}}
	for i := range list {
		c := &list[i]
		where := ""
		if n := c.where.either(); n != nil {
			where = numbered(n)
		}
		t.rows = append(t.rows, []field{words(c.label), secondsField(units.Seconds(c.a)), secondsField(units.Seconds(c.b)),
			secondsField(units.Seconds(c.change())).difference(), ratioField(ratio(c.change(), total)).difference(), words(where), words(c.line)})
	}
	return t
}

// changeTable lists the intervals, sorted by how much the execution time of
// each changed outside of the intervals inside it.
func changeTable(pairs []Pair) table {
	t := table{name: "intervals", title: "Intervals",
		note: "Sorted by the change of the execution time that is not that of an interval inside.",
		columns: []columnOf{{"interval", true}, {"A", false}, {"B", false}, {"change", false}, {"relative", false},
			{"own change", false}, {"lost in A", false}, {"lost in B", false}, {"use in A", true}, {"use in B", true}}}
	exec := func(t *interval.Times) float64 { return float64(t.ExecutionTime) }
	sorted := slices.Clone(pairs)
	changed := func(p Pair) float64 {
		d := own(p.B, exec) - own(p.A, exec)
		if math.Abs(d) <= 1e-12*float64(p.either().ExecutionTime) {
			return 0 // rounding
		}
		return d
	}
	slices.SortStableFunc(sorted, func(p, q Pair) int { return cmp.Compare(math.Abs(changed(q)), math.Abs(changed(p))) })
	for _, p := range sorted {
		name := numbered(p.either())
		row := []field{{}, {}, {}, {}, {}, secondsField(units.Seconds(changed(p))).difference(), {}, {}, {}, {}}
		switch {
		case p.A == nil:
			name += " (only in B)"
		case p.B == nil:
			name += " (only in A)"
		case p.A.Line != p.B.Line:
			name = numbered(p.A) + " → line " + countValue(int64(p.B.Line)).Exact()
		}
		row[0] = words(name)
		for i, n := range []*Node{p.A, p.B} {
			if n != nil {
				row[1+i], row[6+i], row[8+i] = secondsField(n.ExecutionTime), secondsField(n.LostTime), field{parts: &n.Times}
			}
		}
		if p.A != nil && p.B != nil {
			row[3] = secondsField(p.B.ExecutionTime - p.A.ExecutionTime).difference()
			if p.A.ExecutionTime > 0 {
				row[4] = ratioField(float64((p.B.ExecutionTime - p.A.ExecutionTime) / p.A.ExecutionTime)).difference()
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// Growth returns the relative growth of the execution time from the first tree to
// the last: 0.05 for 5 per cent, negative when it fell.
func Growth(first, last *Tree) float64 {
	a, b := float64(first.Root.ExecutionTime), float64(last.Root.ExecutionTime)
	switch {
	case a == b:
		return 0
	case a == 0:
		return math.Inf(1)
	}
	return (b - a) / a
}
