package clock

import (
	"slices"
	"sync"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// A Timetable is what brief clocks were asked, for machines on which the same
// processors have equal powers. The classes of processors and the work that each does
// depend neither on the network nor on how large the powers are: they are known from
// the beginning. What work takes and where it is booked is worked out once for
// each of a few powers. Left are clocks, exchanges and waits, for classes that do
// the same in every step only once. It may be run on several machines at once.
type Timetable struct {
	partition partition
	powers    [][]int // the groups of coordinates by powers
	// like says of each class of processors which class of the steps it is, first which
	// the first like it is. Other classes below are those of the steps.
	like, first []int32
	books       [][]figures
	moves       []move
	// works are what classes do in the steps of work, shapes which class does which
	// work of its step.
	works    []kindOfWork
	shapes   []shape
	step     shape // of the step of work that is under way
	instants int64
	loads    []comm.Traffic
	demands  []demands
	lists    [][]int32 // of classes that wait
	// odd says that something was asked that depends on the network in another way, or
	// that steps are too different.
	odd    bool
	number map[*comm.Load]int
	// met is the work on the powers that were met last.
	met struct {
		sync.Mutex
		list []*power
	}
}

// maxPowers bounds for how many different powers work is kept.
const maxPowers = 8

// maxDifferent bounds the lists of a timetable in which what comes is looked for.
const maxDifferent = 1 << 10

// kindOfWork is work of the processors of one power. class is one of theirs.
type kindOfWork struct {
	Amount
	class int32
}

// shape says which classes work in a step, and which of its works each does.
type shape struct{ classes, works []int32 }

// power is the work of a timetable on processors of given powers.
type power struct {
	of    []float64       // by class
	spent []units.Seconds // by works
	books [][]figures     // without communication
}

// move is a step of a timetable.
type move struct {
	kind   moveKind
	system *procs.System
	// a and b are instants, the first of works and the one behind the last, or an
	// account. of is a place of demands or of shapes or, of classes that wait, 1 more
	// than that of lists; 0 stands for all.
	a, b, of int32
}

type moveKind uint8

const (
	moveAll   moveKind = iota // all classes do the same work
	moveEach                  // every class does one of the works of the step
	moveSome                  // some classes do
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
	powers := slices.Clone(first.group)
	if ask(first) != nil {
		return nil
	}
	first.Classes()
	e := newBrief(cfg)
	e.partition = first.partition
	e.partition.follow = func([]int) { panic("clock: internal error: classes are split that were known") }
	e.clock = make([]units.Seconds, len(e.whole))
	t := &Timetable{partition: e.partition, powers: powers, odd: e.creation > 0, number: map[*comm.Load]int{}}
	e.table = t
	failed := ask(e) != nil
	e.Classes()
	if t.endStep(); failed || t.odd {
		return nil
	}
	t.instants, t.number = e.instants, nil
	for a := range e.books {
		for i := range e.books[a] {
			e.books[a][i] = figures{member: e.books[a][i].member}
		}
	}
	t.books = e.books
	t.join()
	return t
}

// Suits reports whether the timetable can be run on a machine: the same processors of
// the grid have equal powers.
func (t *Timetable) Suits(m *machine.Machine, grid []int) bool {
	return slices.EqualFunc(newPartition(m, grid, nil).group, t.powers, slices.Equal)
}

// spend takes note of work of a class.
func (t *Timetable) spend(class int, a *Amount) {
	if n := len(t.step.classes); n > 0 && int(t.step.classes[n-1]) >= class {
		t.endStep()
	}
	if len(t.step.classes) == 0 {
		t.moves = append(t.moves, move{kind: moveSome, a: int32(len(t.works))})
	}
	const far = 16
	first := int(t.moves[len(t.moves)-1].a)
	i := max(first, len(t.works)-far)
	for i < len(t.works) && (t.works[i].Amount != *a || t.partition.power[t.works[i].class] != t.partition.power[class]) {
		i++
	}
	if i == len(t.works) {
		t.works = append(t.works, kindOfWork{*a, int32(class)})
	}
	t.step.classes, t.step.works = append(t.step.classes, int32(class)), append(t.step.works, int32(i-first))
}

// endStep ends the step of work that is under way, if one is.
func (t *Timetable) endStep() {
	s := &t.step
	if len(s.classes) == 0 {
		return
	}
	m := &t.moves[len(t.moves)-1]
	m.b = int32(len(t.works))
	if len(s.classes) == len(t.partition.whole) {
		m.kind = moveEach
		if m.b == m.a+1 {
			m.kind = moveAll
		}
	}
	i := slices.IndexFunc(t.shapes, func(x shape) bool {
		return slices.Equal(x.classes, s.classes) && slices.Equal(x.works, s.works)
	})
	if i < 0 {
		i = len(t.shapes)
		t.odd = t.odd || i == maxDifferent
		t.shapes = append(t.shapes, shape{slices.Clone(s.classes), slices.Clone(s.works)})
	}
	m.of = int32(i)
	s.classes, s.works = s.classes[:0], s.works[:0]
}

// note takes note of a step that is no work.
func (t *Timetable) note(m move) {
	t.endStep()
	t.moves = append(t.moves, m)
}

// wait takes note of a step in which classes wait.
func (t *Timetable) wait(m move, classes []int) {
	if len(classes) < len(t.partition.whole) {
		i := slices.IndexFunc(t.lists, func(l []int32) bool {
			return slices.EqualFunc(l, classes, func(a int32, b int) bool { return int(a) == b })
		})
		if i < 0 {
			i = len(t.lists)
			t.odd = t.odd || i == maxDifferent
			own := make([]int32, len(classes))
			for k, c := range classes {
				own[k] = int32(c)
			}
			t.lists = append(t.lists, own)
		}
		m.of = int32(i) + 1
	}
	t.note(m)
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
		t.odd = t.odd || i == maxDifferent
		t.demands = append(t.demands, d)
	}
	t.note(move{kind: moveExchange, system: s, a: int32(start.number), b: int32(end.number), of: int32(i)})
}

// load takes note of messages that are prepared.
func (t *Timetable) load(l *comm.Load, messages comm.Traffic) {
	if _, ok := t.number[l]; !ok {
		t.number[l] = len(t.loads)
		t.loads = append(t.loads, messages)
	}
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
		e.table.note(move{kind: moveForget, a: int32(t.number)})
	}
}
