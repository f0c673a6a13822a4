package sim

import (
	"errors"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
)

// note says that what is booked to n and its lines belongs to the interval with
// the given number.
func (r *Result) note(n *node, id int) {
	if r.ids == nil {
		r.ids = map[clock.Account]int{}
	}
	r.ids[n.account] = id
	for _, l := range n.lines {
		r.ids[l.account] = id
	}
}

// ErrTimeline is the error of a timeline with more spans than are kept.
var ErrTimeline = errors.New("the timeline has more than 8388608 spans; simulate a shorter run or a smaller grid")

// spanKinds are the kinds of spans by those of pieces.
var spanKinds = [...]interval.SpanKind{interval.SpanCPU, interval.SpanSYS, interval.SpanIO, interval.SpanWait, interval.SpanCommunication}

// Spans calls yield with every span of the timeline, those of a processor in the
// order of time, until it returns an error. There are none when no timeline was
// wanted. The error is that of yield, or [ErrTimeline] before the first span.
func (r *Result) Spans(yield func(*interval.Span) error) error {
	if r.timeline == nil {
		return nil
	}
	pieces, ok := r.timeline.Pieces()
	if !ok {
		return ErrTimeline
	}
	for i := range pieces {
		p := &pieces[i]
		span := interval.Span{Processors: r.timeline.Processors(p.Processors), Start: p.Start, End: p.End, Kind: spanKinds[p.Kind],
			Interval: r.ids[p.Account], Seq: p.Seq}
		if p.Kind == clock.PieceWait || p.Kind == clock.PieceCommunication {
			span.Op = p.Op.String()
		}
		if err := yield(&span); err != nil {
			return err
		}
	}
	return nil
}
