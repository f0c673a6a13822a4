package comm

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"dvmtools/pkg/units"
)

// slack is the fraction of a message's duration by which a gap may be too
// short for it: a time that was summed up in two ways differs in its last bits.
const slack = 1e-9

// channelSchedule is the times at which one channel is busy: always before
// base, and after base in the busy periods, which are in order and do not
// touch. floors have an entry for each system, other than the whole root, that
// has sent on the channel.
type channelSchedule struct {
	base   units.Seconds
	busy   []period
	floors []floor
}

type period struct{ from, to units.Seconds }

// floor is the end of the last message of a processor system.
type floor struct {
	set int
	at  units.Seconds
}

// free returns the earliest start on the channel of a message of s that lasts
// d and cannot start before ready, and how many such messages fit there one
// after another. A message of s starts after all messages of systems that
// share a processor with s, and may use gaps between the messages of others.
func (l *channelSchedule) free(ready, d units.Seconds, s *set, all *sets) (units.Seconds, int64) {
	t := max(ready, l.base)
	if s.whole {
		if k := len(l.busy); k > 0 {
			t = max(t, l.busy[k-1].to)
		}
		for _, f := range l.floors {
			t = max(t, f.at)
		}
		return t, math.MaxInt64
	}
	for _, f := range l.floors {
		if f.at > t && all.intersect(f.set, s.index) {
			t = f.at
		}
	}
	i := sort.Search(len(l.busy), func(i int) bool { return l.busy[i].to > t })
	for ; i < len(l.busy); i++ {
		gap := l.busy[i].from - t
		if gap >= 0 && float64(gap) >= float64(d)*(1-slack) {
			if d == 0 {
				return t, math.MaxInt64
			}
			return t, max(1, floorCount(float64(gap)/float64(d)+slack))
		}
		t = l.busy[i].to
	}
	return t, math.MaxInt64
}

// book makes the channel busy for the system s from t to end.
func (l *channelSchedule) book(t, end units.Seconds, s *set) {
	if s.whole {
		*l = channelSchedule{base: end}
		return
	}
	l.floors = raise(l.floors, s.index, end)
	if end == t {
		return
	}
	// Periods that touch become one: the new one touches those from i to j-1.
	i := sort.Search(len(l.busy), func(i int) bool { return l.busy[i].to >= t })
	j := i
	for j < len(l.busy) && l.busy[j].from <= end {
		j++
	}
	if i < j {
		t = min(t, l.busy[i].from)
		end = max(end, l.busy[j-1].to)
	}
	l.busy = slices.Replace(l.busy, i, j, period{t, end})
}

// raise moves the floor of a set to at, when it is lower or there is none.
func raise(floors []floor, set int, at units.Seconds) []floor {
	for i := range floors {
		if floors[i].set == set {
			floors[i].at = max(floors[i].at, at)
			return floors
		}
	}
	return append(floors, floor{set, at})
}

// forget drops what lies before t. The caller promises that no message starts
// before t any more.
func (l *channelSchedule) forget(t units.Seconds) {
	l.base = max(l.base, t)
	i := sort.Search(len(l.busy), func(i int) bool { return l.busy[i].to > t })
	l.busy = slices.Delete(l.busy, 0, i)
	l.floors = slices.DeleteFunc(l.floors, func(f floor) bool { return f.at <= t })
}

func (l *channelSchedule) clone() channelSchedule {
	return channelSchedule{base: l.base, busy: slices.Clone(l.busy), floors: slices.Clone(l.floors)}
}

func (l *channelSchedule) equal(o *channelSchedule) bool {
	return l.base == o.base && slices.Equal(l.busy, o.busy) && slices.Equal(l.floors, o.floors)
}

// run is a number of neighbouring channels with the same schedule.
type run struct {
	n int64
	channelSchedule
}

// channelGroup is the schedule of all channels of an instance of a medium, in
// the order of their numbers.
type channelGroup struct {
	runs    []run
	horizon units.Seconds
	slots   []slot
}

// slot is the next free time of each channel of a run: it begins at t and has
// room for so many messages one after another.
type slot struct {
	t    units.Seconds
	room int64
	run  int
}

func newChannelGroup(channels int64) *channelGroup {
	never := units.Seconds(math.Inf(-1))
	return &channelGroup{runs: []run{{n: max(1, channels), channelSchedule: channelSchedule{base: never}}}, horizon: never}
}

func (m *channelGroup) forget(t units.Seconds) {
	if t <= m.horizon {
		return
	}
	m.horizon = t
	for i := range m.runs {
		m.runs[i].forget(t)
	}
	m.merge()
}

// merge joins neighbouring runs of equal schedules.
func (m *channelGroup) merge() {
	kept := m.runs[:1]
	for i := 1; i < len(m.runs); i++ {
		if last := &kept[len(kept)-1]; last.equal(&m.runs[i].channelSchedule) {
			last.n += m.runs[i].n
			continue
		}
		kept = append(kept, m.runs[i])
	}
	clear(m.runs[len(kept):])
	m.runs = kept
}

// put places count messages of duration d, none before ready, each on the
// channel that is free first, of several the one with the lowest number, and
// returns the end of the last one.
//
// The channels whose slots begin within d of the earliest one take turns: each
// takes one message before any of them takes a second. Whole turns are booked
// at once, until a slot of another channel is earlier or a gap is full, so that
// the running time does not depend on count.
func (m *channelGroup) put(ready, d units.Seconds, count int64, s *set, all *sets) units.Seconds {
	end := ready
	for count > 0 {
		m.fill(ready, d, s, all)
		if d == 0 {
			// Messages that take no time all go to the first channel.
			at := m.slots[0]
			m.take(at.run, 1, at.t, at.t, s)
			end = max(end, at.t)
			break
		}
		g, next := m.turn(d)
		group := m.slots[:g]
		channels, room := int64(0), int64(math.MaxInt64)
		for _, x := range group {
			channels += m.runs[x.run].n
			room = min(room, x.room)
		}
		if count < channels {
			end = max(end, m.lastTurn(group, d, count, s))
			break
		}
		turns := min(count/channels, room)
		if !math.IsInf(float64(next), 1) {
			// The last message of a channel starts before next.
			wide := math.Ceil(float64((next - group[g-1].t) / d))
			turns = min(turns, max(1, toCount(wide)))
		}
		length := units.Seconds(float64(d) * float64(turns))
		for _, x := range group {
			m.take(x.run, m.runs[x.run].n, x.t, x.t+length, s)
			end = max(end, x.t+length)
		}
		count -= turns * channels
	}
	m.merge()
	return end
}

// fill lists the slots of all runs, the earliest first, equal ones by channel.
func (m *channelGroup) fill(ready, d units.Seconds, s *set, all *sets) {
	m.slots = m.slots[:0]
	for i := range m.runs {
		t, room := m.runs[i].free(ready, d, s, all)
		m.slots = append(m.slots, slot{t, room, i})
	}
	slices.SortFunc(m.slots, func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.run, b.run))
	})
}

// turn returns how many slots begin less than d after the earliest one, and
// when the slot after those begins.
func (m *channelGroup) turn(d units.Seconds) (int, units.Seconds) {
	g, first := 1, m.slots[0].t
	for g < len(m.slots) && (m.slots[g].t < first+d || m.slots[g].t == first) {
		g++
	}
	if g == len(m.slots) {
		return g, units.Seconds(math.Inf(1))
	}
	return g, m.slots[g].t
}

// lastTurn places the last messages of an exchange, fewer than the channels of
// the group, and returns their end.
func (m *channelGroup) lastTurn(group []slot, d units.Seconds, count int64, s *set) units.Seconds {
	var end units.Seconds
	for i := range group {
		x := group[i]
		n := min(count, m.runs[x.run].n)
		end = x.t + d
		if m.take(x.run, n, x.t, end, s) {
			break // a run was split for the last messages
		}
		if count -= n; count == 0 {
			break
		}
	}
	return end
}

// take books the first n channels of a run, splits the run when it has more,
// and reports whether it did.
func (m *channelGroup) take(i int, n int64, t, end units.Seconds, s *set) bool {
	split := n < m.runs[i].n
	if split {
		rest := run{n: m.runs[i].n - n, channelSchedule: m.runs[i].clone()}
		m.runs[i].n = n
		m.runs = slices.Insert(m.runs, i+1, rest)
	}
	m.runs[i].book(t, end, s)
	return split
}

// toCount converts a count that may be too large for 64 bits.
func toCount(f float64) int64 {
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(f)
}

// floorCount is toCount of f rounded down.
func floorCount(f float64) int64 { return toCount(math.Floor(f)) }
