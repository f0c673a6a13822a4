package sim

import (
	"bytes"
	"slices"
	"strconv"

	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// openLoop is the parallel loop between its creation and its endpl_.
type openLoop struct {
	// edges are the exchanges tied to its boundary iterations.
	edges []boundary
	// parts are its time so far, where something waits for its end.
	parts []loopPart
	// deferred says that its time passes at its end and not before.
	deferred bool
	// pipe is set when the loop is pipelined.
	pipe *pipe
}

// loopPart is loop time that one or more dopl_ calls passed, and what they
// executed: its is nil for the whole loop.
type loopPart struct {
	time  units.Seconds
	its   []layout.Iterations
	share *layout.Share
}

// doLoop passes the time of a parallel loop: processor i does N_i of the N
// iterations; what several processors do alike is insufficient parallelism
// (model section 8).
func doLoop(s *Sim, c *call.Call) (effect, error) {
	l, err := s.objects.CurrentLoop(c)
	if err != nil {
		return effect{}, err
	}
	if l.Across != nil && s.loop.pipe != nil {
		return effect{}, s.doAcross(c, l)
	}
	if l.Share == nil || l.Share.Total == 0 {
		s.user(c.CallTime)
		return effect{}, nil
	}
	if c.CallTime == 0 {
		return effect{}, nil
	}
	share := l.Share
	its, err := portion(c, l)
	if err != nil {
		return effect{}, err
	}
	if its != nil {
		if share, err = l.Portion(c, its); err != nil {
			return effect{}, err
		}
		if share.Total == 0 {
			s.user(c.CallTime)
			return effect{}, nil
		}
	}
	if len(s.loop.edges) > 0 {
		s.deferLoopTime(c.CallTime, its, share)
		if s.loop.deferred {
			return effect{}, nil
		}
	}
	s.passLoop(l, share, c.CallTime)
	return effect{}, nil
}

// deferLoopTime keeps loop time for what waits for the end of the loop.
func (s *Sim) deferLoopTime(t units.Seconds, its []layout.Iterations, share *layout.Share) {
	p := &s.loop.parts
	if n := len(*p); n > 0 && slices.Equal((*p)[n-1].its, its) {
		(*p)[n-1].time += t
		return
	}
	*p = append(*p, loopPart{t, its, share})
}

// passLoop passes t of the time of loop l on its processors.
func (s *Sim) passLoop(l *object.Loop, share *layout.Share, t units.Seconds) {
	s.sayShare("loop time", t, share, l.System)
	redundant := redundantShare(share.Same)
	total := float64(share.Total)
	s.clocks.AddBy(l.System, share.Labels, func(labels []int64) clock.Amount {
		return clock.Amount{User: scaled(t, float64(share.Count(labels))/total), UserRedundant: redundant}
	})
}

// endLoop handles endpl_: exchanges of boundary iterations begin, and the
// iterations that wait for imported elements are done.
func endLoop(s *Sim, c *call.Call) (effect, error) {
	l, err := s.objects.EndLoop(c)
	if err != nil {
		return effect{}, err
	}
	open := s.loop
	s.loop = openLoop{edges: open.edges}
	if open.pipe != nil && open.pipe.time != 0 {
		// No dopl_ said that the loop was over.
		if err := s.runPipe(c, l, open.pipe); err != nil {
			return effect{}, err
		}
	}
	s.loop = openLoop{}
	return effect{}, s.endEdges(c, l, &open)
}

// portion reads the lines "Dim0: Lower=1 Upper=12 Step=1" that a trace made
// with dopl_Trace=1 has for the part of the loop that a call hands out; nil
// when there are none.
func portion(c *call.Call, l *object.Loop) ([]layout.Iterations, error) {
	var its []layout.Iterations
	for _, line := range c.Text {
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte("Dim"))
		if !ok {
			continue
		}
		num, rest, ok := bytes.Cut(rest, []byte(":"))
		if d, err := strconv.Atoi(string(num)); !ok || err != nil || d != len(its) {
			continue
		}
		var it layout.Iterations
		for _, f := range []struct {
			key string
			dst *int64
		}{{"Lower=", &it.Init}, {"Upper=", &it.Last}, {"Step=", &it.Step}} {
			_, val, ok := bytes.Cut(rest, []byte(f.key))
			if !ok {
				return nil, object.Error(c, "portion", "%q lacks %s", line, f.key)
			}
			val, _, _ = bytes.Cut(bytes.TrimLeft(val, " "), []byte(" "))
			n, err := strconv.ParseInt(string(bytes.TrimRight(val, ";")), 10, 64)
			if err != nil {
				return nil, object.Error(c, "portion", "%q: %s%s is not an integer", line, f.key, val)
			}
			*f.dst = n
		}
		its = append(its, it)
	}
	if len(its) != l.Rank || l.Iterations == nil {
		return nil, nil
	}
	return its, nil
}
