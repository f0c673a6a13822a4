package comm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Stage is a processor of a pipelined loop (docs/model.md#9-pipelined-loops).
type Stage struct {
	// Clock is when the stage may begin and Work is A_i, its loop time.
	Clock, Work units.Seconds
	// Quanta, when not nil, is the work of each quantum, as many as there are;
	// Work is their sum. Without it quanta are equal.
	Quanta []units.Seconds
	// Hops are the links to its predecessors: one for every pipelined dimension
	// in which it has a predecessor, none for the first stage.
	Hops []Hop
	// Copies is how many equal stages of pipelines that run side by side this
	// one stands for, all with links on the same instance; 0 counts as 1.
	Copies int64
}

// Link connects two processors of a pipeline. A message on it takes TStart, and
// TByte for each byte. The instance At carries at most Channels messages at a
// time; 0 stands for no limit.
type Link struct {
	At       machine.Instance
	TStart   units.Seconds
	TByte    units.SecPerByte
	Channels int64
	// Over are, on a machine of links, the links of the route in their order.
	// TStart and TByte are then the sums over them, overheads included, and
	// each of them is a channel.
	Over []Crossing
}

// Route returns in words, on a machine of links, what b bytes in one message take on
// each link of the route and as software overheads, times in microseconds. It returns
// "" on a machine of media.
func (l *Link) Route(b units.Bytes) string {
	term := func(start units.Seconds, perByte units.SecPerByte) string {
		return micro(start) + " + " + micro(units.Seconds(perByte)) + " x " + decimal(int64(b))
	}
	if len(l.Over) == 0 {
		return ""
	}
	var parts []string
	start, perByte := l.TStart, l.TByte
	for _, x := range l.Over {
		parts = append(parts, fmt.Sprintf("link %d (%s)", x.ID, term(x.TStart, x.TByte)))
		start -= x.TStart
		perByte -= x.TByte
	}
	// The sums were made in another order: what is left of nothing is rounding.
	left := func(part, sum float64) bool { return part > 1e-9*sum }
	switch {
	case left(float64(perByte), float64(l.TByte)):
		parts = append(parts, fmt.Sprintf("overheads (%s)", term(max(0, start), perByte)))
	case left(float64(start), float64(l.TStart)):
		parts = append(parts, "overheads "+micro(start))
	}
	return strings.Join(parts, ", ")
}

// A Crossing is one link of the machine on the route of a message.
type Crossing struct {
	ID     int64
	TStart units.Seconds
	TByte  units.SecPerByte
}

// Link returns the link from p to q, which are different processors of the root
// grid, for messages of b bytes in all. element is the size of the elements in
// them, 0 when sizes differ.
func (n *Network) Link(p, q int, b, element units.Bytes) Link {
	at := n.Between(p, q)
	return n.medium(at).link(at, p, q, b, element)
}

// Hop is the link between a stage and one of its predecessors.
type Hop struct {
	// From is the index of the predecessor, smaller than that of the stage.
	From int
	On   Link
	// Bytes are the bytes that the messages of all quanta carry together.
	Bytes units.Bytes
}

// StageTime says how a stage spends its time beside its work, for all its
// quanta together (docs/model.md#9-pipelined-loops). For every stage
// End = Clock + Work + Start + Transfer + Wait.
type StageTime struct {
	// End is when the last quantum ends.
	End units.Seconds
	// Start is the TStart of the stage: one for every quantum that it
	// receives.
	Start units.Seconds
	// Transfer is the transfer that computation does not hide, Hidden the
	// transfer that it does.
	Transfer, Hidden units.Seconds
	// Wait is the waiting for predecessors and for channels.
	Wait units.Seconds
}

// Pipe runs a pipelined loop in q >= 1 quanta and returns the times of every
// stage (docs/model.md#9-pipelined-loops). Pipelines that run side by
// side are stages of one call: they share media. Stage i computes a quantum in
// Tp = Work/q, or in what its Quanta say. The message of one quantum carries 1/q of the bytes of its link
// and occupies the link for TStart + Tb; a link carries one message at a time:
//
//	arrival(i,q) = max(end(i-1,q), arrival(i,q-1)) + TStart + Tb
//	begin(i,q)   = max(end(i,q-1) + [q>1]·TStart, arrival(i,q) over all predecessors)
//	end(i,q)     = begin(i,q) + Tp
//
// A stage that receives spends one TStart of its own before every quantum; of
// several predecessors the largest counts. Before the first quantum this is the
// TStart of the message itself. The rest of the time before a quantum is
// transfer, up to the largest Tb of its messages, and what exceeds that is
// waiting.
//
// On a medium with k channels that carries n messages, the time from the
// earliest Clock to the latest End is at least 2·Tp + ceil(n/k)·(TStart + Tb).
// When the schedule is shorter, every stage waits for the difference at its end.
// Where stages differ, the smallest Tp of a sender and of a receiver are used;
// where messages differ, the larger of ceil(n/k) times the shortest one and the
// sum of all divided by k. No schedule is shorter than that.
//
// With equal quanta the running time depends on the number of stages and links
// and not on q: end(i,q) is, as a function of q, a maximum of straight lines, one
// for each different pace among the stages and links before it.
func Pipe(stages []Stage, q int64) []StageTime {
	run := runStages
	if slices.ContainsFunc(stages, func(s Stage) bool { return s.Quanta != nil }) {
		run = runQuanta
	}
	times, use := run(stages, q)
	use.bound(stages, times, q)
	return times
}

// HandPipe runs a pipeline of one quantum that the program made by hand
// (docs/model.md#pipelines-by-hand): [Pipe] without the bound of channels.
func HandPipe(stages []Stage) []StageTime {
	times, _ := runStages(stages, 1)
	return times
}

// runStages runs a pipeline as if no channel were busy, and also returns how the
// messages use the media.
func runStages(stages []Stage, q int64) ([]StageTime, *usage) {
	if q < 1 {
		panic(fmt.Sprintf("comm: internal error: a pipeline of %d quanta", q))
	}
	times := make([]StageTime, len(stages))
	ends := make([]lines, len(stages))
	quanta := float64(q)
	use := &usage{}
	for i := range stages {
		s := &stages[i]
		tp := s.Work / units.Seconds(quanta)
		begin := s.Clock
		var own, transfer units.Seconds
		var in lines
		for _, h := range s.Hops {
			if h.From < 0 || h.From >= i {
				panic(fmt.Sprintf("comm: internal error: stage %d follows stage %d", i, h.From))
			}
			tb, message := h.quantum(quanta)
			link := ends[h.From].after(message)
			link = link.join(lines{{link.at(1), message}}, q)
			begin = max(begin, link.at(1))
			in = in.join(link.after(tp), q)
			own = max(own, h.On.TStart)
			transfer = max(transfer, tb)
			use.cross(&h, quanta, crossed{copies: max(1, s.Copies), message: message, sender: stages[h.From].Work / units.Seconds(quanta), receiver: tp})
		}
		ends[i] = in.join(lines{{begin + tp, tp + own}}, q)
		times[i] = s.account(ends[i], begin, tp, own, transfer, q)
	}
	return times, use
}

// quantum returns the transfer time Tb of one of so many quanta, and how long
// its message occupies the link.
func (h *Hop) quantum(quanta float64) (tb, message units.Seconds) {
	tb = units.Seconds(float64(h.On.TByte) * float64(h.Bytes) / quanta)
	return tb, h.On.TStart + tb
}

// account splits the time of a stage. ends are the ends of its quanta, begin is
// the start of the first.
func (s *Stage) account(ends lines, begin, tp, own, transfer units.Seconds, q int64) StageTime {
	t := StageTime{End: ends.at(q)}
	if len(s.Hops) == 0 {
		return t
	}
	before := begin - s.Clock
	t.Transfer = min(before, transfer)
	t.Start = min(before-t.Transfer, own)
	t.Wait = before - t.Transfer - t.Start
	ends.gaps(q, tp+own, func(gap units.Seconds, n int64) {
		hidden := min(gap, transfer)
		t.Transfer += units.Seconds(float64(hidden) * float64(n))
		t.Wait += units.Seconds(float64(gap-hidden) * float64(n))
	})
	t.Start += units.Seconds(float64(own) * float64(q-1))
	t.Hidden = max(0, units.Seconds(float64(transfer)*float64(q))-t.Transfer)
	return t
}

// usage sums up the messages of a pipeline on each medium.
type usage struct {
	media []mediumUsage
	index map[channelID]int
}

// channelID identifies what messages share: an instance of a medium, with Link
// 0, or one link of it, whose id is at least 1.
type channelID struct {
	At   machine.Instance
	Link int64
}

type mediumUsage struct {
	id               channelID
	channels         int64
	links            int64
	least, sum       units.Seconds // of the messages of one quantum
	sender, receiver units.Seconds // the least Tp
}

// crossed is the messages of one quantum between a stage and its predecessor.
type crossed struct {
	copies           int64
	message          units.Seconds
	sender, receiver units.Seconds // their Tp
}

// cross adds the messages of a hop to the media that they cross.
func (u *usage) cross(h *Hop, quanta float64, x crossed) {
	if h.On.Channels > 0 {
		u.add(channelID{At: h.On.At}, h.On.Channels, x)
	}
	for _, c := range h.On.Over {
		x.message = c.TStart + units.Seconds(float64(c.TByte)*float64(h.Bytes)/quanta)
		u.add(channelID{h.On.At, c.ID}, 1, x)
	}
}

func (u *usage) add(id channelID, channels int64, x crossed) {
	i, found := 0, false
	if k := len(u.media) - 1; k >= 0 && u.media[k].id == id {
		i, found = k, true
	} else {
		i, found = u.index[id]
	}
	if !found {
		if u.index == nil {
			u.index = map[channelID]int{}
		}
		i = len(u.media)
		u.index[id] = i
		inf := units.Seconds(math.Inf(1))
		u.media = append(u.media, mediumUsage{id: id, channels: channels, least: inf, sender: inf, receiver: inf})
	}
	m := &u.media[i]
	m.links += x.copies
	m.least = min(m.least, x.message)
	m.sum += units.Seconds(float64(x.message) * float64(x.copies))
	m.sender = min(m.sender, x.sender)
	m.receiver = min(m.receiver, x.receiver)
}

// bound delays the end of every stage until the channels can have carried all
// messages ([Pipe] gives the bound).
func (u *usage) bound(stages []Stage, times []StageTime, q int64) {
	if len(u.media) == 0 {
		return
	}
	first, last := stages[0].Clock, times[0].End
	for i := range stages {
		first = min(first, stages[i].Clock)
		last = max(last, times[i].End)
	}
	missing := units.Seconds(0)
	for _, m := range u.media {
		k := float64(m.channels)
		rounds := math.Ceil(float64(m.links) * float64(q) / k)
		sum := float64(m.sum) * float64(q) / k
		need := m.sender + m.receiver + units.Seconds(max(float64(rounds*float64(m.least)), sum))
		missing = max(missing, need-(last-first))
	}
	for i := range times {
		times[i].End += missing
		times[i].Wait += missing
	}
}
