package clock

import (
	"slices"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Run returns what brief clocks of cfg give for the questions of the timetable, which
// must suit its machine. The error is that of [Clocks.Err].
func (t *Timetable) Run(cfg Config) (Books, error) {
	r := &running{Timetable: t, power: t.on(cfg.Machine, cfg.Grid), net: NewNetwork(cfg), instants: make([]units.Seconds, t.instants+1)}
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
	n := len(t.first)
	r.clock, r.communication = make([]units.Seconds, n), make([]units.Seconds, n*len(t.books))
	r.run()
	e := &brief{partition: t.partition, Network: r.net, clock: make([]units.Seconds, len(t.like)), books: make([][]figures, len(t.books))}
	for a, b := range r.power.books {
		if b == nil {
			continue
		}
		e.books[a] = make([]figures, len(t.like))
		for i, c := range t.like {
			e.books[a][i] = b[c]
			e.books[a][i].communication = r.communication[a*n+int(c)]
		}
	}
	return e, r.net.Err()
}

// on returns the work on processors of the powers of a machine.
func (t *Timetable) on(m *machine.Machine, grid []int) *power {
	each := machine.Powers(m.PowerRuns(int64(size(grid))))
	of := make([]float64, len(t.first))
	for i, c := range t.first {
		of[i] = each[t.partition.firstRank(int(c))]
	}
	t.met.Lock()
	defer t.met.Unlock()
	for _, p := range t.met.list {
		if slices.Equal(p.of, of) {
			return p
		}
	}
	if len(t.met.list) == maxPowers {
		t.met.list = slices.Delete(t.met.list, 0, 1)
	}
	p := t.work(of)
	t.met.list = append(t.met.list, p)
	return p
}

// work works out what work takes on processors of given powers, and books it.
func (t *Timetable) work(of []float64) *power {
	p := &power{of: of, spent: make([]units.Seconds, len(t.works)), books: make([][]figures, len(t.books))}
	for a := range t.books {
		p.books[a] = slices.Clone(t.books[a])
	}
	var book []figures
	var works []worked // of a step
	for i := range t.moves {
		m := &t.moves[i]
		switch m.kind {
		case moveEnter:
			book = p.books[m.a]
		case moveAll, moveEach, moveSome:
			works = works[:0]
			for k := m.a; k < m.b; k++ {
				w := &t.works[k]
				works = append(works, w.on(of[w.class]))
				p.spent[k] = works[k-m.a].took
			}
			s := &t.shapes[m.of]
			for n, c := range s.classes {
				book[c].spend(&works[s.works[n]])
			}
		}
	}
	return p
}

// running is a timetable that is being run.
type running struct {
	*Timetable
	power    *power
	net      *Network
	instants []units.Seconds
	demands  [][]Demand
	clock    []units.Seconds
	// communication is that of all classes, account by account.
	communication []units.Seconds
}

func (r *running) run() {
	clock, spent := r.clock, r.power.spent
	waits := r.communication[:0] // of the account that is entered
	for i := range r.moves {
		m := &r.moves[i]
		switch m.kind {
		case moveAll:
			take := spent[m.a]
			for c := range clock {
				clock[c] += take
			}
		case moveEach:
			for c, k := range r.shapes[m.of].works {
				clock[c] += spent[m.a+k]
			}
		case moveSome:
			s := &r.shapes[m.of]
			for n, c := range s.classes {
				clock[c] += spent[m.a+s.works[n]]
			}
		case moveEnter:
			waits = r.communication[int(m.a)*len(clock):][:len(clock)]
		case moveSync:
			r.instants[m.b] = meet(clock, waits, r.waiting(m))
		case moveExchange:
			at := Instant{at: r.instants[m.a]}
			r.instants[m.b] = r.net.Exchange(m.system, at, r.demands[m.of]...).at
		case moveDelay:
			delay(clock, waits, r.waiting(m), r.instants[m.b]-r.instants[m.a])
		case moveAwait:
			await(clock, waits, r.waiting(m), r.instants[m.a], r.instants[m.b])
		case moveForget:
			r.net.Forget(Instant{at: r.instants[m.a]})
		}
	}
}

// waiting returns the classes that wait in a step, nil for all.
func (t *Timetable) waiting(m *move) []int32 {
	if m.of == 0 {
		return nil
	}
	return t.lists[m.of-1]
}

// meet is [Clocks.Sync] of some classes, all for nil.
func meet(clock, waits []units.Seconds, classes []int32) units.Seconds {
	if classes != nil {
		var m units.Seconds
		for _, c := range classes {
			m = max(m, clock[c])
		}
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
func delay(clock, waits []units.Seconds, classes []int32, d units.Seconds) {
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
func await(clock, waits []units.Seconds, classes []int32, start, end units.Seconds) {
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
