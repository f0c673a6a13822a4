package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/object"
)

// redistribute handles redis_: every array aligned with the template moves,
// free of charge when its contents are renewed anyway
// (docs/model.md#synchronous-operations).
func redistribute(s *Sim, c *call.Call) (effect, error) {
	moves, err := s.objects.Redistribute(c)
	if err != nil {
		return effect{}, err
	}
	return effect{}, s.move(c, moves)
}

// realign handles realn_: one array moves; one that lay nowhere is aligned.
func realign(s *Sim, c *call.Call) (effect, error) {
	m, err := s.objects.Realign(c)
	if err != nil || m.From == nil {
		return effect{}, err
	}
	return effect{}, s.move(c, []object.Move{m})
}

func (s *Sim) move(c *call.Call, moves []object.Move) error {
	renewed, err := c.IntOr("NewSign", 0)
	if err != nil {
		return err
	}
	if renewed != 0 {
		s.synchronous(interval.Redistribution)
		return nil
	}
	t, err := s.messages.root.Redistribute(moves)
	d, err := s.load(c, elements(len(moves), func(i int) *object.Array { return moves[i].Array }), t, err)
	if err == nil {
		s.synchronous(interval.Redistribution, d...)
	}
	return err
}
