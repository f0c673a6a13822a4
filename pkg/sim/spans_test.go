package sim_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/options"
	"dvmtools/pkg/sim"
)

// ranks reads "0,2-4".
func ranks(t *testing.T, set string) (list []int) {
	t.Helper()
	for part := range strings.SplitSeq(set, ",") {
		a, b, isRange := strings.Cut(part, "-")
		if !isRange {
			b = a
		}
		first, err1 := strconv.Atoi(a)
		last, err2 := strconv.Atoi(b)
		if err1 != nil || err2 != nil || last < first {
			t.Fatalf("the set %q", set)
		}
		for i := first; i <= last; i++ {
			list = append(list, i)
		}
	}
	return list
}

// The spans of a processor follow each other from the begin of the program to its
// own end without gaps, and their kinds sum to what it booked in each interval, the
// intervals inside it excepted.
func TestSpansAreWhatIsBooked(t *testing.T) {
	machines := []string{bus, tree, mixed}
	n := 0
	for i, path := range testtraces.Programs(t) {
		for g, grid := range [][]int{{4}, {2, 3}} {
			opts := sim.Defaults()
			if (i+g)%2 == 1 {
				opts.Async = options.Free
			}
			if i%5 == 4 {
				opts.Level = 1
			}
			where := fmt.Sprintf("%s on %v", path, grid)
			r, err := sim.Run(context.Background(), sim.Config{Machine: machineOf(t, machines[(i+g)%3]), Grid: grid, Options: opts, Timeline: true, Lines: i%2 == 0, OwnTimes: true},
				testtraces.Calls(t, path).Source())
			if tooWide(err) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			checkSpans(t, where, r)
			n++
		}
	}
	if n < 20 {
		t.Errorf("%d timelines checked", n)
	}
}

func checkSpans(t *testing.T, where string, r *sim.Result) {
	t.Helper()
	ivs := r.Intervals()
	scale := float64(ivs[0].ExecutionTime)
	type key struct {
		rank, interval int
		kind           interval.SpanKind
	}
	sums := map[key]float64{}
	ends := map[int]float64{}
	err := r.Spans(func(s *interval.Span) error {
		for _, p := range ranks(t, s.Processors) {
			if math.Abs(float64(s.Start)-ends[p]) > 1e-12*scale || s.End <= s.Start {
				return fmt.Errorf("processor %d: a span from %v to %v behind %v", p, s.Start, s.End, ends[p])
			}
			ends[p] = float64(s.End)
			sums[key{p, s.Interval, s.Kind}] += float64(s.End - s.Start)
		}
		if (s.Op != "") != (s.Kind == interval.SpanWait || s.Kind == interval.SpanCommunication) || s.Seq < 0 {
			return fmt.Errorf("the span %+v", *s)
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	own := map[key]float64{}
	for i := range ivs {
		err := r.Processors(i, sim.Each, func(p *interval.Processor) error {
			for kind, x := range map[interval.SpanKind]float64{interval.SpanCPU: float64(p.CPUTime), interval.SpanSYS: float64(p.SYSTime), interval.SpanIO: float64(p.IOTime),
				interval.SpanWait: float64(p.CommunicationSynch), interval.SpanCommunication: float64(p.Communication - p.CommunicationSynch)} {
				own[key{int(*p.Rank), ivs[i].ID, kind}] += x
				if up := ivs[i].Parent; up > 0 {
					own[key{int(*p.Rank), up, kind}] -= x
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for k, x := range own {
		if math.Abs(sums[k]-x) > 1e-11*scale {
			t.Errorf("%s: %+v: the spans sum to %g, %g is booked", where, k, sums[k], x)
			return
		}
	}
	for k, x := range sums {
		if _, booked := own[k]; !booked && x > 1e-11*scale {
			t.Errorf("%s: %+v: spans of %g of no interval", where, k, x)
		}
	}
}
