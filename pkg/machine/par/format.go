package par

import (
	"fmt"
	"strconv"
	"strings"

	"dvmtools/pkg/machine"
)

// Format returns the canonical text of m: the 2000 form for a machine that is
// unbounded and has the shape of that form, as [Parse] makes it (there the
// power of a processor stands inverted), and otherwise
// the 2010 form, every cluster before what it lists, with its effective
// medium. Parsing the text of a machine that Parse returned gives a machine
// that is equal to it; so does that of any other valid machine of the 2010
// form whose node names are names of the language, none of them "cluster" or
// "search" in any case, with the topology and bound left out, which the 2010
// form cannot express.
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

// is2000 says whether m is what the 2000 form can express.
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
