package report

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
)

// Timeline is what processors do when: the spans of a stream.
type Timeline struct {
	spans []span
	sets  []string
	of    map[string]int32
	// bounds are the ranges of the sets: first and behind the last.
	bounds [][][2]int64
}

// span is a span of a timeline; set, kind, op and node are numbers.
type span struct {
	start, end float64
	seq        int64
	set, node  int32
	kind, op   int8
}

// spanKindList are the kinds of spans in the order of their numbers, spanLabels
// their names for people.
var (
	spanKindList = []interval.SpanKind{interval.SpanCPU, interval.SpanSYS, interval.SpanIO, interval.SpanWait, interval.SpanCommunication}
	spanLabels   = []string{"computation", "run-time system", "input and output", "waiting for others", "exchange"}
	spanClasses  = []string{"cpu", "sys", "io", "wait", "comm"}
)

// Span adds a span that was read at pos. The error, a [diag.Error], says when its
// processors are no set of numbers, or its interval or operation is not known.
func (b *Builder) Span(pos diag.Pos, s *interval.Span) error {
	at, ok := b.seen[s.Interval]
	if !ok {
		return diag.New(pos, "report/parent", "a span of interval %d, which does not come before it", s.Interval)
	}
	t := b.tree.Timeline
	if t == nil {
		t = &Timeline{of: map[string]int32{}}
		b.tree.Timeline = t
	}
	set, known := t.of[s.Processors]
	if !known {
		ranges, ok := parseSet(s.Processors)
		if !ok {
			return diag.New(pos, "report/processors", "found the processors %q, expected ascending numbers such as \"0,2-4\"", s.Processors)
		}
		set = int32(len(t.sets))
		own := strings.Clone(s.Processors)
		t.of[own] = set
		t.sets, t.bounds = append(t.sets, own), append(t.bounds, ranges)
	}
	op := int8(-1)
	if s.Op != "" {
		k, ok := interval.ParseKind(s.Op)
		if !ok {
			return diag.New(pos, "report/span", "found a span of the operation %q, expected io, reduction, shadow, remote or redistribution", s.Op)
		}
		op = int8(k)
	}
	t.spans = append(t.spans, span{start: float64(s.Start), end: float64(s.End), seq: s.Seq, set: set, node: int32(at.node.ID),
		kind: int8(slices.Index(spanKindList, s.Kind)), op: op})
	return nil
}

// parseSet reads "0,2-4" as half-open ranges, which ascend.
func parseSet(text string) (ranges [][2]int64, ok bool) {
	next := int64(0)
	for part := range strings.SplitSeq(text, ",") {
		a, b, isRange := strings.Cut(part, "-")
		if !isRange {
			b = a
		}
		first, err1 := strconv.ParseInt(a, 10, 64)
		last, err2 := strconv.ParseInt(b, 10, 64)
		if err1 != nil || err2 != nil || first < next || last < first || last >= machine.MaxProcessors {
			return nil, false
		}
		next = last + 1
		ranges = append(ranges, [2]int64{first, next})
	}
	return ranges, true
}

// A lane is a set of processors that are in the same spans all the time.
type lane struct {
	name string
	n    int64
	sets []int32 // those that it is part of
}

// lanes returns the lanes of a timeline, by their first processors.
func (t *Timeline) lanes() []lane {
	var cuts []int64
	for _, ranges := range t.bounds {
		for _, r := range ranges {
			cuts = append(cuts, r[0], r[1])
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	in := make([][]int32, len(cuts)) // of the segment that begins at each cut
	for set, ranges := range t.bounds {
		for _, r := range ranges {
			from, _ := slices.BinarySearch(cuts, r[0])
			for i := from; cuts[i] < r[1]; i++ {
				in[i] = append(in[i], int32(set))
			}
		}
	}
	var list []lane
	number := map[string]int{}
	ends := map[int]int64{}
	var key []byte
	for i := range cuts {
		if len(in[i]) == 0 {
			continue
		}
		key = key[:0]
		for _, set := range in[i] {
			key = binary.AppendVarint(key, int64(set))
		}
		k, known := number[string(key)]
		if !known {
			k = len(list)
			number[string(key)] = k
			list = append(list, lane{sets: in[i]})
		}
		l := &list[k]
		first, end := cuts[i], cuts[i+1]
		l.n += end - first
		if known && ends[k] == first {
			// The range goes on.
			cut := strings.LastIndexAny(l.name, ",-")
			if cut < 0 || l.name[cut] == ',' {
				l.name += "-"
			} else {
				l.name = l.name[:cut+1]
			}
			l.name += strconv.FormatInt(end-1, 10)
		} else {
			if known {
				l.name += ","
			}
			l.name += strconv.FormatInt(first, 10)
			if end-first > 1 {
				l.name += "-" + strconv.FormatInt(end-1, 10)
			}
		}
		ends[k] = end
	}
	return list
}

// bySet returns the numbers of the spans of every set, in the order of time.
func (t *Timeline) bySet() [][]int32 {
	list := make([][]int32, len(t.sets))
	for i := range t.spans {
		list[t.spans[i].set] = append(list[t.spans[i].set], int32(i))
	}
	return list
}

// spansOf returns the spans of a lane in the order of time.
func (t *Timeline) spansOf(l *lane, bySet [][]int32) []int32 {
	var list []int32
	for _, set := range l.sets {
		list = append(list, bySet[set]...)
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		x, y := &t.spans[a], &t.spans[b]
		switch {
		case x.start < y.start:
			return -1
		case x.start > y.start:
			return 1
		}
		return 0
	})
	return list
}

// words names what processors do in a span.
func (s *span) words() string {
	if s.op >= 0 {
		return spanLabels[s.kind] + ": " + kindLabel(interval.Kind(s.op))
	}
	return spanLabels[s.kind]
}
