package comm

import (
	"fmt"
	"strconv"
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Placement says when an operation takes place on the media. End is when its
// last message ends; it equals Start when nothing is sent. Steps are filled in
// after [Network.Explain].
type Placement struct {
	Start, End units.Seconds
	Steps      []Step
}

// Length returns End - Start: the T of docs/model.md#channels when no channel
// was busy, more when messages had to wait.
func (p Placement) Length() units.Seconds { return p.End - p.Start }

// Step is what one operation does on one instance of a medium, or on all
// media together when it works in rounds: enough to check its cost by hand.
type Step struct {
	// Name is what the step is: exchange, gather, broadcast or reduction.
	Name string
	// At is the instance of the medium.
	At machine.Instance
	// Rounds is the number of rounds of a reduction on a transputer or of a
	// tree collective; 0 for all other steps.
	Rounds int64
	// Ready is when the messages could start, End when the last one ends.
	Ready, End units.Seconds

	medium medium
	demand demand // the messages, nil when there are rounds
	round  string // the formula of a round
}

func (k *instanceLoad) step(n *Network, name string, ready, end units.Seconds) Step {
	return Step{Name: name, At: k.at, Ready: ready, End: end, medium: n.medium(k.at), demand: k.demand}
}

// String returns the step with its operands and its formula in one line, all
// times in microseconds.
func (s *Step) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s", s.Name, s.where())
	if s.demand != nil {
		s.demand.explain(&b)
	} else {
		fmt.Fprintf(&b, ": %d x (%s)", s.Rounds, s.round)
	}
	fmt.Fprintf(&b, ", from %s to %s us: %s us", micro(s.Ready), micro(s.End), micro(s.End-s.Ready))
	return b.String()
}

// where names the medium: its node, the first processor and the kind.
func (s *Step) where() string {
	w := s.medium.String()
	if s.At.Node != nil {
		w = fmt.Sprintf("%s of %q", w, s.At.Node.Name)
		if s.At.Depth > 0 {
			w += fmt.Sprintf(" from processor %d", s.At.First)
		}
	}
	return w
}

// micro writes a time in microseconds with 12 significant digits: more could
// show rounding.
func micro(t units.Seconds) string {
	return t.Micros(12)
}

// decimal writes a number.
func decimal(n int64) string { return strconv.FormatInt(n, 10) }
