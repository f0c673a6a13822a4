package report

import (
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
)

// worst returns the interval that has most of what a rule finds without the intervals
// inside it.
func (p *profile) worst(r *rule) *Node {
	node, most := p.root, 0.0
	for _, n := range p.tree.Nodes {
		own := r.share(&n.Times)
		for _, in := range n.Inner {
			own -= r.share(&in.Times)
		}
		if n == p.root {
			own -= r.start(p)
		}
		if own > most {
			node, most = n, own
		}
	}
	return node
}

// worstLine returns the number of the line of the program that has most of what a
// rule finds, counted from 0, and its share of all; -1 when the stream has no lines
// or the rule names none.
func (p *profile) worstLine(r *rule) (line int, share float64) {
	of := r.line
	if of == nil && r.share != nil {
		of = func(_ *profile, l *interval.Line) float64 { return r.share(&l.Times) }
	}
	if of == nil {
		return -1, 0
	}
	line = -1
	most, all := 0.0, 0.0
	for i := range p.lines {
		l := &p.lines[i]
		x := of(p, l)
		if l.File == p.root.File && l.Line == p.root.Line {
			// The start passes before the first call of the program.
			x = max(0, x-r.start(p))
		}
		all += x
		if x > most {
			line, most = i, x
		}
	}
	return line, ratio(most, all)
}

// start returns how much of what the rule finds is the start of the program, which
// another rule finds.
func (r *rule) start(p *profile) float64 {
	if r.less == nil {
		return 0
	}
	return r.less(p)
}

// mostOfIt is the share of a finding from which on a line has most of it.
const mostOfIt = 0.5

// lineClause is the end of a finding's text: where most of it is.
func lineClause(place string, share float64) string {
	if share < mostOfIt {
		return ", the largest part of it, " + percent(share) + ", at " + place
	}
	return ", most of it at " + place
}

// waitingForLoad returns what processors wait at a line, which shows uneven load as
// far as no pipelined loop is the reason.
func waitingForLoad(p *profile, l *interval.Line) float64 {
	if p.pipeline > 0 {
		return 0
	}
	return float64(l.CommunicationSynch)
}

// waitClause names the line at which uneven load shows.
func waitClause(place string, _ float64) string { return "; the others wait most at " + place }

// pipelines adds up what pipelined loops cost in waiting: that of their stages for
// those before, and what those that end early wait at the next operation, as far as
// processors wait there.
func (p *profile) pipelines() {
	across := libdvm.NameOf(libdvm.Across)
	steps, spread := 0.0, 0.0
	for i := range p.tree.Exchanges {
		if x := &p.tree.Exchanges[i]; x.Func == across {
			steps += float64(x.RealSynch)
			spread += float64(x.Variation)
			p.pipes = append(p.pipes, x)
		}
	}
	if p.pipeline = min(steps, float64(p.root.CommunicationSynch)); p.pipeline > 0 {
		p.pipeline += min(spread, float64(p.root.CommunicationSynch)-p.pipeline)
	}
}

// ofPipeline tells whether a pipelined loop is at l.
func (p *profile) ofPipeline(l *interval.Line) bool {
	return slices.ContainsFunc(p.pipes, func(x *interval.Exchange) bool {
		return x.File == l.File && l.FromLine <= x.Line && x.Line <= l.Line
	})
}

// inWords returns " in the sequential part at jac.fdv:31", or nothing for the
// only interval of a program.
func inWords(t *Tree, n *Node) string {
	switch {
	case len(t.Nodes) == 1:
		return ""
	case n.Up == nil:
		return " outside of the intervals"
	}
	return " in the " + kindOfInterval(n.Type) + " at " + placeWords(&n.Interval)
}

// kindOfInterval names an interval in a sentence.
func kindOfInterval(t interval.Type) string {
	switch t {
	case interval.Sequential:
		return "sequential part"
	case interval.Parallel:
		return "parallel loop"
	}
	return "interval"
}
