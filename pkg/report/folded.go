package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
)

// maxFrames is the greatest number of frames of a stack; deeper intervals belong to
// the last frame. Without a bound the text would grow with the square of the depth.
const maxFrames = 100

// A leaf is a part of a metric that gets a frame of its own.
type leaf struct {
	frame string // "" for none
	times func(*interval.Times) float64
	ops   func(*interval.Operations) int64
	// whole says that the part does not add up over intervals, so that only that
	// of the main interval counts: idle time until the last processor ends.
	whole bool
}

// get returns the leaf's part of an interval, in nanoseconds or operations.
func (l *leaf) get(iv *interval.Interval) float64 {
	if l.ops != nil {
		return float64(l.ops(&iv.Operations))
	}
	return l.times(&iv.Times) * 1e9
}

// metricLeaves returns the leaves of the folded metric, nil when there is no
// such metric.
func metricLeaves(metric string) []leaf {
	var parts []leaf
	var want func(p *Part) bool
	switch metric {
	case "total_time":
		want = func(*Part) bool { return true }
	case "productive_time":
		want = func(p *Part) bool { return p.Productive }
	case "lost_time":
		want = func(p *Part) bool { return !p.Productive }
	}
	if want != nil {
		for i, p := range Split(&interval.Times{}) {
			if want(&p) {
				parts = append(parts, leaf{frame: "[" + p.Label + "]", whole: p.Key == "idle",
					times: func(t *interval.Times) float64 { return Split(t)[i].Seconds }})
			}
		}
		return parts
	}
	for _, f := range Figures() {
		if f.Name() == metric && f.inner {
			return []leaf{{times: f.times, ops: f.ops}}
		}
	}
	return nil
}

// Metrics returns the names of the metrics of the folded format, the default
// first: those that add up over intervals, and Total time and Lost time, of
// which the idle time is that at the end of the program.
func Metrics() []string {
	list := []string{"total_time", "lost_time"}
	for _, f := range Figures() {
		if f.inner {
			list = append(list, f.Name())
		}
	}
	return list
}

// CheckMetric returns what is wrong with the name of a folded metric; "" is
// the default.
func CheckMetric(name string) error {
	if all := Metrics(); name != "" && !slices.Contains(all, name) {
		return fmt.Errorf("found metric %q, expected one that adds up over intervals: %s%s", name, alternatives(all), diag.DidYouMean(name, all))
	}
	return nil
}

// writeFolded writes a line for each interval (and part of the metric) that
// has some of it outside of the intervals inside it: the frames from the main
// interval on, joined by semicolons, a blank and a whole number of nanoseconds
// or operations. The numbers of all lines sum to the value of the program,
// rounded.
func writeFolded(w io.Writer, t *Tree, o Options) error {
	if err := CheckMetric(o.Metric); err != nil {
		return err
	}
	metric := o.Metric
	if metric == "" {
		metric = Metrics()[0]
	}
	leaves := metricLeaves(metric)
	b := bufio.NewWriterSize(w, 1<<16)
	// The sums so far, exact and as written. Lines are differences of rounded
	// sums, so that rounding errors do not add up.
	exact, written := 0.0, 0.0
	var frames []string
	for _, n := range t.Nodes {
		depth := min(n.Level, maxFrames-1)
		frames = append(frames[:depth], stackFrame(n))
		for i := range leaves {
			l := &leaves[i]
			own := l.get(&n.Interval)
			switch {
			case l.whole && n.Up != nil:
				continue
			case !l.whole:
				for _, in := range n.Inner {
					own -= l.get(&in.Interval)
				}
			}
			exact += own
			part := math.Round(exact) - written
			if part <= 0 {
				continue
			}
			written += part
			b.WriteString(strings.Join(frames, ";"))
			if l.frame != "" {
				b.WriteString(";" + l.frame)
			}
			b.WriteString(" " + strconv.FormatFloat(part, 'f', 0, 64) + "\n")
		}
	}
	return b.Flush()
}

// stackFrame names an interval in a stack.
func stackFrame(n *Node) string { return strings.ReplaceAll(nameWords(n), ";", ",") }
