package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
)

// notes are the warnings of a simulation.
type notes struct {
	warned  []*diag.Error
	unknown []*unknownFunc
	byName  map[string]*unknownFunc
	said    map[string]bool // what is said once
}

// unknownFunc counts the calls of a function outside the table.
type unknownFunc struct {
	name  string
	taken string // what it is simulated as
	first diag.Pos
	count int64
}

func (n *notes) add(w *diag.Error) { n.warned = append(n.warned, w) }

// warn adds a warning about a place of the trace.
func (n *notes) warn(at diag.Pos, code, format string, args ...any) {
	n.add(diag.Warn(at, "model/"+code, format, args...))
}

// unlisted counts a call of a function outside the table.
func (n *notes) unlisted(c *call.Call) {
	u := n.byName[c.Func]
	if u == nil {
		u = &unknownFunc{name: c.Func, taken: c.TakenFor(), first: c.Pos}
		if n.byName == nil {
			n.byName = map[string]*unknownFunc{}
		}
		n.byName[c.Func] = u
		n.unknown = append(n.unknown, u)
	}
	u.count++
}

// warnOnce is warn for what is said once for each key.
func (n *notes) warnOnce(key string, at diag.Pos, code, format string, args ...any) {
	key = code + " " + key
	if n.said[key] {
		return
	}
	if n.said == nil {
		n.said = map[string]bool{}
	}
	n.said[key] = true
	n.warn(at, code, format, args...)
}

// inBody warns, once for each function, of an exchange in the body of a
// parallel loop.
func (n *notes) inBody(c *call.Call) {
	n.warnOnce(c.Func, c.Pos, "loop-body", "%s exchanges data in the body of a parallel loop, expected it before or behind the loop; simulated as if all processors took part", c.Where())
}

// all returns what was warned of, one warning per unknown function last.
func (n *notes) all() []*diag.Error {
	out := n.warned
	for _, u := range n.unknown {
		out = append(out, diag.Warn(u.first, "model/unknown", "unknown function %s%s; simulated as %s, %d times in all", u.name, diag.DidYouMean(u.name, libdvm.Names()), u.taken, u.count))
	}
	return out
}
