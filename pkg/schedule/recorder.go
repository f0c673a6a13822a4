package schedule

import (
	"slices"

	"dvmtools/pkg/clock"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// A Recorder is clocks that write down what they are asked while they answer.
type Recorder struct {
	clock.Clocks
	schedule Schedule
	// loads are the numbers of the loads, counted by asked: a load that is asked
	// for again may be the same one, and gets its last number.
	loads map[*comm.Load]int
	asked int
	last  *all // the last step, when it is work of all
	// parts are the accounts that are parts of others, inPart says that the one that
	// was entered is.
	parts  map[clock.Account]bool
	inPart bool
}

// NewRecorder returns a recorder whose answers are those of [clock.New].
func NewRecorder(cfg clock.Config) *Recorder {
	return &Recorder{Clocks: clock.New(cfg), loads: map[*comm.Load]int{}, parts: map[clock.Account]bool{}}
}

// Schedule returns what was recorded; nothing may be asked any more.
func (r *Recorder) Schedule() *Schedule { return &r.schedule }

func (r *Recorder) note(step func(*player)) {
	r.last = nil
	r.schedule.steps = append(r.schedule.steps, step)
}

// made takes note of an instant of the recording.
func (r *Recorder) made(t clock.Instant) (number int64) {
	r.schedule.instants = max(r.schedule.instants, t.Number())
	return t.Number()
}

// Enter is part of [clock.Clocks].
func (r *Recorder) Enter(a clock.Account) {
	r.inPart = r.parts[a]
	r.note(func(p *player) { p.Enter(a) })
	r.Clocks.Enter(a)
}

// Within is part of [clock.Clocks].
func (r *Recorder) Within(a, all clock.Account) {
	r.parts[a] = true
	r.note(func(p *player) { p.Within(a, all) })
	r.Clocks.Within(a, all)
}

// Join is part of [clock.Clocks].
func (r *Recorder) Join(s *procs.System) {
	r.note(func(p *player) { p.Join(s) })
	r.Clocks.Join(s)
}

// AddAll is part of [clock.Clocks].
func (r *Recorder) AddAll(s *procs.System, w clock.Amount) {
	if !r.last.add(s, w, r.inPart) {
		a := &all{s, w}
		r.note(func(p *player) { p.AddAll(a.system, a.work) })
		r.last = a
	}
	r.Clocks.AddAll(s, w)
}

// AddBy is part of [clock.Clocks].
func (r *Recorder) AddBy(s *procs.System, labels [][]int64, work func([]int64) clock.Amount) {
	r.note(func(p *player) { p.AddBy(s, labels, work) })
	r.Clocks.AddBy(s, labels, work)
}

// AddParts is part of [clock.Clocks].
func (r *Recorder) AddParts(s *procs.System, parts *clock.Parts, user, system units.Seconds) {
	r.note(func(p *player) { p.AddParts(s, parts, user, system) })
	r.Clocks.AddParts(s, parts, user, system)
}

// AddOne is part of [clock.Clocks].
func (r *Recorder) AddOne(rank int, w clock.Amount) {
	r.note(func(p *player) { p.AddOne(rank, w) })
	r.Clocks.AddOne(rank, w)
}

// Sync is part of [clock.Clocks].
func (r *Recorder) Sync(s *procs.System, k interval.Kind) clock.Instant {
	t := r.Clocks.Sync(s, k)
	n := r.made(t)
	r.note(func(p *player) { p.instants[n] = p.Sync(s, k) })
	return t
}

// Late is part of [clock.Clocks].
func (r *Recorder) Late(s *procs.System, k interval.Kind) (clock.Instant, clock.Snapshot) {
	t, m := r.Clocks.Late(s, k)
	n := r.made(t)
	r.note(func(p *player) { p.instants[n], p.snapshots[m] = p.Late(s, k) })
	return t, m
}

// Remember is part of [clock.Clocks].
func (r *Recorder) Remember(s *procs.System) clock.Snapshot {
	m := r.Clocks.Remember(s)
	r.note(func(p *player) { p.snapshots[m] = p.Remember(s) })
	return m
}

// Release is part of [clock.Clocks].
func (r *Recorder) Release(m clock.Snapshot) {
	r.note(func(p *player) { p.Release(p.snapshots[m]) })
	r.Clocks.Release(m)
}

// AfterLongest is part of [clock.Clocks].
func (r *Recorder) AfterLongest(start clock.Instant, s *procs.System, labels [][]int64, work func([]int64) units.Seconds) clock.Instant {
	from, t := start.Number(), r.Clocks.AfterLongest(start, s, labels, work)
	n := r.made(t)
	r.note(func(p *player) { p.instants[n] = p.AfterLongest(p.instants[from], s, labels, work) })
	return t
}

// Load is part of [clock.Clocks].
func (r *Recorder) Load(t comm.Traffic) *comm.Load {
	t = remember(t)
	l := r.Clocks.Load(t)
	r.loads[l] = r.asked
	r.asked++
	r.note(func(p *player) { p.loads = append(p.loads, p.Load(t)) })
	return l
}

// Exchange is part of [clock.Clocks].
func (r *Recorder) Exchange(s *procs.System, start clock.Instant, demands ...clock.Demand) clock.Instant {
	from := start.Number()
	asked := slices.Clone(demands)
	loads := make([]int, len(demands))
	loaded := false
	for i, d := range demands {
		if d.Load != nil {
			loads[i], loaded = r.loads[d.Load], true
		}
	}
	t := r.Clocks.Exchange(s, start, demands...)
	n := r.made(t)
	r.note(func(p *player) {
		own := asked
		if loaded {
			p.demands = append(p.demands[:0], asked...)
			own = p.demands
		}
		for i := range own {
			if own[i].Load != nil {
				own[i].Load = p.loads[loads[i]]
			}
		}
		p.instants[n] = p.Exchange(s, p.instants[from], own...)
	})
	return t
}

// Placed is part of [clock.Clocks].
func (r *Recorder) Placed(x int, by, messages int64, b units.Bytes, start, end clock.Instant) {
	from, to := start.Number(), end.Number()
	r.note(func(p *player) { p.Placed(x, by, messages, b, p.instants[from], p.instants[to]) })
	r.Clocks.Placed(x, by, messages, b, start, end)
}

// Delay is part of [clock.Clocks].
func (r *Recorder) Delay(s *procs.System, k interval.Kind, from, to clock.Instant) {
	a, b := from.Number(), to.Number()
	r.note(func(p *player) { p.Delay(s, k, p.instants[a], p.instants[b]) })
	r.Clocks.Delay(s, k, from, to)
}

// Await is part of [clock.Clocks].
func (r *Recorder) Await(s *procs.System, k interval.Kind, start, end clock.Instant, snapshot clock.Snapshot) {
	a, b := start.Number(), end.Number()
	r.note(func(p *player) { p.Await(s, k, p.instants[a], p.instants[b], p.snapshots[snapshot]) })
	r.Clocks.Await(s, k, start, end, snapshot)
}

// Variation is part of [clock.Clocks].
func (r *Recorder) Variation(s *procs.System, k interval.Kind) {
	r.note(func(p *player) { p.Variation(s, k) })
	r.Clocks.Variation(s, k)
}

// Forget is part of [clock.Clocks].
func (r *Recorder) Forget(t clock.Instant) {
	n := t.Number()
	r.note(func(p *player) { p.Forget(p.instants[n]) })
	r.Clocks.Forget(t)
}

// Pipeline is part of [clock.Clocks].
func (r *Recorder) Pipeline(pl *clock.Pipeline) {
	asked := *pl
	r.note(func(p *player) {
		own := asked
		own.Since = p.snapshots[own.Since]
		p.Pipeline(&own)
	})
	r.Clocks.Pipeline(pl)
}
