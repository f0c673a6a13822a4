package parasol

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"dvmtools/pkg/expr"
)

// ShowOptions say how much [Machine.Show] shows.
type ShowOptions struct {
	// Timings lists every timing with what it measures.
	Timings bool
	// All lists all links and runs of processors, else only the first 20.
	All bool
}

// Show writes the machine as a tree for people.
func (m *Machine) Show(to io.Writer, o ShowOptions) error {
	w := &shower{Writer: bufio.NewWriter(to), m: m, o: o, ev: m.Evaluator(false)}
	w.line(0, "machine %d%s", m.ID, named(m.Name))
	for _, t := range m.Types {
		w.processorType(t)
	}
	w.expressions(1, "machine combinations", m.combinations, "mc")
	for _, t := range m.Topologies {
		w.topology(t)
	}
	for i, set := range m.models {
		w.expressions(1, "programming model "+Models()[i]+", seconds a call", set, modelPrefixes[i])
	}
	links, processors := 0, 0
	for _, t := range m.Topologies {
		links += len(t.Links)
		processors += len(t.Types)
	}
	w.line(1, "in all %s, %s with %s and %s", plural(len(m.Types), "processor type"), plural(len(m.Topologies), "topology"), plural(processors, "processor"), plural(links, "link"))
	return w.Flush()
}

// plural returns a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Summary says in one line what the machine has.
func (m *Machine) Summary() string {
	return fmt.Sprintf("Parasol I, %s, %s, %s", plural(len(m.Types), "processor type"), plural(len(m.Topologies), "topology"), plural(len(m.EvalAll()), "expression"))
}

type shower struct {
	*bufio.Writer
	m  *Machine
	o  ShowOptions
	ev *expr.Evaluator
}

func (w *shower) line(depth int, format string, args ...any) {
	fmt.Fprintf(w, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, args...))
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" %q", name)
}

// seconds writes a timing with its unit and deviation.
func seconds(t Timing, unit string) string {
	s := expr.FormatFloat(t.Average) + unit
	if t.Known {
		s += " (deviation " + expr.FormatFloat(t.Deviation) + ")"
	}
	return s
}

func (w *shower) processorType(t *ProcessorType) {
	w.line(1, "processor type %d%s", t.ID, named(t.Name))
	if s, ok := t.SmallLoopSpeedup(); ok {
		w.line(2, "small loops %s times as fast", seconds(s, ""))
	}
	if len(t.timings.items) > 0 {
		w.timings(t)
	}
	if len(t.cache.items) > 0 {
		var parts []string
		if it := t.cache.item("size"); it != nil {
			parts = append(parts, fmt.Sprintf("%d bytes", it.number))
		}
		if c, ok := t.cache.timingOf("speed"); ok {
			parts = append(parts, seconds(c, " s a word"))
		}
		w.line(2, "cache %s", strings.Join(parts, ", "))
		w.expressions(2, "", &t.cache, fmt.Sprintf("pc(%d)", t.ID))
	}
	if len(t.combinations.items) > 0 {
		w.expressions(2, "combinations", &t.combinations, fmt.Sprintf("po(%d)", t.ID))
	}
}

func (w *shower) timings(t *ProcessorType) {
	classes := []string{"arithmetic", "logical", "index", "flow", "intrinsic"}
	count := make([]int, len(classes))
	stated, uncertain := 0, 0
	sum, arithmetic := 0.0, 0
	for i, it := range t.timings.items {
		if it == nil {
			continue
		}
		stated++
		count[slices.Index(classes, parameters[i].Class)]++
		if parameters[i].Certainty == Uncertain {
			uncertain++
		}
		if parameters[i].In("arithmetic") {
			sum += it.average
			arithmetic++
		}
	}
	var parts []string
	for i, n := range count {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", classes[i], n))
		}
	}
	line := fmt.Sprintf("%d timings: %s", stated, strings.Join(parts, ", "))
	if arithmetic > 0 {
		line += fmt.Sprintf("; arithmetic on average %.3g s", sum/float64(arithmetic))
	}
	w.line(2, "%s", line)
	if !w.o.Timings {
		return
	}
	for i, it := range t.timings.items {
		if it != nil {
			w.line(3, "%-8s %-22s %s", parameters[i].Name, it.timing(), parameters[i].Words())
		}
	}
}

// Words says in one line what the parameter measures, with "?" where that is
// uncertain.
func (p *Parameter) Words() string {
	parts := []string{p.Measures}
	for _, s := range []string{p.Type, p.Locality} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, ", ")
	if p.Certainty == Uncertain {
		s += " (?)"
	}
	return s
}

// expressions writes the expressions of a section with their values.
func (w *shower) expressions(depth int, title string, set *fieldsOf, prefix string) {
	if set == nil {
		return
	}
	if title != "" {
		w.line(depth, "%s", title)
	}
	for i, it := range set.items {
		if it == nil || grammar[set.kind].fields[i].kind != kindExpression {
			continue
		}
		name := grammar[set.kind].fields[i].name
		v, err := w.m.evalField(w.ev, prefix+"."+name, it)
		value := v.String()
		if err != nil {
			value = "no value: " + err.Msg
		}
		w.line(depth+1, "%s = %s = %s", name, it.expr(), value)
	}
}

// shown is how many links and runs are shown without [ShowOptions.All].
const shown = 20

func (w *shower) topology(t *Topology) {
	words := ""
	if t.Hardware {
		words = ", the hardware's"
	}
	if c := t.Creation(); c.Average > 0 {
		words += ", created in " + seconds(c, " s")
	}
	w.line(1, "topology %d%s: %s, %s%s", t.ID, named(t.Name), plural(len(t.Types), "processor"), plural(len(t.Links), "link"), words)
	runs := 0
	for i := 0; i < len(t.Types); {
		j := i
		for j < len(t.Types) && t.Types[j] == t.Types[i] {
			j++
		}
		if runs++; runs > shown && !w.o.All {
			w.line(2, "... more processors; --all shows them")
			break
		}
		which := fmt.Sprintf("processors %d to %d", i+1, j)
		if j == i+1 {
			which = fmt.Sprintf("processor %d", j)
		}
		w.line(2, "%s of type %d", which, t.Types[i].ID)
		i = j
	}
	for i, l := range t.Links {
		if i == shown && !w.o.All {
			w.line(2, "... %d more links; --all shows them", len(t.Links)-shown)
			break
		}
		w.link(l)
	}
}

func (w *shower) link(l *Link) {
	kind := "line between"
	if len(l.Ends) > 2 {
		kind = "bus between"
	}
	var ends []string
	for i, e := range l.Ends {
		if i == shown && !w.o.All {
			ends = append(ends, fmt.Sprintf("... (%d processors)", len(l.Ends)))
			break
		}
		ends = append(ends, fmt.Sprint(e+1))
	}
	line := fmt.Sprintf("link %d: %s %s", l.ID, kind, strings.Join(ends, " "))
	if t, ok := l.Latency(); ok {
		line += ", latency " + seconds(t, " s")
	}
	if t, ok := l.Speed(); ok {
		line += ", " + seconds(t, " s a byte")
		if t.Average > 0 {
			line += fmt.Sprintf(" = %.4g MB/s", 1e-6/t.Average)
		}
	}
	w.line(2, "%s", line)
}
