package clock

import (
	"slices"
	"strconv"

	"dvmtools/pkg/procs"
)

// Ledger are the accounts of clocks that keep each processor of a grid by itself,
// with the methods of [Books]: every processor is a class of its own. Its memory
// grows with processors times accounts.
type Ledger struct {
	grid  []int
	pages []page                // per account
	parts map[Account][]Account // of accounts that have parts
}

// page is what the processors have in one account; the slices are nil until the
// account is opened.
type page struct {
	counters []Counters
	member   []bool
}

// NewLedger returns a ledger without accounts for the processors of a grid.
func NewLedger(grid []int) *Ledger {
	return &Ledger{grid: slices.Clone(grid), parts: map[Account][]Account{}}
}

// Open makes an account that has no entries, if it is not there.
func (l *Ledger) Open(a Account) {
	for len(l.pages) <= int(a) {
		l.pages = append(l.pages, page{})
	}
	if p := &l.pages[a]; p.counters == nil {
		p.counters = make([]Counters, l.Classes())
		p.member = make([]bool, l.Classes())
	}
}

// Admit makes processor p a member of the open account a.
func (l *Ledger) Admit(a Account, p int) { l.pages[a].member[p] = true }

// Of returns what processor p has in the open account a, to be booked to.
func (l *Ledger) Of(a Account, p int) *Counters { return &l.pages[a].counters[p] }

// Within is part of [Clocks].
func (l *Ledger) Within(a, all Account) { l.parts[all] = append(l.parts[all], a) }

// Classes is part of [Books]: the processors.
func (l *Ledger) Classes() int {
	n := 1
	for _, e := range l.grid {
		n *= e
	}
	return n
}

// Class is part of [Books].
func (l *Ledger) Class(int) int64 { return 1 }

// Ranks is part of [Books].
func (l *Ledger) Ranks(i int) []int { return []int{i} }

// Counters is part of [Books]: what was booked to the account itself, and then to
// its parts, in the order in which they became parts.
func (l *Ledger) Counters(a Account, i int) (*Counters, bool) {
	var sum Counters
	member := false
	if int(a) < len(l.pages) && l.pages[a].counters != nil {
		sum, member = l.pages[a].counters[i], l.pages[a].member[i]
	}
	for _, part := range l.parts[a] {
		c, in := l.Counters(part, i)
		sum.Add(c)
		member = member || in
	}
	return &sum, member
}

// Boxes is part of [Books]: a box for every processor.
func (l *Ledger) Boxes(processors []int) [][]string {
	sys := procs.System{Grid: l.grid}
	out := make([][]string, 0, len(processors))
	coords := make([]int, len(l.grid))
	for _, p := range processors {
		sys.Coords(p, coords)
		box := make([]string, len(coords))
		for k, c := range coords {
			box[k] = strconv.Itoa(c)
		}
		out = append(out, box)
	}
	return out
}
