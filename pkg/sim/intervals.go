package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
)

// noExpression is the value of a user interval's index that stands for no
// expression (docs/trace-format.md#intervals).
const noExpression = 2_000_000_000

// findInterval finds what binter_, bsloop_ and bploop_ say of their interval.
func findInterval(_ *Sim, c *call.Call, f *found) error {
	frag, err := c.IntOr("nfrag", 0)
	if err != nil {
		return err
	}
	f.first = frag == -1
	if c.Class() != libdvm.BeginUser || f.first {
		return nil
	}
	x, err := c.IntOr("index", noExpression)
	if err != nil {
		return err
	}
	if x != noExpression {
		f.expr = &x
	}
	return nil
}

// beginInterval handles binter_, bsloop_ and bploop_
// (docs/model.md#3-intervals).
func beginInterval(typ interval.Type) doer {
	return func(s *Sim, c *call.Call, f *found) (effect, error) {
		if f.first {
			// The run-time system's own root opens no interval; it says
			// where the program begins.
			s.tree.root.file, s.tree.root.line = c.File, c.Line
			return effect{}, nil
		}
		expr := f.expr
		return effect{then: func() {
			n := s.tree.begin(typ, c, expr)
			s.count(&n.count)
			s.enter(n)
		}}, nil
	}
}

// endInterval handles einter_, enloop_ and eloop_: the call itself is booked
// to the interval that it closes.
func endInterval(want func(interval.Type) bool, what string) doer {
	return func(s *Sim, c *call.Call, _ *found) (effect, error) {
		open := s.tree.open()
		if open == interval.Main {
			return effect{}, object.Error(c, "interval", "no interval is open here, expected the begin of %s before", what)
		}
		if !want(open) {
			return effect{}, object.Error(c, "interval", "the open interval is of type %s (begun at %s:%d), expected the end of it, not of %s", open, s.tree.cur.file, s.tree.cur.line, what)
		}
		return effect{then: func() {
			s.tree.end()
			s.clocks.Enter(s.tree.cur.account)
		}}, nil
	}
}

func isUser(t interval.Type) bool { return t == interval.User }
func isLoop(t interval.Type) bool { return t == interval.Sequential || t == interval.Parallel }

// enter makes n the interval that everything is booked to.
func (s *Sim) enter(n *node) {
	s.clocks.Enter(n.account)
	s.clocks.Join(s.objects.Current())
}
