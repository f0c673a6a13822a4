package clock

import (
	"dvmtools/pkg/interval"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// brief is the engine by classes without most of the counters: it keeps of every
// account only what execution times and efficiencies are made of. A wait is then one
// addition where [classes] makes six. It takes no note of lines, and none for a
// timeline.
//
// Clocks and counters have the bits that classes gives them. For that the sums must
// be formed alike: work is put off, and booked, at the same questions.
type brief struct {
	partition
	*Network
	clock     []units.Seconds
	books     [][]figures // per account, nil until it is entered
	within    []Account   // for an account that is a part, 1 more than what it is a part of
	at        Account     // the one entered, or what it is a part of
	snapshots Snapshots
	pending   struct {
		sys  *procs.System
		work Amount
	}
	asked Counters   // room for Counters
	table *Timetable // takes note of what is asked, nil for none
}

// figures are what a class has in one account.
type figures struct {
	cpu, insuffUSR, sys, insuffSYS, io, communication units.Seconds
	member                                            bool
}

// NewBrief returns clocks like those of [New] whose books have of the counters only
// CPU times, their insufficient parallelism, input and output, and communication:
// what execution time and efficiency are made of, to the last bit.
func NewBrief(cfg Config) Clocks { return newBrief(cfg) }

func newBrief(cfg Config) *brief {
	e := &brief{Network: NewNetwork(cfg)}
	e.partition = newPartition(cfg.Machine, cfg.Grid, e.divide)
	e.clock = make([]units.Seconds, len(e.whole))
	return e
}

// divide follows a split of classes.
func (e *brief) divide(from []int) {
	e.clock = pick(e.clock, from)
	e.snapshots.split(from)
	for a, b := range e.books {
		if b != nil {
			e.books[a] = pick(b, from)
		}
	}
}

func (e *brief) Enter(a Account) {
	if int(a) < len(e.within) && e.within[a] > 0 {
		a = e.within[a] - 1
	}
	if a == e.at && int(a) < len(e.books) && e.books[a] != nil {
		return
	}
	if a != e.at {
		e.flush()
	}
	for len(e.books) <= int(a) {
		e.books = append(e.books, nil)
	}
	e.at = a
	if e.table != nil {
		e.table.note(move{kind: moveEnter, a: int32(a)})
	}
	if e.books[a] == nil {
		e.books[a] = make([]figures, len(e.clock))
	}
	if t := e.Creation(); t > 0 {
		book := e.books[a]
		for i := range e.clock {
			e.clock[i] += t
			book[i].sys += t
			book[i].insuffSYS += t
		}
	}
}

func (e *brief) Within(a, all Account) {
	for len(e.within) <= int(a) {
		e.within = append(e.within, 0)
	}
	e.within[a] = all + 1
}

func (e *brief) Join(s *procs.System) {
	e.flush()
	list := e.members(s)
	book := e.books[e.at]
	for _, i := range list {
		book[i].member = true
	}
}

// spend books w. Mostly it is of one or two kinds.
func (f *figures) spend(w *worked) {
	f.member = true
	if w.cpu != 0 {
		f.cpu += w.cpu
		f.insuffUSR += w.redundantCPU
	}
	if w.sys != 0 {
		f.sys += w.sys
		f.insuffSYS += w.redundantSYS
	}
	if w.io != 0 {
		f.io += w.io
	}
}

// work books a on the processors of class i to the account that is entered.
func (e *brief) work(i int, a *Amount) {
	w := a.on(e.power[i])
	e.books[e.at][i].spend(&w)
	e.clock[i] += w.took
	if e.table != nil {
		e.table.spend(i, a)
	}
}

func (e *brief) AddAll(s *procs.System, a Amount) {
	p := &e.pending
	if p.sys != s || p.work.UserRedundant != a.UserRedundant || p.work.SystemRedundant != a.SystemRedundant {
		e.flush()
		p.sys, p.work = s, a
		return
	}
	p.work.add(&a)
}

// addTimes is [AddTimes]: it forms the sums that AddAll would.
func (e *brief) addTimes(s *procs.System, redundant float64, times []units.Seconds, inside bool) {
	p := &e.pending
	var user, system units.Seconds
	goesOn := p.sys == s && p.work.UserRedundant == redundant && p.work.SystemRedundant == redundant
	if goesOn {
		user, system = p.work.User, p.work.System
	}
	if inside && len(times) > 0 {
		system += times[0]
		times = times[1:]
	}
	n := len(times) &^ 1
	for i := 0; i < n; i += 2 {
		user += times[i]
		system += times[i+1]
	}
	if n < len(times) {
		user += times[n]
	}
	switch {
	case goesOn:
		p.work.User, p.work.System = user, system
	case user != 0 || system != 0:
		e.flush()
		p.sys, p.work = s, Amount{User: user, System: system, UserRedundant: redundant, SystemRedundant: redundant}
	}
}

// flush books what AddAll put off.
func (e *brief) flush() {
	s := e.pending.sys
	if s == nil {
		return
	}
	e.pending.sys = nil
	list := e.members(s)
	a, book := &e.pending.work, e.books[e.at]
	if e.equal && len(list) == len(e.clock) {
		w := a.on(e.power[0])
		clock := e.clock[:len(book)]
		for i := range book {
			book[i].spend(&w)
			clock[i] += w.took
		}
		if e.table != nil {
			for i := range book {
				e.table.spend(i, a)
			}
		}
		return
	}
	var w worked
	power := 0.0
	for _, i := range list {
		if p := e.power[i]; p != power {
			w, power = a.on(p), p
		}
		book[i].spend(&w)
		e.clock[i] += w.took
		if e.table != nil {
			e.table.spend(i, a)
		}
	}
}

func (e *brief) AddBy(s *procs.System, labels [][]int64, amount func([]int64) Amount) {
	e.flush()
	e.each(s, labels, func(i int, l []int64) {
		a := amount(l)
		e.work(i, &a)
	})
}

func (e *brief) AddParts(s *procs.System, p *Parts, user, system units.Seconds) {
	e.flush()
	list := e.partsOf(s, p, user, system) // which may make more classes
	book := e.books[e.at]
	for _, c := range list.classes {
		w := &list.works[c.kind].worked
		book[c.class].spend(w)
		e.clock[c.class] += w.took
	}
	if e.table != nil {
		for _, c := range list.classes {
			e.table.spend(c.class, &list.works[c.kind].Amount)
		}
	}
}

func (e *brief) AddOne(rank int, a Amount) {
	e.flush()
	e.work(e.only(rank), &a)
}

func (e *brief) AfterLongest(start Instant, s *procs.System, labels [][]int64, work func([]int64) units.Seconds) Instant {
	e.flush()
	e.table.isOdd()
	var m units.Seconds
	e.each(s, labels, func(i int, l []int64) { m = max(m, work(l)/units.Seconds(e.power[i])) })
	return e.Instant(start.at + m)
}

func (e *brief) Latest(s *procs.System) units.Seconds {
	e.flush()
	return latest(e.clock, e.members(s))
}

// latest returns the latest clock of some classes.
func latest(clock []units.Seconds, classes []int) units.Seconds {
	var m units.Seconds
	for _, i := range classes {
		if t := clock[i]; t > m {
			m = t
		}
	}
	return m
}

func (e *brief) Sync(s *procs.System, _ interval.Kind) Instant {
	e.flush()
	list := e.members(s)
	m := latest(e.clock, list)
	book := e.books[e.at]
	for _, i := range list {
		f := &book[i]
		f.member = true
		if w := m - e.clock[i]; w > 0 {
			f.communication += w
			e.clock[i] = m
		}
	}
	t := e.Instant(m)
	if e.table != nil {
		e.table.wait(move{kind: moveSync, b: int32(t.number)}, list)
	}
	return t
}

func (e *brief) Delay(s *procs.System, _ interval.Kind, from, to Instant) {
	e.flush()
	d := to.at - from.at
	list := e.members(s)
	book := e.books[e.at]
	for _, i := range list {
		book[i].member = true
		book[i].communication += d
		e.clock[i] += d
	}
	if e.table != nil {
		e.table.wait(move{kind: moveDelay, a: int32(from.number), b: int32(to.number)}, list)
	}
}

func (e *brief) Late(s *procs.System, _ interval.Kind) (Instant, Snapshot) {
	e.table.isOdd()
	m := e.Latest(s)
	book := e.books[e.at]
	for _, i := range e.members(s) {
		book[i].member = true
	}
	return e.Instant(m), e.snapshots.Set(e.clock, m)
}

func (e *brief) Remember(s *procs.System) Snapshot {
	e.table.isOdd()
	return e.snapshots.Set(e.clock, e.Latest(s))
}

func (e *brief) Release(m Snapshot) { e.snapshots.Take(m) }

func (e *brief) Await(s *procs.System, _ interval.Kind, start, end Instant, snapshot Snapshot) {
	e.flush()
	list := e.members(s)
	book := e.books[e.at]
	own, _ := e.snapshots.Take(snapshot)
	if own != nil {
		e.table.isOdd()
	}
	for _, i := range list {
		f, from := &book[i], start.at
		f.member = true
		if own != nil {
			from = e.clock[i] // the start did not wait
		}
		e.clock[i] = awaitOne(e.clock[i], &f.communication, from, end.at)
	}
	if e.table != nil {
		e.table.wait(move{kind: moveAwait, a: int32(start.number), b: int32(end.number)}, list)
	}
}

func (e *brief) Variation(*procs.System, interval.Kind) { e.flush() }

func (e *brief) Pipeline(p *Pipeline) {
	e.flush()
	e.table.isOdd()
	ids, actors := e.actors(p, e.LabelsOf(p))
	own, _ := e.snapshots.Take(p.Since)
	setOut(ids, actors, e.clock, own)
	book := e.books[e.at]
	for n, o := range e.Schedule(p, actors) {
		i := ids[n]
		f := &book[i]
		f.member = true
		if o.Works == nil {
			continue
		}
		for w, amount := range o.Works {
			a := p.Work[w].Account
			if int(a) < len(e.within) && e.within[a] > 0 {
				a = e.within[a] - 1
			}
			took := amount.on(e.power[i])
			e.books[a][i].spend(&took)
		}
		f.communication += o.Transfer
		f.communication += o.Wait
		e.clock[i] = o.End
	}
}

func (e *brief) Classes() int {
	e.flush()
	return len(e.clock)
}

// Counters is part of [Books]. What it returns holds until it is called again.
func (e *brief) Counters(a Account, i int) (*Counters, bool) {
	c := &e.asked
	*c = Counters{}
	if int(a) >= len(e.books) || e.books[a] == nil {
		return c, false
	}
	f := &e.books[a][i]
	c[interval.BookedCPU], c[interval.BookedInsuffUSR] = f.cpu, f.insuffUSR
	c[interval.BookedSYS], c[interval.BookedInsuffSYS] = f.sys, f.insuffSYS
	c[interval.BookedIO], c[interval.BookedCommunication] = f.io, f.communication
	return c, f.member
}
