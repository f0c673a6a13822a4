package machine

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Show writes a machine of media as a tree for people: each node where it is
// first listed, with the number of processors below it.
func (m *Machine) Show(to io.Writer) error {
	w := bufio.NewWriter(to)
	count := fmt.Sprintf("%d processors", m.Processors())
	if m.Unbounded {
		count = "as many processors as a grid asks for"
	}
	fmt.Fprintf(w, "machine %q: %s\n", m.Name, count)
	if len(m.Topology) > 0 {
		fmt.Fprintf(w, "  grid %s\n", strings.ReplaceAll(strings.Trim(fmt.Sprint(m.Topology), "[]"), " ", "x"))
	}
	if m.Search != 0 {
		fmt.Fprintf(w, "  search mode %d\n", m.Search)
	}
	type step struct {
		n     *Node
		count int64
		depth int
	}
	seen := map[*Node]bool{}
	stack := []step{{m.Root, 1, 1}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		times := ""
		if s.count > 1 && !m.Unbounded {
			times = fmt.Sprintf("%d x ", s.count)
		}
		fmt.Fprintf(w, "%s%s%s", strings.Repeat("  ", s.depth), times, s.n.Name)
		switch {
		case s.n.Leaf():
			fmt.Fprintf(w, ": power %s\n", format(s.n.Power))
			continue
		case s.n.Medium.Kind != NoMedium:
			md := s.n.Medium
			kind := md.Kind.String()
			if md.Kind == Myrinet {
				kind = fmt.Sprintf("%s of %d channels", kind, md.Channels)
			}
			fmt.Fprintf(w, ": %s, %s us a message, %s us a byte", kind, format(float64(md.TStart)*1e6), format(float64(md.TByte)*1e6))
			if md.TByte > 0 {
				fmt.Fprintf(w, " = %.4g MB/s", 1e-6/float64(md.TByte))
			}
		}
		if seen[s.n] {
			fmt.Fprint(w, ", as above\n")
			continue
		}
		seen[s.n] = true
		if !m.Unbounded {
			fmt.Fprintf(w, ", %d processors", s.n.total)
		}
		fmt.Fprint(w, "\n")
		for i := len(s.n.Groups) - 1; i >= 0; i-- {
			g := s.n.Groups[i]
			stack = append(stack, step{g.Node, g.Count, s.depth + 1})
		}
	}
	return w.Flush()
}
