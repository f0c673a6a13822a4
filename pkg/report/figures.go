package report

import (
	"slices"

	"dvmtools/pkg/interval"
)

// Units of figures.
const (
	unitSeconds = string(interval.UnitSeconds)
	unitRatio   = string(interval.UnitRatio)
	unitOps     = string(interval.UnitOperations)
	unitCalls   = "calls"
)

// Figure is a number that a report shows of an interval: a row of the list of
// characteristics; those of kinds of operations are a figure for each kind.
type Figure struct {
	// Anchor is the name of the figure in the page.
	Anchor string
	// Label is its name for people, without that of the kind.
	Label string
	// Unit is "s", "ratio" or "op" (operations).
	Unit string
	// Definition says what it is, Formula how it is computed, each in one line.
	Definition, Formula string
	// Depth is how deep it is nested in the figures above it in the table, of
	// which it is a part.
	Depth int
	// PartOfTotal says that it is a part of Total time.
	PartOfTotal bool
	// OfKind says that it belongs to Kind; otherwise it belongs to the interval
	// as a whole.
	OfKind bool
	Kind   interval.Kind
	// Def is the anchor of its definition, the same for the five kinds.
	Def string

	name  string // the path in the record of an interval
	inner bool   // the value adds up over intervals
	times func(*interval.Times) float64
	ops   func(*interval.Operations) int64
}

// Value returns the figure of iv.
func (f *Figure) Value(iv *interval.Interval) Value {
	if f.ops != nil {
		return Value{count: f.ops(&iv.Operations), isCount: true}
	}
	return Value{real: f.times(&iv.Times)}
}

// OfLine returns the figure of a line, which has only those that add up.
func (f *Figure) OfLine(l *interval.Line) Value {
	if f.ops != nil {
		return Value{count: f.ops(&l.Operations), isCount: true}
	}
	return Value{real: f.times(&l.Times)}
}

// Title returns the definition and the formula in one line.
func (f *Figure) Title() string { return f.Definition + ": " + f.Formula }

// kindLetters end the anchors of the kinds, kindLabels name the kinds; both
// in the order of the records.
const kindLetters = "irsad"

func kindLabel(k interval.Kind) string {
	return [...]string{"I/O", "Reduction", "Shadow", "Remote access", "Redistribution"}[k]
}

// Figures returns every figure in the order of the design's appendix 2: those
// of the interval, then the six of each kind of operation.
func Figures() []Figure {
	all := mainFigures()
	for k := range interval.NumKinds {
		all = append(all, kindFigures(k)...)
	}
	return all
}

// newFigure returns the figure of a characteristic.
func newFigure(c *interval.Characteristic) Figure {
	return Figure{
		Anchor: c.Anchor, Label: c.Label, Unit: string(c.Unit), Definition: c.Definition, Formula: c.Formula,
		Depth: c.Depth, PartOfTotal: c.PartOfTotal, Def: c.Anchor, name: c.Name, inner: c.Inner,
	}
}

// mainFigures are the figures of an interval as a whole.
func mainFigures() []Figure {
	all := interval.Characteristics()
	list := make([]Figure, len(all))
	for i := range all {
		list[i] = newFigure(&all[i])
		list[i].times = all[i].Value
	}
	return list
}

// kindFigures are the figures of one kind of operation.
func kindFigures(k interval.Kind) []Figure {
	count := interval.OperationCount()
	list := []Figure{newFigure(&count)}
	list[0].ops = func(o *interval.Operations) int64 { return *o.Kind(k) }
	list[0].name += "." + k.String()
	all := interval.KindCharacteristics()
	for i := range all {
		f := newFigure(&all[i])
		f.times = func(t *interval.Times) float64 { return float64(*all[i].AtKind(t.Kind(k))) }
		f.name = k.String() + "." + f.name
		list = append(list, f)
	}
	for i := range list {
		f := &list[i]
		f.Anchor = f.Def + kindLetters[k:k+1]
		f.Def += "K"
		f.OfKind, f.Kind = true, k
	}
	return list
}

// processorFigures are the columns of the table of processors.
func processorFigures() []Figure {
	want := []string{"exec", "cpu", "sys", "ptimei", "iuser", "isyst", "comm", "csyn", "idle", "imbal"}
	all := mainFigures()
	var cols []Figure
	for _, w := range want {
		i := slices.IndexFunc(all, func(f Figure) bool { return f.Anchor == w })
		cols = append(cols, all[i])
	}
	return cols
}
