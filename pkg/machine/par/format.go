package par

import (
	"fmt"
	"strconv"
	"strings"

	"dvmtools/pkg/machine"
)

// Format returns the canonical text of m. That is the 2000 form when m is
// unbounded and the form can express it; the form states the inverse of the
// power. Otherwise it is the 2010 form, with every cluster before its children
// and its own medium written out.
//
// Parsing the text of a machine that [Parse] returned gives an equal machine.
// That also holds for any other valid machine whose node names are names of the
// language other than "cluster" and "search" in any case; but the 2010 form
// cannot express a topology or that a machine is unbounded.
func Format(m *machine.Machine) string {
	var b strings.Builder
	if is2000(m) {
		format2000(&b, m)
		return b.String()
	}
	fmt.Fprintf(&b, "cluster = %s;\n", m.Name)
	if m.Search != 0 {
		fmt.Fprintf(&b, "search = %d;\n", m.Search)
	}
	for _, n := range m.Nodes() {
		b.WriteByte('\n')
		if n.Leaf() {
			fmt.Fprintf(&b, "%s = %s;\n", n.Name, formatFloat(n.Power))
			continue
		}
		formatList(&b, n)
		if n.Medium.Kind == machine.NoMedium {
			continue
		}
		fmt.Fprintf(&b, "%s.CommType = %s;\n%s.TStart = %s;\n%s.TByte = %s;\n",
			n.Name, n.Medium, n.Name, formatMicro(float64(n.Medium.TStart)), n.Name, formatMicro(float64(n.Medium.TByte)))
	}
	return b.String()
}

// is2000 reports whether the 2000 form can express m.
func is2000(m *machine.Machine) bool {
	g := m.Root.Groups
	if !m.Unbounded || len(g) != 1 || !g[0].Node.Leaf() || typeOf(m.Root.Medium.Kind) == "" {
		return false
	}
	_, ok := statedPower(g[0].Node.Power)
	return ok && newNetwork(m.Root.Medium, g[0].Node.Power, m.Topology).Equal(m)
}

func format2000(b *strings.Builder, m *machine.Machine) {
	kind := typeOf(m.Root.Medium.Kind)
	power, _ := statedPower(m.Root.Groups[0].Node.Power)
	fmt.Fprintf(b, "type = %s;\nstart time = %s;\nsend byte time = %s;\npower = %s;\n", kind,
		formatMicro(float64(m.Root.Medium.TStart)), formatMicro(float64(m.Root.Medium.TByte)), formatFloat(power))
	if len(m.Topology) == 0 {
		return
	}
	extents := make([]string, len(m.Topology))
	for i, e := range m.Topology {
		extents[i] = strconv.Itoa(e)
	}
	fmt.Fprintf(b, "topology = {%s};\n", strings.Join(extents, ", "))
}

// formatList writes the definition of a cluster, broken into lines of at most
// lineWidth where the names allow it.
func formatList(b *strings.Builder, n *machine.Node) {
	const lineWidth = 78
	line := n.Name + " = {"
	for i, g := range n.Groups {
		item := g.Node.Name
		if g.Count != 1 {
			item = strconv.FormatInt(g.Count, 10) + " x " + item
		}
		end := ","
		if i == len(n.Groups)-1 {
			end = "};"
		}
		if i > 0 {
			if len(line)+len(item)+len(end)+1 > lineWidth {
				b.WriteString(line + "\n")
				line = "   "
			}
			line += " "
		}
		line += item + end
	}
	b.WriteString(line + "\n")
}

func formatFloat(x float64) string { return formatShifted(x, 0) }

// formatMicro writes seconds as microseconds.
func formatMicro(s float64) string { return formatShifted(s, 6) }
