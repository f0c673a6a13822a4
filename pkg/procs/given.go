package procs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Given is a section that the user states for the crtps_ calls of a line,
// because the trace does not know it: a program traced on one processor takes
// only sections 0..0 of 1 (docs/model.md#systems).
type Given struct {
	// Line is that of the crtps_ in the program.
	Line int
	// First and Last bound the section by dimension, on a system of the
	// extents Of. All have the same length.
	First, Last, Of []int64
}

// maxGiven bounds the extents of given sections, so that scaling them does not
// overflow.
const maxGiven = 1 << 30

// ParseGiven reads sections as a user writes them: LINE=FIRST-LAST/N with
// commas between them, as "16=0-1/4,17=2-3/4"; with more dimensions
// LINE=FIRST-LASTxFIRST-LAST/NxN. A section of one coordinate may be FIRST
// alone. Sections of the same line are those of successive calls, in turn.
func ParseGiven(text string) ([]Given, error) {
	var list []Given
	for item := range strings.SplitSeq(text, ",") {
		g, err := parseOne(item)
		if err != nil {
			return nil, fmt.Errorf("found %q: %w; expected LINE=FIRST-LAST/N, such as 16=0-1/4 for the first two of four processors at the crtps_ of line 16", item, err)
		}
		list = append(list, g)
	}
	return list, nil
}

func parseOne(item string) (Given, error) {
	var g Given
	line, section, ok := strings.Cut(item, "=")
	if !ok {
		return g, fmt.Errorf("no =")
	}
	n, err := number(line)
	if err != nil {
		return g, err
	}
	g.Line = int(n)
	bounds, extents, ok := strings.Cut(section, "/")
	if !ok {
		return g, fmt.Errorf("no / before the number of processors")
	}
	for part := range strings.SplitSeq(bounds, "x") {
		first, last, ok := strings.Cut(part, "-")
		if !ok {
			last = first
		}
		a, err := number(first)
		if err != nil {
			return g, err
		}
		b, err := number(last)
		if err != nil {
			return g, err
		}
		g.First, g.Last = append(g.First, a), append(g.Last, b)
	}
	for part := range strings.SplitSeq(extents, "x") {
		n, err := number(part)
		if err != nil {
			return g, err
		}
		g.Of = append(g.Of, n)
	}
	if len(g.Of) != len(g.First) {
		return g, fmt.Errorf("%d dimensions of %d", len(g.First), len(g.Of))
	}
	for k, n := range g.Of {
		if g.Last[k] < g.First[k] || g.Last[k] >= n {
			return g, fmt.Errorf("no coordinates %d to %d of %d", g.First[k], g.Last[k], n)
		}
	}
	return g, nil
}

func number(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > maxGiven || s[0] == '+' || s[0] == '-' {
		return 0, fmt.Errorf("%q is no number from 0 to %d", s, maxGiven)
	}
	return n, nil
}

// Section returns the given section of base, scaled to its extents as
// [Section] scales those of a trace.
func (g *Given) Section(base *System) *System {
	of := *base
	of.Traced = slices.Clone(g.Of)
	return Section(&of, g.First, g.Last)
}
