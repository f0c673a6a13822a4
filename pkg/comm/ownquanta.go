package comm

import (
	"fmt"

	"dvmtools/pkg/units"
)

// runQuanta is runStages for stages that state the work of each quantum: it
// goes through the quanta one by one.
func runQuanta(stages []Stage, q int64) ([]StageTime, *usage) {
	quanta := float64(q)
	times := make([]StageTime, len(stages))
	ends := make([][]units.Seconds, len(stages))
	use := &usage{}
	for i := range stages {
		s := &stages[i]
		if s.Quanta != nil && int64(len(s.Quanta)) != q {
			panic(fmt.Sprintf("comm: internal error: a stage of %d quanta in a pipeline of %d", len(s.Quanta), q))
		}
		var own, transfer units.Seconds
		for _, h := range s.Hops {
			tb, message := h.quantum(quanta)
			own, transfer = max(own, h.On.TStart), max(transfer, tb)
			use.cross(&h, quanta, crossed{copies: max(1, s.Copies), message: message, sender: stages[h.From].least(quanta), receiver: s.least(quanta)})
		}
		ends[i] = make([]units.Seconds, q)
		times[i] = s.quantumByQuantum(ends, ends[i], own, transfer)
	}
	return times, use
}

// work returns the work of quantum k of so many.
func (s *Stage) work(k int, quanta float64) units.Seconds {
	if s.Quanta != nil {
		return s.Quanta[k]
	}
	return s.Work / units.Seconds(quanta)
}

// least returns the work of the shortest quantum.
func (s *Stage) least(quanta float64) units.Seconds {
	least := s.work(0, quanta)
	for _, t := range s.Quanta {
		least = min(least, t)
	}
	return least
}

// quantumByQuantum runs a stage and sets mine to the ends of its quanta. ends
// are those of its predecessors; own and transfer are the largest TStart and Tb
// of its messages.
func (s *Stage) quantumByQuantum(ends [][]units.Seconds, mine []units.Seconds, own, transfer units.Seconds) StageTime {
	quanta := float64(len(mine))
	arrived := make([]units.Seconds, len(s.Hops)) // the last message of each hop
	now := s.Clock
	var t StageTime
	for k := range mine {
		if k > 0 && len(s.Hops) > 0 {
			now += own
			t.Start += own
		}
		begin := now
		for j := range s.Hops {
			h := &s.Hops[j]
			_, message := h.quantum(quanta)
			sent := ends[h.From][k]
			if k > 0 {
				sent = max(sent, arrived[j])
			}
			arrived[j] = sent + message
			begin = max(begin, arrived[j])
		}
		if len(s.Hops) > 0 {
			gap := begin - now
			shown := min(gap, transfer)
			t.Transfer += shown
			t.Hidden += transfer - shown
			gap -= shown
			if k == 0 { // the TStart of the first message is the stage's own
				first := min(gap, own)
				t.Start += first
				gap -= first
			}
			t.Wait += gap
		}
		now = begin + s.work(k, quanta)
		mine[k] = now
	}
	t.End = now
	return t
}
