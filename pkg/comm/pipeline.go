package comm

import (
	"fmt"
	"math"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Stage is a processor of a pipelined loop (docs/model.md#9-pipelined-loops).
type Stage struct {
	// Clock is when the stage may begin and Work is A_i, its loop time.
	Clock, Work units.Seconds
	// Hops are where its edges come from: one for every pipelined dimension
	// in which it has a predecessor, none for the first stage.
	Hops []Hop
	// Copies is how many stages of side-by-side pipelines this one stands
	// for, all alike and with links on the same instance; 0 counts as 1.
	Copies int64
}

// Link is what a message between two processors travels on: it takes TStart and
// TByte for each byte, beside at most Channels others on the instance At, any
// number when it is 0.
type Link struct {
	At       machine.Instance
	TStart   units.Seconds
	TByte    units.SecPerByte
	Channels int64
}

// Link returns what messages from p to q travel on, p and q being different
// processors of the root grid.
func (n *Network) Link(p, q int) Link {
	at := n.Between(p, q)
	return n.medium(at).link(at, p, q)
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

// Pipe runs a pipelined loop in q >= 1 quanta and returns what becomes of
// every stage (docs/model.md#9-pipelined-loops). Pipelines that run side by
// side are stages of one call: they share media. Stage i does its share of a
// quantum in Tp = Work/q; a message of a link carries 1/q of its bytes and
// occupies it for TStart + Tb, one at a time:
//
//	arrival(i,q) = max(end(i-1,q), arrival(i,q-1)) + TStart + Tb
//	begin(i,q)   = max(end(i,q-1) + [q>1]·TStart, arrival(i,q) over all predecessors)
//	end(i,q)     = begin(i,q) + Tp
//
// A stage that receives spends one TStart of its own before every quantum
// after its first, of several predecessors the largest. Before the first
// quantum it is the TStart of the message that counts as its own. What else
// passes before a quantum is transfer as far as a message's Tb reaches, of
// several predecessors the longest, and waiting before that.
//
// A medium with k channels that carries n messages keeps the time from the
// earliest Clock to the latest End at 2·Tp + ceil(n/k)·(TStart + Tb) at
// least; what is missing is waiting at every stage's end. Of unequal stages
// the least Tp of a sender and of a receiver count, and of unequal messages
// the shortest times ceil(n/k) or the sum divided by k, whichever is more:
// no schedule beats that.
//
// The cost depends on the number of stages and links and not on q: end(i,q)
// is, as a function of q, a maximum of straight lines, one for each different
// pace among the stages and links before it.
func Pipe(stages []Stage, q int64) []StageTime {
	times, use := runStages(stages, q)
	use.bound(stages, times, q)
	return times
}

// HandPipe runs a pipeline of one quantum that the program made by hand (docs/model.md#pipelines-by-hand): [Pipe] without the bound of channels.
func HandPipe(stages []Stage) []StageTime {
	times, _ := runStages(stages, 1)
	return times
}

// runStages runs a pipeline whose messages do not queue and returns what they use of
// the media besides.
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
			tb := units.Seconds(float64(h.On.TByte) * float64(h.Bytes) / quanta)
			message := h.On.TStart + tb
			link := ends[h.From].after(message)
			link = link.join(lines{{link.at(1), message}}, q)
			begin = max(begin, link.at(1))
			in = in.join(link.after(tp), q)
			own = max(own, h.On.TStart)
			transfer = max(transfer, tb)
			use.add(h.On, max(1, s.Copies), message, stages[h.From].Work/units.Seconds(quanta), tp)
		}
		ends[i] = in.join(lines{{begin + tp, tp + own}}, q)
		times[i] = s.account(ends[i], begin, tp, own, transfer, q)
	}
	return times, use
}

// account splits the time of a stage whose quanta end at ends.
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

// usage is what the messages of a pipeline use of each medium.
type usage struct {
	media []mediumUsage
	index map[machine.Instance]int
}

type mediumUsage struct {
	on               Link
	links            int64
	least, sum       units.Seconds // of the messages of one quantum
	sender, receiver units.Seconds // the least Tp
}

func (u *usage) add(on Link, copies int64, message, sender, receiver units.Seconds) {
	if on.Channels == 0 {
		return
	}
	i, found := 0, false
	if k := len(u.media) - 1; k >= 0 && u.media[k].on.At == on.At {
		i, found = k, true
	} else {
		i, found = u.index[on.At]
	}
	if !found {
		if u.index == nil {
			u.index = map[machine.Instance]int{}
		}
		i = len(u.media)
		u.index[on.At] = i
		inf := units.Seconds(math.Inf(1))
		u.media = append(u.media, mediumUsage{on: on, least: inf, sender: inf, receiver: inf})
	}
	m := &u.media[i]
	m.links += copies
	m.least = min(m.least, message)
	m.sum += units.Seconds(float64(message) * float64(copies))
	m.sender = min(m.sender, sender)
	m.receiver = min(m.receiver, receiver)
}

// bound adds to every stage what the channels lack.
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
		k := float64(m.on.Channels)
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
