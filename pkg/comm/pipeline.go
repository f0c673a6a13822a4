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
	// Over are the links that it takes one after the other on a machine of
	// links; TStart and TByte are then the sums, overheads included, and each
	// of the links is a channel.
	Over []Crossing
}

// A Crossing is the link with some id on the way of a message.
type Crossing struct {
	ID     int64
	TStart units.Seconds
	TByte  units.SecPerByte
}

// Link returns what messages from p to q travel on, p and q being different
// processors of the root grid, that carry b bytes in all of elements of the
// given size, which is 0 for several.
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
			x := crossed{copies: max(1, s.Copies), message: message, sender: stages[h.From].Work / units.Seconds(quanta), receiver: tp}
			if h.On.Channels > 0 {
				use.add(channelID{At: h.On.At}, h.On.Channels, x)
			}
			for _, c := range h.On.Over {
				x.message = c.TStart + units.Seconds(float64(c.TByte)*float64(h.Bytes)/quanta)
				use.add(channelID{h.On.At, c.ID}, 1, x)
			}
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
	index map[channelID]int
}

// channelID names what messages share: an instance of a medium, or one of its
// links, whose ids are from 1.
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

// crossed are the messages of one quantum between a stage and its predecessor.
type crossed struct {
	copies           int64
	message          units.Seconds
	sender, receiver units.Seconds // their Tp
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
