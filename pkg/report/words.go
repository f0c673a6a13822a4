package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
)

// Clean returns text of a trace so that it can be shown in one line: bytes
// that are not UTF-8, also in the form in which records hold them (U+F700 +
// byte), become \xNN, and control and formatting
// characters, which could reorder or hide the text next to them, become
// \xNN or \uNNNN. All other characters stay, markup included: the page's
// template escapes that.
func Clean(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r >= 0xf700 && r <= 0xf7ff:
			fmt.Fprintf(&b, `\x%02x`, r-0xf700)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsPrint(r):
			if r > 0xffff {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// program names what was simulated: the source file in which the program
// begins, or what the trace is called when that is not known.
func program(t *Tree) string {
	if t.Root.File != "" {
		return Clean(t.Root.File)
	}
	if s := trace(&t.Header); s != "" {
		return s
	}
	return "unnamed program"
}

// trace names the files of the trace, "" when there are none.
func trace(h *interval.Header) string {
	return Clean(strings.Join(h.Source, ", "))
}

// gridWords returns "4 × 4".
func gridWords(grid []int) string {
	if len(grid) == 0 {
		return "1"
	}
	var s []string
	for _, n := range grid {
		s = append(s, strconv.Itoa(n))
	}
	return strings.Join(s, " × ")
}

// count returns "1 processor", "2 processors".
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// machineWords describes a machine: a summary, and one line for each node, for its
// links and for each change that was made to it.
func machineWords(d *machine.Description) (summary string, nodes []string) {
	if d.Name == "" && len(d.Nodes) == 0 {
		return "not stated", nil
	}
	summary = Clean(d.Name) + ", "
	if d.Unbounded {
		summary += "any number of processors"
	} else {
		summary += count(d.Processors, "processor", "processors")
	}
	switch d.Order {
	case machine.Fastest:
		summary += ", the fastest taken first"
	case machine.Cyclic:
		summary += ", one of each node taken in turn"
	}
	for i := range d.Nodes {
		nodes = append(nodes, nodeWords(&d.Nodes[i]))
	}
	if n := d.Network; n != nil {
		nodes = append(nodes, networkWords(n))
	}
	for _, c := range d.Changes {
		nodes = append(nodes, "changed before: "+Clean(c.String()))
	}
	return summary, nodes
}

// nodeWords describes one node of a machine in one line. Times are in
// microseconds, the unit of the files that users write.
func nodeWords(n *machine.NodeDescription) string {
	name := Clean(n.Name)
	if len(n.Children) == 0 {
		return name + ": a processor of relative power " + strconv.FormatFloat(n.Power, 'g', -1, 64)
	}
	var groups []string
	for _, g := range n.Children {
		groups = append(groups, strconv.FormatInt(g.Count, 10)+" × "+Clean(g.Node))
	}
	s := name + ": " + strings.Join(groups, ", ")
	m := n.Medium
	if m == nil {
		return s
	}
	s += " on " + m.CommType.String()
	if least, most := m.CommType.Channels(); least < most {
		s += " with " + count(int64(m.Channels), "channel", "channels")
	}
	micro := func(x float64) string { return strconv.FormatFloat(x*1e6, 'g', 6, 64) }
	return s + ", " + micro(float64(m.TStart)) + " us per message + " + micro(float64(m.TByte)) + " us per byte"
}

// networkWords describes the links of a machine in one line.
func networkWords(n *machine.NetworkDescription) string {
	s := "topology " + strconv.FormatInt(n.Topology, 10)
	if n.Name != "" {
		s += " (" + Clean(n.Name) + ")"
	}
	s += ": " + count(int64(len(n.Links)), "link", "links")
	if n.Model != "" {
		s += ", overheads of " + Clean(n.Model)
	}
	return s + "; power 1 is " + Clean(n.PowerBase)
}

// optionWords lists the options of the model with which the program was simulated,
// "" when the stream states none, or was measured.
func optionWords(h *interval.Header) string {
	if h.Measured {
		return ""
	}
	o := &h.Options
	var list []string
	for _, c := range options.Choices() {
		if value := c.Get(&o.Model); value != "" {
			list = append(list, c.Name+" "+value)
		}
	}
	if o.Sections != "" {
		list = append(list, "sections "+Clean(o.Sections))
	}
	for _, c := range o.LoopCost {
		list = append(list, "loop cost "+Clean(c))
	}
	if n := o.OwnTimes; n > 0 {
		list = append(list, "own times of "+count(int64(n), "process", "processes"))
	}
	return strings.Join(list, ", ")
}

// warningWords says how many warnings the simulation gave, "" for none.
func warningWords(n int64) string {
	if n <= 0 {
		return ""
	}
	return count(n, "warning", "warnings") + " of the simulation; see its messages"
}

// fileWords names the file of an interval.
func fileWords(iv *interval.Interval) string {
	if iv.File == "" {
		return "unknown file"
	}
	return Clean(iv.File)
}

// placeWords returns "jac.fdv:12".
func placeWords(iv *interval.Interval) string {
	file := fileWords(iv)
	if iv.Line <= 0 {
		return file
	}
	return file + ":" + strconv.Itoa(iv.Line)
}

// typeWords names the type of an interval.
func typeWords(t interval.Type) string {
	switch t {
	case interval.Main:
		return "main"
	case interval.User:
		return "user"
	case interval.Sequential:
		return "sequential"
	case interval.Parallel:
		return "parallel"
	}
	return Clean(string(t))
}

// loneWords says why a report cannot tell where in the program time is spent, "" when
// it can.
func loneWords(t *Tree) string {
	if len(t.Nodes) > 1 || t.Dropped > 0 || len(t.Root.Lines) > 0 {
		return ""
	}
	return "The trace marks no intervals, and the stream has no lines of the source, so all times are those of the whole program: run dvmsim without --lines=false, or compile the program with intervals, to see where they are spent."
}

// exprWords returns the value of the interval's expression, "" without one.
func exprWords(iv *interval.Interval) string {
	if iv.Expr == nil {
		return ""
	}
	return strconv.FormatInt(*iv.Expr, 10)
}

// maxBoxes is how many boxes of a class are shown; a class of scattered
// processors may have thousands.
const maxBoxes = 8

// classWords says which processors a class holds: "(0-1; 3), (2; 0,2)" by
// their coordinates in the grid, or "processor 5".
func classWords(p *interval.Processor) string {
	if p.Rank != nil {
		return "processor " + strconv.FormatInt(*p.Rank, 10)
	}
	if len(p.Boxes) == 0 {
		return "not stated"
	}
	var list []string
	for i, box := range p.Boxes {
		if i == maxBoxes {
			list = append(list, "and "+count(int64(len(p.Boxes)-i), "more box", "more boxes"))
			break
		}
		list = append(list, "("+Clean(strings.Join(box, "; "))+")")
	}
	return strings.Join(list, ", ")
}
