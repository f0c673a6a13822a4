package sim

import (
	"fmt"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/density"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Wanted names a call whose cost is to be explained: its function and its
// number in the stream.
type Wanted struct {
	Func string
	Seq  int64
}

// explanation collects what one call does, as it happens: the handlers that
// compute a figure say from what. It is nil for all other calls.
type explanation struct {
	lines []string
	// pipe is set at the calls of a loop that the wanted across_ made a pipeline:
	// what it costs passes there. started and passed are what pipe had before.
	pipe    *pipe
	started bool
	passed  int
}

// say adds a line to the explanation of the call being simulated.
func (s *Sim) say(format string, args ...any) {
	if s.explained != nil {
		s.explained.lines = append(s.explained.lines, fmt.Sprintf(format, args...))
	}
}

// explain begins the explanation of c when it is the wanted one, or one of a
// pipelined loop that the wanted one began.
func (s *Sim) explain(c *call.Call) error {
	w := s.cfg.Explain
	if w == nil {
		return nil
	}
	switch p := s.loop.pipe; {
	case c.Seq == w.Seq && c.Func != w.Func:
		return fmt.Errorf("call %d is %s at %s:%d, not %s", c.Seq, c.Func, c.File, c.Line, w.Func)
	case c.Seq == w.Seq:
		s.explained = &explanation{}
	case p != nil && p.by.seq == w.Seq:
		s.explained = &explanation{pipe: p, started: p.started, passed: p.passed}
	default:
		return nil
	}
	s.clocks.Explain(s.say)
	s.say("%s at %s:%d (call %d, %v): %s", c.Func, c.File, c.Line, c.Seq, c.Pos, describe(c))
	sys := s.objects.Current()
	if runs := s.cfg.Machine.PowerRuns(int64(sys.Size())); sys.Ranks == nil && len(runs) > 1 {
		s.say("powers, from processor 0 on: %s", powersText(runs))
	}
	s.say("current processor system: %s = %d processors, clocks at %s at the latest", gridText(sys.Grid), sys.Size(), micro(s.clocks.Latest(sys)))
	return nil
}

func describe(c *call.Call) string {
	if c.Row == nil {
		return "not in the table of functions, taken for an ordinary one"
	}
	return c.Row.Doc
}

// endExplain ends the explanation of the call being simulated.
func (s *Sim) endExplain() {
	if s.explained == nil {
		return
	}
	s.say("clocks afterwards: %s at the latest", micro(s.clocks.Latest(s.objects.Current())))
	if e := s.explained; e.pipe == nil || e.pipe.started != e.started || e.pipe.passed != e.passed {
		s.explanation = append(s.explanation, e.lines...)
	}
	s.explained = nil
	s.clocks.Explain(nil)
}

// sayBase explains time that all processors of sys spend alike.
func (s *Sim) sayBase(what string, t units.Seconds, sys *procs.System) {
	if s.explained == nil {
		return
	}
	n := sys.Size()
	s.say("%s %s: on every processor %s / power, of which (P-1)/P = %d/%d are insufficient parallelism", what, micro(t), micro(t), n-1, n)
}

// sayOwn explains time of which every processor has its own.
func (s *Sim) sayOwn(what string, t spent) {
	if s.explained == nil {
		return
	}
	least, most := t.of(0), t.of(0)
	for p := range t.own {
		least, most = min(least, t.of(p)), max(most, t.of(p))
	}
	s.say("%s: on every processor its own time of the trace, %s to %s, / power", what, micro(least), micro(most))
}

// sayShare explains time that processors spend by their shares of iterations
// or elements.
func (s *Sim) sayShare(what string, t units.Seconds, share *layout.Share, sys *procs.System) {
	if s.explained == nil || t == 0 {
		return
	}
	least, most := int64(-1), int64(0)
	coords, labels := make([]int, len(sys.Grid)), make([]int64, len(sys.Grid))
	for i := range sys.Size() {
		sys.Coords(i, coords)
		for k, c := range coords {
			labels[k] = share.Labels[k][c]
		}
		n := share.Count(labels)
		if least < 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	s.say("%s %s on system %s: processor i spends %s * N_i / N / power with N = %d, N_i = %d..%d; %s",
		what, micro(t), gridText(sys.Grid), micro(t), share.Total, least, most, alikeWords(share.Same))
	s.say("  the longest: %s * %d / %d = %s on power 1", micro(t), most, share.Total, micro(scaled(t, float64(most)/float64(share.Total))))
}

// alikeWords says how many processors execute the same.
func alikeWords(same int64) string {
	if same > 1 {
		return fmt.Sprintf("%d processors each do the same, (%d-1)/%d of it is insufficient parallelism", same, same, same)
	}
	return "no two processors do the same"
}

// sayCosts explains loop time that processors spend by the costs of their
// iterations.
func (s *Sim) sayCosts(what string, t units.Seconds, p *portion, parts *density.Shares) {
	if s.explained == nil {
		return
	}
	sys := p.loop.System
	least, most := 2.0, 0.0
	coords := make([]int, len(sys.Grid))
	for i := range sys.Size() {
		sys.Coords(i, coords)
		x := partAt(parts, coords)
		least, most = min(least, x), max(most, x)
	}
	s.say("%s %s on system %s: by the cost of iterations, %s: processor i spends %s * W_i / W / power with W_i / W = %.9g..%.9g; %s",
		what, micro(t), gridText(sys.Grid), p.cost, micro(t), least, most, alikeWords(p.share.Same))
	s.say("  the longest: %s * %.9g = %s on power 1", micro(t), most, micro(scaled(t, most)))
}

// sayDeferred explains loop time that passes at the loop's end.
func (s *Sim) sayDeferred(p *portion, userSpent, systemSpent spent) {
	if s.explained != nil {
		user, system := userSpent.merged, systemSpent.merged
		if userSpent.own != nil || systemSpent.own != nil {
			s.say("loop time of each processor's own: put off until the loop is over")
			return
		}
		by := ""
		if p != nil && (p.sharesOf(userSpent) != nil || p.sharesOf(systemSpent) != nil) {
			by = fmt.Sprintf(", then divided by the cost of iterations, %s", p.cost)
		}
		s.say("loop time %s, time inside calls in the loop %s: put off until the loop is over%s", micro(user), micro(system), by)
	}
}

// sayEdges explains the part of a loop's time that edgeCounts.time returns, for
// the processor that has most of it.
func (s *Sim) sayEdges(what string, e *edgeCounts, edges bool) {
	if s.explained == nil {
		return
	}
	labels := e.most(edges)
	for i := range e.times {
		p := &e.times[i]
		t, n, total := p.user.merged+p.system.merged, e.of[i].count(labels, edges), p.of.share.Total
		if e.user[i] != nil || e.system[i] != nil {
			w := e.work(i, labels, edges)
			s.say("loop time %s %s: by the cost of iterations, %s: at most %s on power 1", micro(t), what, p.of.cost, micro(w.User+w.System))
			continue
		}
		s.say("loop time %s %s: at most %s * %d / %d = %s on power 1", micro(t), what, micro(t), n, total, micro(scaled(t, float64(n)/float64(total))))
	}
}

// powersText lists powers in runs.
func powersText(runs []machine.PowerRun) string {
	const most = 8
	var parts []string
	for i, r := range runs {
		if i == most {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%d x %g", r.N, r.Power))
	}
	return strings.Join(parts, ", ")
}

// Explanation returns the lines that explain the wanted call, nil when there
// was no such call.
func (r *Result) Explanation() []string { return r.explanation }

func gridText(grid []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(grid), " ", "x"), "[]")
}

// micro spells a time in microseconds.
func micro(t units.Seconds) string { return t.Micros(9) + " us" }
