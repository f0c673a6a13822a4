package report

import (
	_ "embed"
	"math"
	"strconv"
)

//go:embed assets/timeline.js
var scriptTimeline string

// maxPageSpans is how many spans a page draws.
const maxPageSpans = 1 << 20

// writeTimeline writes the place where the script draws the timeline, and the
// spans as it reads them.
func writeTimeline(p *pageWriter, t *Tree) {
	if t.Timeline == nil {
		return
	}
	var m markup
	m.raw(`<section id="timeline"><h2>Timeline</h2>` + "\n")
	if n := len(t.Timeline.spans); n > maxPageSpans {
		m.raw(`<p class="note">` + strconv.Itoa(n) + ` spans are too many to draw; <code>dvmreport --format perfetto</code> has them.</p></section>` + "\n")
		p.write(m)
		return
	}
	lanes := t.Timeline.lanes()
	m.raw(`<p class="note">What processors do when; those that do the same all the time are one row.`)
	if k := len(lanes) - maxLanes; k > 0 {
		m.raw(` The first ` + strconv.Itoa(maxLanes) + ` of ` + strconv.Itoa(len(lanes)) + ` rows.`)
	}
	m.raw(`</p><noscript><p class="note">It is drawn by a script; <code>dvmreport --format perfetto</code> writes it as data.</p></noscript><div id="gantt"></div></section>` + "\n")
	m.raw(`<script type="application/json" id="spans">{"lanes":[`)
	for i := range lanes[:min(len(lanes), maxLanes)] {
		l := &lanes[i]
		if i > 0 {
			m.raw(",")
		}
		m.raw("[")
		m.quoted(shortSet(l.name))
		m.raw(",")
		m.int(l.n)
		m.raw(",[")
		for j, set := range l.sets {
			if j > 0 {
				m.raw(",")
			}
			m.int(int64(set))
		}
		m.raw("]]")
	}
	m.raw("],\n\"kinds\":[")
	for i, s := range spanLabels {
		if i > 0 {
			m.raw(",")
		}
		m.raw(`["` + spanClasses[i] + `","` + s + `"]`)
	}
	m.raw("],\n\"sets\":[")
	p.write(m)
	bySet := t.Timeline.bySet()
	p.each(len(bySet), func(m *markup, i int) {
		if i > 0 {
			m.raw(",\n")
		}
		m.spans(t.Timeline.spans, bySet[i], 1e-12*float64(t.Root.ExecutionTime))
	})
	p.write(markup("\n]}</script>\n"))
}

// spans appends the spans of a set for the script: for each the time since the
// end of the one before, how long it takes, its kind times 8 plus its operation
// plus 1, its interval, and by how much its call differs from the one before.
// Gaps below the given one are rounding.
func (m *markup) spans(all []span, list []int32, gap float64) {
	m.raw("[")
	end, seq := 0.0, int64(0)
	for k, i := range list {
		s := &all[i]
		if k > 0 {
			m.raw(",")
		}
		from := s.start - end
		if math.Abs(from) <= gap {
			from = 0
		}
		if from == 0 {
			m.raw("0")
		} else {
			*m = strconv.AppendFloat(*m, from, 'g', 12, 64)
		}
		m.raw(",")
		m.number(s.end-s.start, false)
		m.raw(",")
		m.int(int64(s.kind)*8 + int64(s.op) + 1)
		m.raw(",")
		m.int(int64(s.node))
		m.raw(",")
		m.int(s.seq - seq)
		end, seq = s.end, s.seq
	}
	m.raw("]")
}
