package report

import (
	"bufio"
	"io"
	"math"
	"strconv"

	"dvmtools/pkg/interval"
)

// maxLanes is how many lanes of processors a timeline is written with.
const maxLanes = 512

// writePerfetto writes the timeline in the Trace Event Format, which the Perfetto
// UI and chrome://tracing read: a thread for each lane of processors with equal
// histories, on it a slice for every interval and inside that one for every span,
// and a flow through the slices of each exchange. Times are in microseconds. A
// stream without spans gives its intervals no slices.
func writePerfetto(w io.Writer, t *Tree, _ Options) error {
	b := bufio.NewWriterSize(w, 1<<16)
	p := &perfetto{t: t, nodes: map[int32]*Node{}}
	for _, n := range t.Nodes {
		p.nodes[int32(n.ID)] = n
	}
	var lanes []lane
	if t.Timeline != nil {
		lanes = t.Timeline.lanes()
	}
	p.raw(`{"displayTimeUnit":"ns","otherData":{"program":`)
	p.quoted(program(t))
	p.raw(`,"grid":`)
	p.quoted(gridName(t.Header.Grid))
	p.raw(`,"lanes":` + strconv.Itoa(len(lanes)) + `,"lanes_left_out":` + strconv.Itoa(max(0, len(lanes)-maxLanes)))
	p.raw("},\n\"traceEvents\":[\n" + `{"ph":"M","pid":1,"name":"process_name","args":{"name":`)
	p.quoted(program(t) + " on " + gridWords(t.Header.Grid))
	p.raw("}}")
	lanes = lanes[:min(len(lanes), maxLanes)]
	if t.Timeline != nil {
		p.bySet = t.Timeline.bySet()
		p.findFlows(lanes)
	}
	for i := range lanes {
		p.lane(&lanes[i], i+1)
		if len(p.markup) > 1<<16 {
			b.Write(p.markup)
			p.markup = p.markup[:0]
		}
	}
	p.raw("\n]}\n")
	b.Write(p.markup)
	return b.Flush()
}

// flowKey identifies an exchange: the call and the kind.
type flowKey struct {
	seq int64
	op  int8
}

// perfetto is a timeline that is being written.
type perfetto struct {
	markup
	t     *Tree
	nodes map[int32]*Node
	bySet [][]int32
	// flows are the first and the last lane of every exchange that several lanes
	// take part in, in the order of time.
	flows map[flowKey]*flowEnds
}

type flowEnds struct {
	lanes           int
	first, last     int
	firstAt, lastAt float64 // in whole nanoseconds
}

// nanos returns a time in nanoseconds, without a fraction: the UI has none, and sorts
// events by what is left, those at the same time as they stand in the document. The
// ends of a flow are found by the same numbers, so that it begins before it goes on.
func nanos(seconds float64) float64 { return math.Round(seconds * 1e9) }

// findFlows finds the lanes of every exchange.
func (p *perfetto) findFlows(lanes []lane) {
	p.flows = map[flowKey]*flowEnds{}
	for i := range lanes {
		once := map[flowKey]bool{}
		for _, k := range p.t.Timeline.spansOf(&lanes[i], p.bySet) {
			s := &p.t.Timeline.spans[k]
			key := flowKey{s.seq, s.op}
			if s.op < 0 || once[key] {
				continue
			}
			once[key] = true
			f := p.flows[key]
			if f == nil {
				f = &flowEnds{first: i + 1, firstAt: nanos(s.start), last: i + 1, lastAt: nanos(s.start)}
				p.flows[key] = f
			}
			f.lanes++
			if at := nanos(s.start); at < f.firstAt {
				f.first, f.firstAt = i+1, at
			}
			if at := nanos(s.start); at >= f.lastAt {
				f.last, f.lastAt = i+1, at
			}
		}
	}
}

// event begins an event up to its last fields.
func (p *perfetto) event(ph string, tid int, seconds float64) {
	p.raw(",\n" + `{"ph":"` + ph + `","pid":1,"tid":`)
	p.int(int64(tid))
	p.raw(`,"ts":`)
	p.number(nanos(seconds)/1e3, true)
}

// lane writes the events of a lane.
func (p *perfetto) lane(l *lane, tid int) {
	p.raw(",\n" + `{"ph":"M","pid":1,"tid":`)
	p.int(int64(tid))
	p.raw(`,"name":"thread_name","args":{"name":`)
	name := "processor "
	if l.n > 1 {
		name = count(l.n, "processor", "processors") + " "
	}
	p.quoted(name + shortSet(l.name))
	p.raw("}}")
	var open []*Node
	last := 0.0
	// upTo closes intervals until those that are open are around n or n itself.
	upTo := func(n *Node) {
		for len(open) > 0 && !inside(n, open[len(open)-1]) {
			open = open[:len(open)-1]
			p.event("E", tid, last)
			p.raw("}")
		}
	}
	once := map[flowKey]bool{}
	for _, k := range p.t.Timeline.spansOf(l, p.bySet) {
		s := p.t.Timeline.spans[k]
		// Sums of times may be rounded beyond the begin of what follows.
		s.start = max(s.start, last)
		s.end = max(s.end, s.start)
		n := p.nodes[s.node]
		upTo(n)
		var chain []*Node
		for up := n; up != nil && (len(open) == 0 || up != open[len(open)-1]); up = up.Up {
			chain = append(chain, up)
		}
		for i := len(chain) - 1; i >= 0; i-- {
			open = append(open, chain[i])
			p.event("B", tid, s.start)
			p.raw(`,"cat":"interval","name":`)
			p.quoted(nameWords(chain[i]))
			p.raw(`,"args":{"interval":`)
			p.int(int64(chain[i].ID))
			p.raw("}}")
		}
		p.event("B", tid, s.start)
		p.raw(`,"cat":"` + string(spanKindList[s.kind]) + `","name":`)
		p.quoted(s.words())
		p.raw(`,"args":{"call":`)
		p.int(s.seq)
		p.raw("}}")
		if key := (flowKey{s.seq, s.op}); s.op >= 0 && p.flows[key].lanes > 1 && !once[key] {
			once[key] = true
			p.flow(key, tid, s.start)
		}
		p.event("E", tid, s.end)
		p.raw("}")
		last = s.end
	}
	for range open {
		p.event("E", tid, last)
		p.raw("}")
	}
}

// flow writes a step of the flow of an exchange: its begin where it begins first,
// its end where it begins last.
func (p *perfetto) flow(key flowKey, tid int, at float64) {
	ph := "t"
	switch tid {
	case p.flows[key].first:
		ph = "s"
	case p.flows[key].last:
		ph = "f"
	}
	p.event(ph, tid, at)
	p.raw(`,"cat":"exchange","name":"`)
	p.raw(interval.Kind(key.op).String())
	p.raw(`","id":`)
	p.int(key.seq)
	if ph == "f" {
		p.raw(`,"bp":"e"`)
	}
	p.raw("}")
}

// inside reports whether n is up or lies in it.
func inside(n, up *Node) bool {
	for ; n != nil; n = n.Up {
		if n == up {
			return true
		}
	}
	return false
}

// shortSet returns a set of processors, cut when it is long.
func shortSet(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
