package tracegen

import (
	"slices"
	"strconv"
)

// timeLoop makes a few statements and repeats them, as the time steps of a program:
// with other times, and with the handles that the run-time system has then.
func (g *gen) timeLoop() {
	g.waitAll()
	from, depth := len(g.calls), g.depth
	for range 1 + g.r.IntN(4) {
		g.step()
	}
	g.waitAll()
	for g.depth > depth {
		g.closeInterval()
	}
	step := slices.Clone(g.calls[from:])
	if closesMore(step) || g.depth < depth {
		return
	}
	// Statements that follow use the objects of the first or of the last step.
	last := g.chance(50)
	fresh := g.chance(60)
	var others []Call
	for range g.o.Repeat - 1 {
		others = append(others, g.again(step, fresh)...)
		if g.chance(5) {
			n := len(g.calls)
			g.ordinary() // once in a while a step does something else as well
			others, g.calls = append(others, g.calls[n:]...), g.calls[:n]
		}
	}
	if last {
		g.calls = append(append(g.calls[:from:from], others...), step...)
	} else {
		g.calls = append(g.calls, others...)
	}
}

// closesMore reports whether calls close intervals that they did not open.
func closesMore(calls []Call) bool {
	open := 0
	for i := range calls {
		switch calls[i].Func {
		case "binter_", "bsloop_", "bploop_":
			open++
		case "einter_", "enloop_", "eloop_":
			open--
		}
		if open < 0 {
			return true
		}
	}
	return false
}

// again returns the calls of a time step with other times and, when fresh is set,
// with other handles for the objects that it creates.
func (g *gen) again(step []Call, fresh bool) []Call {
	handles := map[string]string{}
	rename := func(lines []string) []string {
		out := slices.Clone(lines)
		for i := range out {
			out[i] = reference.ReplaceAllStringFunc(out[i], func(ref string) string {
				if other, ok := handles[ref]; ok {
					return other
				}
				return ref
			})
		}
		return out
	}
	out := slices.Clone(step)
	for i := range out {
		c := &out[i]
		c.Time, c.RetTime = g.time(), g.time()
		if !fresh {
			continue
		}
		c.Args = rename(c.Args)
		for _, l := range c.Ret {
			for _, ref := range reference.FindAllString(l, -1) {
				if creates[c.Func] {
					handles[ref] = "=" + strconv.FormatUint(g.handle(), 16)
				}
			}
		}
		c.Ret = rename(c.Ret)
	}
	return out
}

// creates are the functions that return the handle of a new object.
var creates = map[string]bool{
	"crtamv_": true, "crtda_": true, "crtpl_": true, "crtshg_": true, "crtrg_": true, "crtred_": true,
	"crtrbl_": true, "crtrbp_": true, "crtbg_": true, "crtps_": true, "psview_": true,
}
