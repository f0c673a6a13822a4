package comm

import (
	"fmt"
	"strconv"
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Placement says when an operation takes place on the media: End is when its
// last message ends, Start when nothing is sent. Steps are there when they
// were asked for ([Network.Explain]).
type Placement struct {
	Start, End units.Seconds
	Steps      []Step
}

// Length returns End - Start, the T of docs/model.md#channels when no channel
// was busy.
func (p Placement) Length() units.Seconds { return p.End - p.Start }

// Step is what one operation does on one instance of a medium, or on all
// media together when it works in rounds: enough to check its cost by hand.
type Step struct {
	// Name is what the step is: exchange, gather, broadcast or reduction.
	Name string
	// At is the instance and Medium what connects its processors.
	At     machine.Instance
	Medium machine.Medium
	// Sizes are the messages on a medium with channels, the longest first.
	Sizes []Size
	// Distances are the longest messages by distance on a transputer.
	Distances []Distance
	// Rounds is how many times a message of Size bytes is paid for where the
	// cost is Rounds·(TStart + TByte·Size), 0 where it is not: a reduction on
	// a transputer, and collectives in rounds.
	Rounds int64
	Size   units.Bytes
	// Ready is when the messages could start, End when the last one ends.
	Ready, End units.Seconds
}

// Messages returns how many messages the step places on channels.
func (s *Step) Messages() int64 {
	total := int64(0)
	for _, x := range s.Sizes {
		total += x.Count
	}
	return total
}

func (k *part) step(name string, ready, end units.Seconds) Step {
	return Step{Name: name, At: k.at, Medium: k.at.Node.Medium, Sizes: k.sizes, Distances: k.far, Ready: ready, End: end}
}

// String returns the step with its operands and its formula in one line, all
// times in microseconds.
func (s *Step) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s", s.Name, s.where())
	switch {
	case s.Rounds > 0:
		fmt.Fprintf(&b, ": %d x (%s)", s.Rounds, s.message(s.Size))
	case len(s.Distances) > 0:
		for i, d := range s.Distances {
			b.WriteString(separator(i))
			_, n := Pipelined(s.Medium, d.Hops, d.Bytes)
			switch {
			case d.Hops == 1:
				fmt.Fprintf(&b, "distance 1: %s", s.message(d.Bytes))
			default:
				fmt.Fprintf(&b, "distance %d in %d portions: (%d-1+%d) x (%s)",
					d.Hops, n, d.Hops, n, s.message((d.Bytes-1)/units.Bytes(n)+1))
			}
		}
	default:
		for i, x := range s.Sizes {
			b.WriteString(separator(i))
			fmt.Fprintf(&b, "%d x (%s)", x.Count, s.message(x.Bytes))
		}
	}
	fmt.Fprintf(&b, ", from %s to %s us: %s us", micro(s.Ready), micro(s.End), micro(s.End-s.Ready))
	return b.String()
}

// where names the medium: its node, the first processor and the kind.
func (s *Step) where() string {
	w := s.Medium.Kind.String()
	if s.Medium.Kind == machine.Myrinet {
		w += "(" + strconv.Itoa(s.Medium.Channels) + ")"
	}
	if s.At.Node != nil {
		w = fmt.Sprintf("%s of %q", w, s.At.Node.Name)
		if s.At.Depth > 0 {
			w += fmt.Sprintf(" from processor %d", s.At.First)
		}
	}
	return w
}

// message writes what one message of b bytes costs.
func (s *Step) message(b units.Bytes) string {
	perByte := micro(units.Seconds(s.Medium.TByte))
	return fmt.Sprintf("%s + %s x %d", micro(s.Medium.TStart), perByte, b)
}

func separator(i int) string {
	if i == 0 {
		return ": "
	}
	return "; "
}

// micro writes a time in microseconds with as many digits as it is sure of.
func micro(t units.Seconds) string {
	return strconv.FormatFloat(float64(t)*1e6, 'g', 12, 64)
}
