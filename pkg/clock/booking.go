package clock

import (
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

func (e *classes) Enter(a Account) {
	if a == e.at && int(a) < len(e.books) && e.books[a] != nil {
		return
	}
	all := e.partOf(a)
	if all != e.all {
		e.flush()
	}
	for len(e.books) <= int(max(a, all)) {
		e.books = append(e.books, nil)
	}
	e.at, e.all = a, all
	for _, x := range [...]Account{a, all} {
		if e.books[x] == nil {
			e.books[x] = make(book, len(e.clock))
		}
	}
	if t := e.Creation(); t > 0 {
		book, part := e.entered()
		for i := range e.clock {
			if e.timeline != nil {
				e.timeline.add(e, i, PieceSYS, 0, all, e.clock[i], e.clock[i]+t)
			}
			e.clock[i] += t
			book[i].Create(t)
			if part != nil {
				part[i].Create(t)
			}
		}
	}
}

func (e *classes) Within(a, all Account) {
	for len(e.within) <= int(a) {
		e.within, e.common = append(e.within, 0), append(e.common, common{})
	}
	e.within[a] = all + 1
}

// partOf returns what a is a part of, a itself when it is none.
func (e *classes) partOf(a Account) Account {
	if int(a) < len(e.within) && e.within[a] > 0 {
		return e.within[a] - 1
	}
	return a
}

// entered returns the book of the account that was entered or, when that is a part
// of another, the book of that one and its own. They hold until classes are split.
func (e *classes) entered() (all, part book) {
	if e.at != e.all {
		part = e.books[e.at]
	}
	return e.books[e.all], part
}

func (e *classes) Join(s *procs.System) {
	e.flush()
	list := e.members(s)
	book, part := e.entered()
	for _, i := range list {
		book[i].member = true
		if part != nil {
			part[i].member = true
		}
	}
}

// work books a on the processors of class i to the account that is entered.
func (e *classes) work(i int, a *Amount) {
	w := a.on(e.power[i])
	e.note(i, a)
	book, part := e.entered()
	book[i].spend(&w)
	if part != nil {
		part[i].spend(&w)
	}
	e.clock[i] += w.took
}

// note takes note of work that is about to be booked.
func (e *classes) note(i int, a *Amount) {
	if e.timeline != nil {
		e.timeline.work(e, i, e.all, e.clock[i], *a)
	}
}

// AddAll puts off what all processors of s do alike: programs make many
// such calls in a row, and the clocks need not be touched before one of them
// is looked at.
func (e *classes) AddAll(s *procs.System, a Amount) {
	p := &e.pendingWork
	if p.sys != s || p.work.UserRedundant != a.UserRedundant || p.work.SystemRedundant != a.SystemRedundant {
		e.flush()
		p.sys, p.work = s, a
		if e.timeline != nil {
			p.seq = e.timeline.seq
		}
	} else {
		p.work.add(&a)
	}
	if e.at == e.all {
		return
	}
	if e.equal && e.hasAll(s) {
		w, c := a.on(e.power[0]), &e.common[e.at]
		c.some = true
		c.spend(&w)
		return
	}
	if n := len(p.of); n > 0 && p.of[n-1].account == e.at {
		p.of[n-1].work.add(&a)
	} else {
		p.of = append(p.of, share{e.at, a})
	}
}

// addTimes is [AddTimes]: it forms the sums that AddAll would. It returns false, and does
// nothing, where these are not put off already, or are those of a line that not all
// classes have alike.
func (e *classes) addTimes(s *procs.System, redundant float64, times []units.Seconds, inside bool) bool {
	p := &e.pendingWork
	if p.sys != s || p.work.UserRedundant != redundant || p.work.SystemRedundant != redundant || e.at != e.all && !(e.equal && e.hasAll(s)) {
		return false
	}
	user, system := p.work.User, p.work.System
	var own Counters // of the line
	line, power := &own, units.Seconds(1)
	if e.at != e.all {
		c := &e.common[e.at]
		line, power = &c.Counters, units.Seconds(e.power[0])
		c.some = c.some || slices.ContainsFunc(times, func(t units.Seconds) bool { return t != 0 })
	}
	cpu, sys := line[interval.BookedCPU], line[interval.BookedSYS]
	redundantCPU, redundantSYS := line[interval.BookedInsuffUSR], line[interval.BookedInsuffSYS]
	for _, t := range times {
		part := t / power
		if inside {
			system += t
			sys += part
			redundantSYS += scaled(part, redundant)
		} else {
			user += t
			cpu += part
			redundantCPU += scaled(part, redundant)
		}
		inside = !inside
	}
	p.work.User, p.work.System = user, system
	line[interval.BookedCPU], line[interval.BookedSYS] = cpu, sys
	line[interval.BookedInsuffUSR], line[interval.BookedInsuffSYS] = redundantCPU, redundantSYS
	return true
}

// flush books what AddAll put off.
func (e *classes) flush() {
	s := e.pendingWork.sys
	if s == nil {
		return
	}
	e.pendingWork.sys = nil
	list := e.members(s)
	if e.timeline != nil {
		defer e.timeline.At(e.timeline.seq)
		e.timeline.At(e.pendingWork.seq)
	}
	a, book := &e.pendingWork.work, e.books[e.all]
	var w worked
	power := 0.0
	for _, i := range list {
		if p := e.power[i]; p != power {
			w, power = a.on(p), p
		}
		e.note(i, a)
		book[i].spend(&w)
		e.clock[i] += w.took
	}
	for n := range e.pendingWork.of {
		x := &e.pendingWork.of[n]
		power, book = 0, e.books[x.account]
		for _, i := range list {
			if p := e.power[i]; p != power {
				w, power = x.work.on(p), p
			}
			book[i].spend(&w)
		}
	}
	e.pendingWork.of = e.pendingWork.of[:0]
}

func (e *classes) AddBy(s *procs.System, labels [][]int64, amount func([]int64) Amount) {
	e.flush()
	e.each(s, labels, func(i int, l []int64) {
		a := amount(l)
		e.work(i, &a)
	})
}

func (e *classes) AddParts(s *procs.System, p *Parts, user, system units.Seconds) {
	e.flush()
	list := e.partsOf(s, p, user, system) // which may make more classes
	book, part := e.entered()
	for _, c := range list.classes {
		w := &list.works[c.kind]
		e.note(c.class, &w.Amount)
		book[c.class].spend(&w.worked)
		if part != nil {
			part[c.class].spend(&w.worked)
		}
		e.clock[c.class] += w.took
	}
}

func (e *classes) AfterLongest(start Instant, s *procs.System, labels [][]int64, work func([]int64) units.Seconds) Instant {
	e.flush()
	var m units.Seconds
	e.each(s, labels, func(i int, l []int64) { m = max(m, work(l)/units.Seconds(e.power[i])) })
	return e.Instant(start.at + m)
}

func (e *classes) Pipeline(p *Pipeline) {
	e.flush()
	ids, actors := e.actors(p, e.LabelsOf(p))
	own, _ := e.snapshots.Take(p.Since)
	setOut(ids, actors, e.clock, own)
	book, part := e.entered()
	for n, o := range e.Schedule(p, actors) {
		i := ids[n]
		book[i].member = true
		if part != nil {
			part[i].member = true
		}
		if o.Works == nil {
			continue
		}
		for w, amount := range o.Works {
			a := p.Work[w].Account
			took := amount.on(e.power[i])
			e.books[a][i].spend(&took)
			if all := e.partOf(a); all != a {
				e.books[all][i].spend(&took)
			}
		}
		if e.timeline != nil {
			e.timeline.stage(e, i, p, e.clock[i], &o)
		}
		book[i].Stage(&o)
		if part != nil {
			part[i].Stage(&o)
		}
		e.clock[i] = o.End
	}
}

func (e *classes) AddOne(rank int, a Amount) {
	e.flush()
	e.work(e.only(rank), &a)
}

func (e *classes) Latest(s *procs.System) units.Seconds {
	e.flush()
	var m units.Seconds
	for _, i := range e.members(s) {
		if t := e.clock[i]; t > m {
			m = t
		}
	}
	return m
}

func (e *classes) Sync(s *procs.System, k interval.Kind) Instant {
	m := e.Latest(s)
	book, part := e.entered()
	for _, i := range e.members(s) {
		w := m - e.clock[i]
		if w > 0 && e.timeline != nil {
			e.timeline.await(e, i, k, e.clock[i], m, m)
		}
		book[i].wait(k, w)
		if part != nil {
			part[i].wait(k, w)
		}
		e.clock[i] = m
	}
	return e.Instant(m)
}

func (e *classes) Delay(s *procs.System, k interval.Kind, from, to Instant) {
	e.flush()
	d := to.at - from.at
	list := e.members(s)
	book, part := e.entered()
	for _, i := range list {
		if e.timeline != nil {
			e.timeline.await(e, i, k, e.clock[i], e.clock[i], e.clock[i]+d)
		}
		book[i].transfer(k, d)
		if part != nil {
			part[i].transfer(k, d)
		}
		e.clock[i] += d
	}
}

func (e *classes) Late(s *procs.System, k interval.Kind) (Instant, Snapshot) {
	m := e.Latest(s)
	book, part := e.entered()
	for _, i := range e.members(s) {
		book[i].late(k, m-e.clock[i])
		if part != nil {
			part[i].late(k, m-e.clock[i])
		}
	}
	return e.Instant(m), e.snapshots.Set(e.clock, m)
}

func (e *classes) Remember(s *procs.System) Snapshot {
	return e.snapshots.Set(e.clock, e.Latest(s))
}

func (e *classes) Release(m Snapshot) { e.snapshots.Take(m) }

func (e *classes) Await(s *procs.System, k interval.Kind, start, end Instant, snapshot Snapshot) {
	e.flush()
	list := e.members(s)
	book, part := e.entered()
	own, latest := e.snapshots.Take(snapshot)
	for _, i := range list {
		b := &book[i]
		from, waited := e.clock[i], b.Counters[interval.BookedRealSynch]
		free, late := own != nil, units.Seconds(0)
		if free {
			late = latest - own[i]
		}
		e.clock[i] = b.await(k, from, start.at, end.at, free, late)
		if part != nil {
			part[i].await(k, from, start.at, end.at, free, late)
		}
		if e.timeline != nil {
			e.timeline.await(e, i, k, from, from+b.Counters[interval.BookedRealSynch]-waited, e.clock[i])
		}
	}
}

func (e *classes) Variation(s *procs.System, k interval.Kind) {
	m := e.Latest(s)
	book, part := e.entered()
	for _, i := range e.members(s) {
		v := m - e.clock[i]
		if v <= 0 {
			continue
		}
		book[i].Spread(k, v)
		if part != nil {
			part[i].Spread(k, v)
		}
	}
}

func (e *classes) Classes() int {
	e.flush()
	return len(e.clock)
}

func (e *classes) Counters(a Account, i int) (*Counters, bool) {
	if int(a) >= len(e.books) || e.books[a] == nil {
		return &Counters{}, false
	}
	b := &e.books[a][i]
	if int(a) < len(e.common) && e.common[a].some {
		sum := b.Counters
		sum.Add(&e.common[a].Counters)
		return &sum, true
	}
	return &b.Counters, b.member
}
