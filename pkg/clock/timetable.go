package clock

import (
	"slices"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// A Timetable is what brief clocks were asked, for machines whose processors have the
// powers of the one that it was made on. What work takes and where it is booked does
// not depend on the network, nor do the classes of processors: they are worked out
// once. Left are clocks, exchanges and waits. A timetable is not changed, so that it
// can be run on several machines at once.
type Timetable struct {
	made  *brief // what was booked is right but for communication
	moves []move
	// spent are times that work takes, by class or of some classes, of the numbers
	// that are at the same place.
	spent    []units.Seconds
	by       []int32
	instants int64
	loads    []comm.Traffic
	demands  []demands
	lists    [][]int // of classes that wait
	// odd says that something was asked that depends on the network in another way.
	odd    bool
	number map[*comm.Load]int
}

// move is a step of a timetable.
type move struct {
	kind moveKind
	// take is what work of all classes takes.
	take units.Seconds
	// classes are those that wait, nil for all.
	classes []int
	system  *procs.System
	// a and b are instants, places of spent, an account, or a place of demands.
	a, b, demands int32
}

type moveKind uint8

const (
	moveWork  moveKind = iota // all classes spend take
	moveEach                  // class i spends spent[a+i]
	moveSome                  // class by[i] spends spent[i], i from a to b
	moveEnter                 // account a
	moveSync                  // gives instant b
	moveExchange
	moveDelay // from instant a to b
	moveAwait
	moveForget
)

// demands are what an exchange demands, with the numbers of loads.
type demands struct {
	list  []Demand
	loads []int
}

// NewTimetable returns the timetable of the questions that ask asks. The grid and the
// options of cfg hold for all machines that it is run on. It returns nil when
// something is asked whose work depends on the network: a pipeline, an operation that
// starts without waiting, or links that take time to set up.
func NewTimetable(cfg Config, ask func(Clocks) error) *Timetable {
	// The classes are those of the end from the beginning.
	first := newBrief(cfg)
	if ask(first) != nil {
		return nil
	}
	first.Classes()
	e := newBrief(cfg)
	e.partition = first.partition
	e.partition.follow = func([]int) { panic("clock: internal error: classes are split that were known") }
	e.clock = make([]units.Seconds, len(e.whole))
	t := &Timetable{made: e, odd: e.creation > 0, number: map[*comm.Load]int{}}
	e.table = t
	if ask(e) != nil || t.odd {
		return nil
	}
	e.Classes()
	t.instants, t.number = e.instants, nil
	t.join()
	return t
}

// Len returns the number of steps.
func (t *Timetable) Len() int { return len(t.moves) }

// spend takes note of work of a class; nothing is noted when there is no timetable.
func (t *Timetable) spend(class int, took units.Seconds) {
	n := len(t.by)
	if last := len(t.moves) - 1; last < 0 || t.moves[last].kind != moveSome || n == 0 || int(t.by[n-1]) >= class {
		t.moves = append(t.moves, move{kind: moveSome, a: int32(n), b: int32(n)})
	}
	t.spent, t.by = append(t.spent, took), append(t.by, int32(class))
	t.moves[len(t.moves)-1].b++
}

// join makes steps of work that all classes do what they are.
func (t *Timetable) join() {
	for i := range t.moves {
		m := &t.moves[i]
		if m.kind != moveSome || int(m.b-m.a) < len(t.made.whole) {
			continue
		}
		m.kind = moveEach
		list := t.spent[m.a:m.b]
		if !slices.ContainsFunc(list, func(s units.Seconds) bool { return s != list[0] }) {
			m.kind, m.take = moveWork, list[0]
		}
	}
}

// note takes note of a step that is no work; classes wait in it, if any do.
func (t *Timetable) note(m move, classes []int) {
	if len(classes) < len(t.made.whole) {
		i := slices.IndexFunc(t.lists, func(l []int) bool { return slices.Equal(l, classes) })
		if i < 0 {
			i = len(t.lists)
			t.lists = append(t.lists, classes)
		}
		m.classes = t.lists[i]
	}
	t.moves = append(t.moves, m)
}

// isOdd says that the network decides about what is asked.
func (t *Timetable) isOdd() {
	if t != nil {
		t.odd = true
	}
}

// exchange takes note of an exchange.
func (t *Timetable) exchange(s *procs.System, start, end Instant, list []Demand) {
	i := slices.IndexFunc(t.demands, func(d demands) bool { return slices.Equal(d.list, list) })
	if i < 0 {
		d := demands{list: slices.Clone(list), loads: make([]int, len(list))}
		for k := range list {
			if list[k].Load != nil {
				d.loads[k] = t.number[list[k].Load]
			}
		}
		i = len(t.demands)
		t.demands = append(t.demands, d)
	}
	t.note(move{kind: moveExchange, system: s, a: int32(start.number), b: int32(end.number), demands: int32(i)}, t.made.whole)
}

// load takes note of messages that are prepared.
func (t *Timetable) load(l *comm.Load, messages comm.Traffic) {
	if _, ok := t.number[l]; !ok {
		t.number[l] = len(t.loads)
		t.loads = append(t.loads, messages)
	}
}

// Run returns what brief clocks of cfg give for the questions of the timetable. The
// error is that of [Clocks.Err]. The powers of the processors must be those of the
// machine that the timetable was made on.
func (t *Timetable) Run(cfg Config) (Books, error) {
	r := &running{Timetable: t, net: NewNetwork(cfg), instants: make([]units.Seconds, t.instants+1)}
	loads := make([]*comm.Load, len(t.loads))
	for i, l := range t.loads {
		loads[i] = r.net.Load(l)
	}
	r.demands = make([][]Demand, len(t.demands))
	for i, d := range t.demands {
		r.demands[i] = slices.Clone(d.list)
		for k := range d.list {
			if d.list[k].Load != nil {
				r.demands[i][k].Load = loads[d.loads[k]]
			}
		}
	}
	n := len(t.made.whole)
	r.clock, r.communication = make([]units.Seconds, n), make([]units.Seconds, n*len(t.made.books))
	r.run()
	e := &brief{partition: t.made.partition, Network: r.net, clock: r.clock, books: make([][]figures, len(t.made.books))}
	for a, b := range t.made.books {
		if b == nil {
			continue
		}
		e.books[a] = slices.Clone(b)
		for i := range b {
			e.books[a][i].communication = r.communication[a*n+i]
		}
	}
	return e, r.net.Err()
}

// running is a timetable that is being run.
type running struct {
	*Timetable
	net      *Network
	instants []units.Seconds
	demands  [][]Demand
	clock    []units.Seconds
	// communication is that of all classes, account by account.
	communication []units.Seconds
}

func (r *running) run() {
	clock := r.clock
	waits := r.communication[:0] // of the account that is entered
	for i := range r.moves {
		m := &r.moves[i]
		switch m.kind {
		case moveWork:
			for c := range clock {
				clock[c] += m.take
			}
		case moveEach:
			spent := r.spent[m.a:m.b]
			for c := range clock {
				clock[c] += spent[c]
			}
		case moveSome:
			for k := m.a; k < m.b; k++ {
				clock[r.by[k]] += r.spent[k]
			}
		case moveEnter:
			waits = r.communication[int(m.a)*len(clock):][:len(clock)]
		case moveSync:
			r.instants[m.b] = sync(clock, waits, m.classes)
		case moveExchange:
			at := Instant{at: r.instants[m.a]}
			r.instants[m.b] = r.net.Exchange(m.system, at, r.demands[m.demands]...).at
		case moveDelay:
			delay(clock, waits, m.classes, r.instants[m.b]-r.instants[m.a])
		case moveAwait:
			await(clock, waits, m.classes, r.instants[m.a], r.instants[m.b])
		case moveForget:
			r.net.Forget(Instant{at: r.instants[m.a]})
		}
	}
}

// sync is [Clocks.Sync] of some classes, all for nil.
func sync(clock, waits []units.Seconds, classes []int) units.Seconds {
	if classes != nil {
		m := latest(clock, classes)
		for _, c := range classes {
			if w := m - clock[c]; w > 0 {
				waits[c] += w
				clock[c] = m
			}
		}
		return m
	}
	var m units.Seconds
	for _, t := range clock {
		if t > m {
			m = t
		}
	}
	for c := range waits {
		if w := m - clock[c]; w > 0 {
			waits[c] += w
			clock[c] = m
		}
	}
	return m
}

// delay is [Clocks.Delay].
func delay(clock, waits []units.Seconds, classes []int, d units.Seconds) {
	if classes == nil {
		for c := range waits {
			waits[c] += d
			clock[c] += d
		}
		return
	}
	for _, c := range classes {
		waits[c] += d
		clock[c] += d
	}
}

// await is [Clocks.Await] of an operation whose start waited.
func await(clock, waits []units.Seconds, classes []int, start, end units.Seconds) {
	if classes == nil {
		for c := range waits {
			clock[c] = awaitOne(clock[c], &waits[c], start, end)
		}
		return
	}
	for _, c := range classes {
		clock[c] = awaitOne(clock[c], &waits[c], start, end)
	}
}

// awaitOne returns the clock of a processor that stands at t when it has waited for
// an exchange; a start that waited is made up for apart from the exchange itself.
func awaitOne(t units.Seconds, wait *units.Seconds, start, end units.Seconds) units.Seconds {
	if t < start {
		*wait += start - t
		t = start
	}
	if t < end {
		*wait += end - t
		t = end
	}
	return t
}

// Load is part of [Clocks].
func (e *brief) Load(t comm.Traffic) *comm.Load {
	l := e.Network.Load(t)
	if e.table != nil {
		e.table.load(l, t)
	}
	return l
}

// Exchange is part of [Clocks].
func (e *brief) Exchange(s *procs.System, start Instant, demands ...Demand) Instant {
	end := e.Network.Exchange(s, start, demands...)
	if e.table != nil {
		e.table.exchange(s, start, end, demands)
	}
	return end
}

// Forget is part of [Clocks].
func (e *brief) Forget(t Instant) {
	e.Network.Forget(t)
	if e.table != nil {
		e.table.note(move{kind: moveForget, a: int32(t.number)}, e.whole)
	}
}
