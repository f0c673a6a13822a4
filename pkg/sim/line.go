package sim

import (
	"cmp"
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
)

// lineKey identifies a line among those of an interval. The bodies of loops
// are apart from the calls on their first lines.
type lineKey struct {
	file string
	line int
	body bool
	// of tells apart what exchanges cost at the line.
	of *exchangesAt
}

// lineAccount is what is booked to one line in an interval
// (docs/model.md#lines). That of a loop's body is booked under the line of its
// first dopl_ and belongs to that of its endpl_, which is known later.
type lineAccount struct {
	lineKey
	account clock.Account
	// from is the first line of the stretch, last the line that ends it.
	from, last int
	funcs      []*interval.Function
	starts     []*exchangesAt // those that the calls of the line start
	ops        interval.Operations
	// under is the account of the line that this one is a part of, nil for that
	// itself.
	under *lineAccount
}

// lineBook finds the accounts of lines while the calls are simulated.
type lineBook struct {
	// at is the line of the call at hand, before that of the call before.
	at     *lineAccount
	in     *node // the interval of at
	before lineKey
	// call is the call at hand, known the exchanges of all calls.
	call  site
	known map[exchangeKey]*exchangesAt
	// last is what was charged last, for in and at.
	last struct {
		of    *exchangesAt
		under *lineAccount
		in    *node
		l     *lineAccount
	}
	// bodies are those of the open loop, body the last one used.
	bodies []*lineAccount
}

// lineOf returns the account of a line in n, a new one when there is none.
func (s *Sim) lineOf(n *node, k lineKey) *lineAccount {
	l := n.byLine[k]
	if l == nil {
		l = &lineAccount{lineKey: k, account: s.tree.newAccount(n), from: k.line, last: k.line}
		s.clocks.Within(l.account, n.account)
		if n.byLine == nil {
			n.byLine = map[lineKey]*lineAccount{}
		}
		n.byLine[k] = l
		n.lines = append(n.lines, l)
	}
	return l
}

// atLine makes the line of c what everything is booked to; it does nothing
// when lines are not wanted.
func (s *Sim) atLine(c *call.Call) {
	if s.lines == nil {
		return
	}
	s.lines.call = callSite(c)
	l := s.reach(lineKey{file: c.File, line: c.Line})
	i := slices.IndexFunc(l.funcs, func(f *interval.Function) bool { return f.Func == c.Func })
	if i < 0 {
		i = len(l.funcs)
		l.funcs = append(l.funcs, &interval.Function{Func: c.Func})
	}
	s.count(&l.funcs[i].Calls)
	if c.Class() == libdvm.EndLoopNest {
		for _, b := range s.lines.bodies {
			if b.file == c.File && b.line <= c.Line {
				b.last = max(b.last, c.Line)
			}
		}
		s.lines.bodies = s.lines.bodies[:0]
	}
}

// reach makes a line of the current interval what everything is booked to.
func (s *Sim) reach(k lineKey) *lineAccount {
	b := s.lines
	l := b.at
	if l == nil || b.in != s.tree.cur || l.lineKey != k {
		l = s.lineOf(s.tree.cur, k)
		b.in = s.tree.cur
	}
	if b.before.file == k.file && b.before.line < l.from {
		l.from = b.before.line
	}
	b.at, b.before = l, k
	s.clocks.Enter(l.account)
	return l
}

// account returns what is booked to: the interval or, when lines are wanted,
// the line of the call at hand.
func (s *Sim) account() clock.Account {
	switch {
	case s.lines == nil || s.lines.at == nil:
		return s.tree.cur.account
	case s.loop.inBody:
		return s.body().account
	}
	return s.lines.at.account
}

// enterBody makes the body of the open loop what is booked to until
// leaveBody, when lines are wanted.
func (s *Sim) enterBody() {
	if s.lines != nil {
		s.loop.inBody = true
		s.clocks.Enter(s.body().account)
	}
}

// leaveBody books to the line of the call at hand again.
func (s *Sim) leaveBody() {
	if s.lines != nil {
		s.loop.inBody = false
		s.clocks.Enter(s.lines.at.account)
	}
}

// body returns the account of the open loop's body in the current interval.
func (s *Sim) body() *lineAccount {
	l := s.lineOf(s.tree.cur, s.loop.first)
	if !slices.Contains(s.lines.bodies, l) {
		s.lines.bodies = append(s.lines.bodies, l)
	}
	return l
}

// record returns the account as a record without times.
func (l *lineAccount) record() interval.Line {
	if l.under != nil {
		return interval.Line{File: l.file, Line: l.under.last, FromLine: l.under.from}
	}
	rec := interval.Line{File: l.file, Line: l.last, FromLine: l.from, Operations: l.ops}
	for _, f := range l.funcs {
		rec.Functions = append(rec.Functions, *f)
	}
	return rec
}

// addLines adds what was booked to the lines of interval n to r.lines[at].
func (r *Result) addLines(n *node, at int) {
	for _, l := range n.lines {
		rec := l.record()
		used := len(l.funcs) > 0
		for i := range r.books.Classes() {
			c, in := r.books.Counters(l.account, i)
			t := timesOf(c, 0, 0)
			addTimes(&rec.Times, &t, float64(r.books.Class(i)))
			used = used || in || c.Execution() > 0
		}
		if !used {
			continue
		}
		r.lines[at] = append(r.lines[at], rec)
	}
}

// settleLines makes one record of each line of an interval, by file and line,
// and takes out what does not add up.
func (r *Result) settleLines() {
	for i, list := range r.lines {
		slices.SortStableFunc(list, func(a, b interval.Line) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
		})
		n := 0
		for k := range list {
			if n > 0 && list[n-1].File == list[k].File && list[n-1].Line == list[k].Line {
				list[n-1].Add(&list[k])
				continue
			}
			list[n] = list[k]
			n++
		}
		list = list[:n]
		for k := range list {
			l := &list[k]
			l.Interval, l.Efficiency = r.nodes[i].ID, 0
			for c := range characteristics {
				if at := characteristics[c].At(&l.Times); at != nil && !characteristics[c].Inner {
					*at = 0
				}
			}
		}
		r.lines[i] = list
	}
}

// Lines returns what passed at the lines of interval i (counted from 0), by
// file and line; nil when lines were not wanted.
func (r *Result) Lines(i int) []interval.Line {
	if r.lines == nil {
		return nil
	}
	return r.lines[i]
}
