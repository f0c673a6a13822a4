package comm

import (
	"fmt"
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// channels is the medium of one or more channels, of which each carries one
// message at a time: a bus, or a network with k of them. It sees sizes and how
// many messages have them.
type channels struct{}

func (channels) demand(md machine.Medium, t Traffic) demand { return &sized{md, t.Sizes()} }

func (channels) tally(md machine.Medium, _ []int) tally { return &sizes{md: md} }

func (channels) star(md machine.Medium, s *star) demand {
	return &sized{md, []Size{{Bytes: s.bytes, Count: s.count}}}
}

func (channels) reduction(*Reduction) (int64, bool) { return 0, false }

func (channels) queues() bool { return true }

func (channels) schedule(md machine.Medium) schedule { return newChannelGroup(int64(md.Channels)) }

func (channels) channels(md machine.Medium) int64 { return int64(max(1, md.Channels)) }

// sizes counts messages by size.
type sizes struct {
	md machine.Medium
	histogram
}

func (s *sizes) add(m Message)  { s.histogram.add(m.Bytes, 1) }
func (s *sizes) demand() demand { return &sized{s.md, s.histogram.sizes()} }

// sized are the messages on channels, the longest first.
type sized struct {
	md    machine.Medium
	sizes []Size
}

func (d *sized) empty() bool { return len(d.sizes) == 0 }

// alone returns how long the messages last on channels that are all free. With
// one channel that is the sum of them.
func (d *sized) alone() units.Seconds {
	end := units.Seconds(0)
	if d.md.Channels <= 1 {
		for _, x := range d.sizes {
			end += units.Seconds(float64(units.Transfer(d.md.TStart, d.md.TByte, x.Bytes)) * float64(x.Count))
		}
		return end
	}
	return newChannelGroup(int64(d.md.Channels)).book(0, everybody, d, &sets{})
}

func (d *sized) explain(b *strings.Builder) {
	for i, x := range d.sizes {
		fmt.Fprintf(b, "%s%d x (%s)", separator(i), x.Count, message(d.md, x.Bytes))
	}
}

// everybody stands for the whole root where no other system is known.
var everybody = &set{whole: true}

// book places messages, the longest first.
func (g *channelGroup) book(ready units.Seconds, s *set, d demand, all *sets) units.Seconds {
	messages := d.(*sized)
	end := ready
	for _, x := range messages.sizes {
		end = max(end, g.put(ready, units.Transfer(messages.md.TStart, messages.md.TByte, x.Bytes), x.Count, s, all))
	}
	return end
}
