package measure

import (
	"fmt"
	"strconv"
	"strings"

	"dvmtools/pkg/expr"
	"dvmtools/pkg/machine/parasol"
)

// A Result is what came of one quantity: a timing parameter, [SpeedupName], or a part
// of the cache section.
type Result struct {
	Name string `json:"name"`
	Timing
	// Reason says why the quantity is left out, empty when it was measured.
	Reason string `json:"reason,omitempty"`
}

// SpeedupName is the name of the small-loop speed-up among results.
const SpeedupName = "smallloopspeedup"

// A Report is what was measured of a processor.
type Report struct {
	// Name is the name of the processor, without quotes and line ends, ID the
	// id of its type.
	Name string
	ID   int64
	// Conditions are lines for people: compiler, options, load.
	Conditions []string
	// Results are in any order, one for each name at most.
	Results []Result
	// DataCache is the size of the data cache in bytes as the system tells it, 0
	// when it does not. The results of [CacheSteps] have precedence.
	DataCache int64
}

// File returns a machine file of one processor in canonical form: the section
// of the processor, and a topology of this processor alone. What could not be
// measured is listed in comments, with the reason.
func (r *Report) File() (string, error) {
	name := clean(r.Name)
	var b strings.Builder
	b.WriteString("// Measured by two-run differences (Parasol I, section 3.1), in seconds per execution.\n")
	for _, c := range r.Conditions {
		fmt.Fprintf(&b, "// %s\n", strings.Join(strings.Fields(c), " "))
	}
	fmt.Fprintf(&b, "begin machine\nid = 1\nname = \"%s\"\nprocessors = 1\ntopologies = 1\n", name)
	b.WriteString(r.section(name))
	one := parasol.Shape{Kind: "line", Extents: []int{1}, ID: 1, Name: "one processor", Type: r.ID, Hardware: true}
	topology, err := one.Section()
	if err != nil {
		return "", err
	}
	b.WriteString(topology + "end machine\n")
	f, list := parasol.Parse("measured", []byte(b.String()))
	if err := list.Err(); err != nil {
		return "", err
	}
	return f.String(), nil
}

// section returns the section of the processor.
func (r *Report) section(name string) string {
	byName := map[string]Result{}
	for _, x := range r.Results {
		byName[x.Name] = x
	}
	var b, missing strings.Builder
	fmt.Fprintf(&b, "begin processor\nid = %d\nname = \"%s\"\n", r.ID, name)
	value := func(n string) {
		switch x, ok := byName[n]; {
		case ok && x.Reason == "":
			fmt.Fprintf(&b, "%s = %s %s\n", n, digits(x.Center), digits(x.Deviation))
		case ok:
			fmt.Fprintf(&missing, "// %s: %s\n", n, strings.Join(strings.Fields(x.Reason), " "))
		}
	}
	value(SpeedupName)
	b.WriteString("begin timings\n")
	for _, n := range Names() {
		value(n)
	}
	b.WriteString("end timings\n")
	r.cache(byName, &b, &missing)
	if missing.Len() > 0 {
		b.WriteString("// Not measured:\n" + missing.String())
	}
	b.WriteString("end processor\n")
	return b.String()
}

// cache writes the cache section (2.3.2), and into missing what it lacks.
func (r *Report) cache(results map[string]Result, b, missing *strings.Builder) {
	var fields strings.Builder
	lacks := func(what, reason string) {
		fmt.Fprintf(missing, "// %s: %s\n", what, strings.Join(strings.Fields(reason), " "))
	}
	steps, bytes := CacheSteps()
	var points []Point
	unclear := ""
	for _, n := range steps {
		if x, ok := results[n]; ok {
			points = append(points, Point{bytes[n], x.Center})
			if x.Reason != "" {
				unclear = x.Reason
			}
		}
	}
	size, err := CacheSizeOf(points)
	switch {
	case len(points) == 0 && r.DataCache > 0:
		fmt.Fprintf(&fields, "size = %d // bytes of the data cache, as the system tells\n", r.DataCache)
	case len(points) == 0:
		lacks(CacheSize, "the system does not tell it, and it was not asked for")
	case unclear != "":
		lacks(CacheSize, unclear)
	case err != nil:
		lacks(CacheSize, err.Error())
	default:
		fmt.Fprintf(&fields, "size = %d // bytes of the data cache, by the times of chains of words\n", size)
	}
	if x, ok := results[CacheSpeed]; ok && x.Reason == "" {
		fmt.Fprintf(&fields, "speed = %s %s // of a word that says where the next one is, with its address\n", digits(x.Center), digits(x.Deviation))
	} else if ok {
		lacks(CacheSpeed, x.Reason)
	}
	if x, ok := results[CacheRatio]; ok && x.Reason == "" {
		fmt.Fprintf(&fields, "speedratio = %s // such words in memory take as many times longer; standard deviation %s\n", digits(x.Center), digits(x.Deviation))
	} else if ok {
		lacks(CacheRatio, x.Reason)
	}
	if fields.Len() > 0 {
		b.WriteString("begin cache\n" + fields.String() + "end cache\n")
	}
}

// digits writes a number with the four digits that a measurement has.
func digits(f float64) string { return expr.FormatFloat(roundTo(f)) }

// roundTo rounds a number to four digits.
func roundTo(f float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', 3, 64), 64)
	if err != nil { // more than the largest number, when rounded
		return f
	}
	return short
}
