package sim

import (
	"cmp"
	"math"
	"slices"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// exchangesAt are the exchanges of a kind that are started by a function at a line
// (docs/model.md#what-exchanges-cost). They have accounts of their own below
// those of lines, so that the time of a wait is booked to the line of the wait
// and is known to be that of what was started elsewhere.
type exchangesAt struct {
	number int // in what clocks take note of, from 1 on
	kind   interval.Kind
	by     site // of the first one
	count  int64
}

// exchangeKey identifies exchanges.
type exchangeKey struct {
	kind       interval.Kind
	name, file string
	line       int
}

// countOperation counts an operation of kind k that the call at hand starts, in
// the intervals that are open and at its line, and returns what it costs are
// booked to: nil when lines are not wanted.
func (s *Sim) countOperation(k interval.Kind) *exchangesAt {
	for n := s.tree.cur; n != nil; n = n.parent {
		s.count(n.ops.Kind(k))
	}
	if s.lines == nil {
		return nil
	}
	s.count(s.lines.at.ops.Kind(k))
	by := s.lines.call
	for _, x := range s.lines.at.starts {
		if x.kind == k && x.by.name == by.name {
			s.count(&x.count)
			return x
		}
	}
	key := exchangeKey{k, by.name, by.file, by.line}
	x := s.lines.known[key]
	if x == nil {
		x = &exchangesAt{number: len(s.tree.exchanges) + 1, kind: k, by: by}
		if s.lines.known == nil {
			s.lines.known = map[exchangeKey]*exchangesAt{}
		}
		s.lines.known[key] = x
		s.tree.exchanges = append(s.tree.exchanges, x)
	}
	s.count(&x.count)
	s.lines.at.starts = append(s.lines.at.starts, x)
	return x
}

// charge books to x, at the line of the call at hand, until discharge; it does
// nothing for nil.
func (s *Sim) charge(x *exchangesAt) {
	if x == nil {
		return
	}
	at := s.lines.at
	if s.loop.inBody {
		at = s.body()
	}
	last := &s.lines.last
	if last.of != x || last.under != at || last.in != s.tree.cur {
		k := at.lineKey
		k.of = x
		l := s.lineOf(s.tree.cur, k)
		l.under = at
		last.of, last.under, last.in, last.l = x, at, s.tree.cur, l
	}
	s.clocks.Enter(last.l.account)
}

// discharge ends charge.
func (s *Sim) discharge(x *exchangesAt) {
	if x != nil {
		s.clocks.Enter(s.account())
	}
}

// placed takes note of what an exchange of sys, started at by, sends, and of how
// long it takes.
func (s *Sim) placed(x *exchangesAt, by site, sys *procs.System, start, end clock.Instant, demands []clock.Demand) {
	if x == nil {
		return
	}
	messages, sum := int64(0), units.Bytes(0)
	for i := range demands {
		n, b := demands[i].Volume(sys)
		messages += n
		sum += min(b, math.MaxInt64-sum)
	}
	s.clocks.Placed(x.number, by.seq, messages, sum, start, end)
}

// chargePipeline runs a pipeline, started at by, whose exchanges cost x.
func (s *Sim) chargePipeline(x *exchangesAt, by site, p *clock.Pipeline) {
	if x != nil {
		p.Exchange, p.By = x.number, by.seq
	}
	s.charge(x)
	s.clocks.Pipeline(p)
	s.discharge(x)
}

// addExchanges makes the records of all exchanges, by file, line, function and
// kind.
func (r *Result) addExchanges() {
	r.exchanges = make([]interval.Exchange, len(r.tree.exchanges))
	number := make(map[*exchangesAt]int, len(r.tree.exchanges))
	for i, x := range r.tree.exchanges {
		number[x] = i
		e := r.books.Exchanged(x.number)
		r.exchanges[i] = interval.Exchange{Kind: x.kind, Func: x.by.name, File: x.by.file, Line: x.by.line, Seq: cmp.Or(e.By, x.by.seq),
			Count: x.count, Messages: e.Messages, Bytes: e.Bytes}
	}
	for _, n := range r.tree.nodes {
		for _, l := range n.lines {
			if l.of == nil {
				continue
			}
			rec := &r.exchanges[number[l.of]]
			for i := range r.books.Classes() {
				c, _ := r.books.Counters(l.account, i)
				for k := range kindCharacteristics {
					x := &kindCharacteristics[k]
					*x.AtKind(&rec.KindTimes) += scaled(c[x.Counter.Of(rec.Kind)], float64(r.books.Class(i)))
				}
			}
		}
	}
	slices.SortStableFunc(r.exchanges, func(a, b interval.Exchange) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Func, b.Func), cmp.Compare(a.Kind, b.Kind))
	})
}

// Exchanges returns what exchanges cost by the places where they are started, by
// file, line, function and kind; none when lines were not wanted.
func (r *Result) Exchanges() []interval.Exchange { return r.exchanges }
