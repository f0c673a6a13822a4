package clock

import (
	"math"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/options"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Demand is something that is asked of the network. One of the fields is set.
type Demand struct {
	// Load are messages that [Clocks.Load] prepared.
	Load *comm.Load
	// Reduction gathers partial results and makes their sum known.
	Reduction *comm.Reduction
	// Broadcast makes something known to all.
	Broadcast *Broadcast
}

// Broadcast makes Bytes bytes of the processor with the root's number Root
// known to all processors of a system.
type Broadcast struct {
	Root  int
	Bytes units.Bytes
}

// Volume returns how many messages a demand of the processors of s is, and how
// many bytes they carry in all: of a reduction one from every other processor
// with partial results and one to every other processor, of a broadcast the
// latter (docs/model.md#what-exchanges-cost).
func (d *Demand) Volume(s *procs.System) (messages int64, b units.Bytes) {
	switch {
	case d.Load != nil:
		return d.Load.Volume()
	case d.Reduction != nil:
		messages, b = max(d.Reduction.Senders, 1)-1+int64(s.Size())-1, d.Reduction.Bytes
	case d.Broadcast != nil:
		messages, b = int64(s.Size()), d.Broadcast.Bytes
		if _, in := s.Contains(d.Broadcast.Root); in {
			messages--
		}
	}
	if messages <= 0 || b <= 0 {
		return 0, 0
	}
	all, ok := units.MulBytes(b, units.Bytes(messages))
	if !ok {
		all = math.MaxInt64
	}
	return messages, all
}

// Network answers what [Clocks] are asked about the network, and makes their
// instants. Implementations of Clocks embed it.
type Network struct {
	exchanges
	net      *comm.Network
	instants int64
	across   options.Across
	creation units.Seconds
	say      func(format string, args ...any)
}

// NewNetwork returns the network of the machine and grid of cfg.
func NewNetwork(cfg Config) *Network {
	n := &Network{net: comm.NewNetwork(cfg.Machine, cfg.Grid, comm.Options{Collectives: cfg.Options.Collectives}), across: cfg.Options.Across}
	if l := cfg.Machine.Network; l != nil {
		n.creation = l.Creation
	}
	return n
}

// Creation returns the time that setting up the links takes, which every clock
// spends before anything else, and only the first time (docs/model.md#links).
func (n *Network) Creation() units.Seconds {
	t := n.creation
	n.creation = 0
	return t
}

// Instant makes an instant.
func (n *Network) Instant(at units.Seconds) Instant {
	n.instants++
	return Instant{at: at, number: n.instants}
}

// Err is [Clocks.Err].
func (n *Network) Err() error { return n.net.Err() }

// Load is [Clocks.Load].
func (n *Network) Load(t comm.Traffic) *comm.Load { return n.net.Load(t) }

// Exchange is [Clocks.Exchange].
func (n *Network) Exchange(s *procs.System, start Instant, demands ...Demand) Instant {
	set := comm.Set{ID: s.ID, Ranks: s.Ranks}
	at := start.at
	for _, d := range demands {
		var p comm.Placement
		switch {
		case d.Load != nil:
			p = n.net.Again(at, set, d.Load)
		case d.Reduction != nil:
			p = n.net.Reduce(at, set, d.Reduction)
		case d.Broadcast != nil:
			p = n.net.Broadcast(at, set, d.Broadcast.Root, d.Broadcast.Bytes)
		default:
			continue
		}
		n.explainPlacement(&p)
		at = p.End
	}
	return n.Instant(at)
}

// Forget is [Clocks.Forget].
func (n *Network) Forget(t Instant) { n.net.Forget(t.at) }

// Explain is [Clocks.Explain].
func (n *Network) Explain(say func(format string, args ...any)) {
	n.say = say
	n.net.Explain(say != nil)
}

// explainPlacement explains an exchange.
func (n *Network) explainPlacement(p *comm.Placement) {
	if n.say == nil {
		return
	}
	if len(p.Steps) == 0 {
		n.say("no message is sent")
	}
	for i := range p.Steps {
		n.say("%s", p.Steps[i].String())
	}
	n.say("exchange from %s to %s: %s", micro(p.Start), micro(p.End), micro(p.Length()))
}
