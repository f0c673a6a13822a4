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
	for _, s := range statements(m) {
		if s.gap {
			b.WriteByte('\n')
		}
		b.WriteString(s.text + "\n")
	}
	return b.String()
}

// stated is a statement in canonical form. key names what it states: "cluster",
// "search", NAME, "NAME.TStart", in the 2000 form its words before the "=". gap
// says that an empty line comes before it.
type stated struct {
	key, text string
	gap       bool
}

// statements returns the canonical text of m statement by statement.
func statements(m *machine.Machine) []stated {
	if is2000(m) {
		return statements2000(m)
	}
	list := []stated{{key: "cluster", text: fmt.Sprintf("cluster = %s;", m.Name)}}
	if m.Search != 0 {
		list = append(list, stated{key: "search", text: fmt.Sprintf("search = %d;", m.Search)})
	}
	for _, n := range m.Nodes() {
		if n.Leaf() {
			list = append(list, stated{n.Name, fmt.Sprintf("%s = %s;", n.Name, formatFloat(n.Power)), true})
			continue
		}
		list = append(list, stated{n.Name, formatList(n), true})
		if n.Medium.Kind == machine.NoMedium {
			continue
		}
		for i, value := range []string{n.Medium.String(), formatMicro(float64(n.Medium.TStart)), formatMicro(float64(n.Medium.TByte))} {
			key := n.Name + "." + properties[i]
			list = append(list, stated{key: key, text: key + " = " + value + ";"})
		}
	}
	return list
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

func statements2000(m *machine.Machine) []stated {
	power, _ := statedPower(m.Root.Groups[0].Node.Power)
	var list []stated
	add := func(key, value string) { list = append(list, stated{key: key, text: key + " = " + value + ";"}) }
	add("type", typeOf(m.Root.Medium.Kind))
	add("start time", formatMicro(float64(m.Root.Medium.TStart)))
	add("send byte time", formatMicro(float64(m.Root.Medium.TByte)))
	add("power", formatFloat(power))
	if len(m.Topology) > 0 {
		extents := make([]string, len(m.Topology))
		for i, e := range m.Topology {
			extents[i] = strconv.Itoa(e)
		}
		add("topology", "{"+strings.Join(extents, ", ")+"}")
	}
	return list
}

// formatList returns the definition of a cluster, broken into lines of at most
// lineWidth where the names allow it.
func formatList(n *machine.Node) string {
	var b strings.Builder
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
	b.WriteString(line)
	return b.String()
}

func formatFloat(x float64) string { return formatShifted(x, 0) }

// formatMicro writes seconds as microseconds.
func formatMicro(s float64) string { return formatShifted(s, 6) }
