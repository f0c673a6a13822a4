package sim_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/sim"
)

// withLines simulates with lines.
func withLines(src call.Source, m *machine.Machine, grid []int, o interval.Options) (*sim.Result, error) {
	return sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: o, Lines: true}, src)
}

// additive calls f for every characteristic that adds up, of its own or of a
// kind of operation.
func additive(t *interval.Times, f func(name string, value float64)) {
	for _, c := range interval.Characteristics() {
		if c.Inner {
			f(c.Name, c.Value(t))
		}
	}
	for k := range interval.NumKinds {
		for _, c := range interval.KindCharacteristics() {
			f(k.String()+"."+c.Name, float64(*c.AtKind(t.Kind(k))))
		}
	}
}

// checkLines checks that the lines of every interval sum to what passed in it,
// the intervals inside it excepted: characteristics, operations, and over all
// intervals the calls.
func checkLines(t *testing.T, where string, r *sim.Result) (calls int64) {
	t.Helper()
	checkExchanges(t, where, r)
	return checkLineSums(t, where, r)
}

// checkLineSums is checkLines without what exchanges cost by their places.
func checkLineSums(t *testing.T, where string, r *sim.Result) (calls int64) {
	t.Helper()
	ivs := r.Intervals()
	for i := range ivs {
		iv := &ivs[i]
		own, scale := map[string]float64{}, map[string]float64{}
		ops := iv.Operations
		additive(&iv.Times, func(name string, v float64) { own[name], scale[name] = v, math.Abs(v) })
		for j := range ivs {
			if ivs[j].Parent == iv.ID {
				additive(&ivs[j].Times, func(name string, v float64) { own[name] -= v })
				for k := range interval.NumKinds {
					*ops.Kind(k) -= *ivs[j].Operations.Kind(k)
				}
			}
		}
		var sum interval.Operations
		seen := map[string]bool{}
		for _, l := range r.Lines(i) {
			additive(&l.Times, func(name string, v float64) { own[name] -= v })
			at := fmt.Sprint(l.File, l.Line)
			if l.Interval != iv.ID || l.FromLine > l.Line || seen[at] {
				t.Errorf("%s: interval %d: %+v", where, iv.ID, l)
			}
			seen[at] = true
			for k := range interval.NumKinds {
				*(&sum).Kind(k) += *l.Operations.Kind(k)
			}
			for _, f := range l.Functions {
				calls += f.Calls
			}
		}
		// What is left is rounding: of sums of as many terms as there are
		// calls, and of processors times their figures.
		for name, rest := range own {
			if math.Abs(rest) > 1e-11*scale[name] {
				t.Errorf("%s: interval %d (%s:%d): %s: the lines lack %g of %g", where, iv.ID, iv.File, iv.Line, name, rest, scale[name])
			}
		}
		if sum != ops {
			t.Errorf("%s: interval %d: operations %+v at its lines, %+v in it", where, iv.ID, sum, ops)
		}
	}
	return calls
}

// checkExchanges checks that what exchanges cost, by the places where they are
// started, sums to what operations cost in the program.
func checkExchanges(t *testing.T, where string, r *sim.Result) {
	t.Helper()
	root := r.Intervals()[0]
	var count interval.Operations
	rest := root.Times
	for _, x := range r.Exchanges() {
		*count.Kind(x.Kind) += x.Count
		if x.Messages < 0 || int64(x.Bytes) < x.Messages || x.Messages == 0 && x.Bytes > 0 || x.Seq < 1 {
			t.Errorf("%s: %+v", where, x)
		}
		for _, c := range interval.KindCharacteristics() {
			*c.AtKind(rest.Kind(x.Kind)) -= *c.AtKind(&x.KindTimes)
		}
	}
	if count != root.Operations {
		t.Errorf("%s: %+v exchanges by their places, %+v operations", where, count, root.Operations)
	}
	for k := range interval.NumKinds {
		for _, c := range interval.KindCharacteristics() {
			if all, left := *c.AtKind(root.Kind(k)), *c.AtKind(rest.Kind(k)); math.Abs(float64(left)) > 1e-11*math.Abs(float64(all)) {
				t.Errorf("%s: exchanges lack %g of %g of %v.%s", where, left, all, k, c.Name)
			}
		}
	}
}

// Lines sum to their intervals, on every trace, those of the sample on every
// grid, and the intervals are those without lines.
func TestLinesSumToTheirIntervals(t *testing.T) {
	created := linked(t, 64, 1, row(64, 2e-5, 1e-8)...)
	created.Network.Creation = 1e-3
	machines := []*machine.Machine{machineOf(t, bus), machineOf(t, tree), created}
	free := sim.Defaults()
	free.Async = options.Free
	sample := testtraces.Sample(t)
	for i, path := range testtraces.Whole(t) {
		inside := int64(0)
		src := testtraces.Calls(t, path).Source()
		for c, err := src.Next(); err == nil; c, err = src.Next() {
			if !c.Outside {
				inside++
			}
		}
		for g, grid := range grids {
			sampled := slices.Contains(sample, path)
			if !sampled && (effort.Race || g != i%len(grids)) || effort.Race && g%4 != 0 {
				continue // each machine once; all of them without the detector
			}
			name := fmt.Sprintf("%s on %v", filepath.Base(path), grid)
			m, o := machines[g%3], sim.Defaults()
			if g%4 == 2 {
				o = free
			}
			without, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid, Options: o}, testtraces.Calls(t, path).Source())
			if err != nil {
				if !tooWide(err) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			r, err := withLines(testtraces.Calls(t, path).Source(), m, grid, o)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if calls := checkLines(t, name, r); calls != inside {
				t.Errorf("%s: %d calls at lines, %d in the program", name, calls, inside)
			}
			for i, iv := range without.Intervals() {
				got := r.Intervals()[i]
				if got.Operations != iv.Operations || got.Processors != iv.Processors || without.Lines(i) != nil {
					t.Errorf("%s: interval %d: %+v, without lines %+v", name, iv.ID, got, iv)
				}
				if got.Times != iv.Times { // to the last bit
					t.Errorf("%s: interval %d: %+v, without lines %+v", name, iv.ID, got.Times, iv.Times)
				}
			}
			// Whatever is cut off, the lines of what is left have it.
			o.Level = 1
			if r, err = withLines(testtraces.Calls(t, path).Source(), m, grid, o); err != nil {
				t.Fatal(err)
			}
			if calls := checkLines(t, name+", level 1", r); calls != inside {
				t.Errorf("%s, level 1: %d calls at lines, %d in the program", name, calls, inside)
			}
		}
	}
}

// What passes before a call belongs to the lines from the call before it to
// its own; the body of a loop, wherever its calls say they are, to those from
// its dopl_ to its endpl_.
func TestLinesOfALoop(t *testing.T) {
	m := machineOf(t, "cluster = c; c = {2 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 1.0;")
	path := "single/f02_heat3d.ptr.zst"
	r, err := withLines(testtraces.Calls(t, path).Source(), m, []int{2}, sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	// The loop of lines 10 to 18: dopl_ at 11, endpl_ at 18.
	var body, loop float64
	src := testtraces.Calls(t, path).Source()
	in := false
	for c, err := src.Next(); err == nil; c, err = src.Next() {
		if c.Line < 10 || c.Line > 18 {
			continue
		}
		if in {
			body += float64(c.CallTime)
		}
		if c.Func == "endpl_" || c.Func == "enloop_" {
			loop += 2 * float64(c.CallTime)
		}
		if c.Func == "dopl_" {
			in = !in
		}
	}
	var got []string
	for i, iv := range r.Intervals() {
		if iv.Line != 10 || iv.Type != interval.Parallel {
			continue
		}
		for _, l := range r.Lines(i) {
			got = append(got, fmt.Sprintf("%d-%d", l.FromLine, l.Line))
			if l.Line == 18 && !near(float64(l.CPUTime), body+loop, 1e-12) {
				t.Errorf("%g s at lines 11 to 18, expected %g of the body and %g of the calls behind it on both processors", l.CPUTime, body, loop)
			}
		}
	}
	if want := "10-10 10-11 11-18"; strings.Join(got, " ") != want {
		t.Errorf("lines %s, expected %s", got, want)
	}
}

// What the exchange of line 20 costs is booked to its start: a heat equation of
// N x N x N elements of 8 bytes, cut along the first two dimensions. Explained,
// one exchange is 2 messages of 384 bytes, 4 of 240, 2 of 192, 2 of 96 and 2 of
// 48: 12 messages and 2400 bytes. There are three of them. Each lasts 12 messages of
// 75 us and 2400 bytes of 0.2 us on a bus, which the processors wait for at line
// 20, too: nothing lies between start and wait.
func TestExchangesByHand(t *testing.T) {
	m := machineOf(t, "cluster = c; c = {4 x p}; c.CommType = ethernet; c.TStart = 75; c.TByte = 0.2; p = 1.0;")
	r, err := withLines(testtraces.Calls(t, "single/f02_heat3d.ptr.zst").Source(), m, []int{2, 2, 1}, sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Exchanges() {
		if x.Kind != interval.Shadow {
			continue
		}
		if x.Func != "strtsh_" || x.Line != 20 || x.Count != 3 || x.Messages != 36 || x.Bytes != 7200 {
			t.Errorf("found %+v", x)
		}
		all := float64(x.Communication-x.RealSynch) + float64(x.Overlap)
		if want := 4 * 3 * (12*75e-6 + 2400*0.2e-6); !near(all, want, 1e-12) {
			t.Errorf("the exchanges take %g s of all processors, expected %g", all, want)
		}
		return
	}
	t.Error("no shadow edges are exchanged")
}

// BenchmarkLines runs the large trace from its text to the intervals, with
// lines and without.
func BenchmarkLines(b *testing.B) {
	trace := testtraces.Text(b, "large/f11_big.ptr.zst")
	m := machineOf(b, bus)
	for _, lines := range []bool{false, true} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			b.SetBytes(int64(len(trace)))
			b.ReportAllocs()
			for b.Loop() {
				r, err := ptr.NewReader("f11_big.ptr", bytes.NewReader(trace), ptr.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: []int{8, 8}, Options: sim.Defaults(), Lines: lines}, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
