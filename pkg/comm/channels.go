package comm

import (
	"fmt"
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// channels is a medium of k channels, each of which carries one message at a
// time; a bus has one. Only the sizes of messages matter, and how many have
// each size.
type channels struct{ timed }

func (c channels) demand(t Traffic) demand { return &sized{c.timed, t.Sizes()} }

func (c channels) tally([]int) tally { return &sizes{timed: c.timed} }

func (c channels) star(s *star) demand {
	return &sized{c.timed, []Size{{Bytes: s.bytes, Count: s.count}}}
}

func (channels) reduction(*Reduction) (int64, bool) { return 0, false }

func (c channels) link(at machine.Instance, _, _ int, _, _ units.Bytes) Link {
	return Link{At: at, TStart: c.TStart, TByte: c.TByte, Channels: int64(max(1, c.Channels))}
}

func (channels) queues() bool { return true }

func (c channels) schedule() schedule { return newChannelGroup(int64(c.Channels)) }

// sizes counts messages by size.
type sizes struct {
	timed
	counts SizeCounts
}

func (s *sizes) add(m Message)  { s.counts.Add(m.Bytes, 1) }
func (s *sizes) demand() demand { return &sized{s.timed, s.counts.Sizes()} }

// sized is the messages on a medium with channels, the longest first.
type sized struct {
	timed
	sizes []Size
}

func (d *sized) empty() bool { return len(d.sizes) == 0 }

// alone returns how long the messages take on channels that are all free. With
// one channel that is their sum.
func (d *sized) alone() units.Seconds {
	end := units.Seconds(0)
	if d.Channels <= 1 {
		for _, x := range d.sizes {
			end += units.Seconds(float64(d.message(x.Bytes)) * float64(x.Count))
		}
		return end
	}
	return newChannelGroup(int64(d.Channels)).book(0, everybody, d, &sets{})
}

func (d *sized) explain(b *strings.Builder) {
	for i, x := range d.sizes {
		fmt.Fprintf(b, "%s%d x (%s)", separator(i), x.Count, d.formula(x.Bytes))
	}
}

// everybody is the whole root, for schedules that no other system uses.
var everybody = &set{whole: true}

// book places messages, the longest first.
func (g *channelGroup) book(ready units.Seconds, s *set, d demand, all *sets) units.Seconds {
	messages := d.(*sized)
	end := ready
	for _, x := range messages.sizes {
		end = max(end, g.put(ready, messages.message(x.Bytes), x.Count, s, all))
	}
	return end
}
