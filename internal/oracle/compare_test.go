package oracle_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/oracle"
	"dvmtools/internal/testtraces"
	"dvmtools/internal/tracegen"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/sim"
)

// plain is how many programs the ordinary tests compare. Machines, grids and
// options repeat after different numbers of seeds, so that this many programs
// cover most of the combinations.
const plain = 300

// ordinary returns the default number of programs. It is smaller under the race
// detector, to which one program is as good as another.
func ordinary() int {
	if effort.Race {
		return plain / 3
	}
	return effort.Of(plain, 20_000)
}

var (
	programs  = flag.Int("oracle.programs", ordinary(), "compare `N` random programs")
	firstSeed = flag.Uint64("oracle.seed", 1, "make the first program from seed `N`")
	features  = flag.Uint("oracle.features", 0, "use the features whose bits are set in `N`, all for 0")
)

// tolerance is the largest allowed difference of two figures, relative to the
// total time of their interval, or to a hundredth of the program's: clocks run
// through the whole program, and their rounding is in short intervals too.
const tolerance = 1e-12

func mustMachine(m *machine.Machine, err error) *machine.Machine {
	if err != nil {
		panic(err)
	}
	return m
}

// machines returns a machine of each kind of medium, and trees of media, with
// equal and with unequal powers. Messages take about as long as the programs'
// calls.
func machines() []*machine.Machine {
	one, fast, slow := machine.NewProcessor("one", 1), machine.NewProcessor("fast", 2), machine.NewProcessor("slow", 0.75)
	bus := machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: 75e-6, TByte: 0.2e-6}
	two := machine.Medium{Kind: machine.Myrinet, Channels: 2, TStart: 30e-6, TByte: 0.05e-6}
	links := machine.Medium{Kind: machine.Transputer, TStart: 75e-6, TByte: 0.2e-6}
	near := machine.Medium{Kind: machine.Myrinet, Channels: 3, TStart: 2e-6, TByte: 0.004e-6}
	flat := func(name string, m machine.Medium, gs ...machine.Group) *machine.Machine {
		return mustMachine(machine.New(machine.NewCluster(name, m, gs...)))
	}
	all := func(n *machine.Node) machine.Group { return machine.Group{Count: 64, Node: n} }
	some := func(k int64, n *machine.Node) machine.Group { return machine.Group{Count: k, Node: n} }
	pair := machine.NewCluster("pair", near, some(2, one))
	three := machine.NewCluster("three", bus, some(1, fast), some(2, slow))
	return []*machine.Machine{
		flat("bus", bus, all(one)),
		flat("myrinet2", two, all(one)),
		flat("transputer", links, all(one)),
		flat("tree", bus, some(3, pair), some(20, three)),
		flat("mixed", two, some(2, slow), some(1, one), some(61, fast)),
		flat("free", machine.Medium{Kind: machine.Ethernet, Channels: 1}, all(slow)),
		flat("mixedlinks", links, some(3, fast), some(61, slow)),
		flat("nodes", two, some(30, pair)),
		flat("unequal", bus, some(2, three), some(1, slow), some(2, pair), some(1, machine.NewCluster("wide", two, some(2, slow), some(3, one)))),
		flat("linknodes", bus, some(16, machine.NewCluster("links", links, some(4, one)))),
	}
}

// grids returns grids of at most 16 processors, among them one processor and
// extents that divide no usual size.
func grids() [][]int {
	return [][]int{{4}, {2, 2}, {3}, {2, 3}, {1}, {2, 2, 2}, {5}, {3, 2}, {4, 4}, {2}, {7}, {1, 4}, {2, 1, 3}, {16}}
}

// A difference is a figure that is not the same in both results.
type difference struct {
	where     string
	want, got float64
}

func (d difference) String() string {
	return fmt.Sprintf("%s: oracle %.12g, simulation %.12g", d.where, d.want, d.got)
}

// figure is one number of Times with its name.
type figure struct {
	name  string
	value float64
}

// figures lists all characteristics, for a processor without those that only
// intervals have.
func figures(t *interval.Times, processor bool) []figure {
	var all []figure
	for _, c := range interval.Characteristics() {
		if at := c.At(t); at != nil && !(processor && c.Name == "total_time") {
			all = append(all, figure{c.Name, float64(*at)})
		}
	}
	for k := range interval.NumKinds {
		for _, c := range interval.KindCharacteristics() {
			all = append(all, figure{k.String() + "." + c.Name, float64(*c.AtKind(t.Kind(k)))})
		}
	}
	return all
}

func compareTimes(where string, want, got *interval.Times, total float64, processor bool) (diffs []difference) {
	a, b := figures(want, processor), figures(got, processor)
	for i := range a {
		if !(math.Abs(a[i].value-b[i].value) <= tolerance*max(total, 1e-9)) {
			diffs = append(diffs, difference{where + " " + a[i].name, a[i].value, b[i].value})
		}
	}
	if !processor && math.Abs(want.Efficiency-got.Efficiency) > 1e-9 {
		diffs = append(diffs, difference{where + " efficiency", want.Efficiency, got.Efficiency})
	}
	return diffs
}

// paths names each interval of a result by the intervals around it, so that the
// order among siblings does not matter.
func paths(all []interval.Interval) []string {
	names := make([]string, len(all))
	for i, v := range all {
		expr := "-"
		if v.Expr != nil {
			expr = fmt.Sprint(*v.Expr)
		}
		names[i] = fmt.Sprintf("%s:%s:%d:%s", v.Type, v.File, v.Line, expr)
		if v.Parent > 0 {
			names[i] = names[v.Parent-1] + "/" + names[i]
		}
	}
	return names
}

// compare lists the differences of two results.
func compare(want *oracle.Result, got *sim.Result) (diffs []difference, err error) {
	ours, theirs := want.Intervals, got.Intervals()
	ourNames, theirNames := paths(ours), paths(theirs)
	if len(ours) != len(theirs) {
		return []difference{{"number of intervals", float64(len(ours)), float64(len(theirs))}}, nil
	}
	for i := range ours {
		j := slices.Index(theirNames, ourNames[i])
		if j < 0 {
			return []difference{{"interval " + ourNames[i] + " is missing", 1, 0}}, nil
		}
		name, a, b := ourNames[i], &ours[i], &theirs[j]
		total := max(float64(a.TotalTime), float64(ours[0].TotalTime)/100)
		diffs = append(diffs, compareTimes(name, &a.Times, &b.Times, total, false)...)
		for _, x := range []struct {
			name string
			a, b int64
		}{
			{"count", a.Count, b.Count}, {"level", int64(a.Level), int64(b.Level)}, {"processors", a.Processors, b.Processors},
			{"operations.io", a.Operations.IO, b.Operations.IO}, {"operations.reduction", a.Operations.Reduction, b.Operations.Reduction},
			{"operations.shadow", a.Operations.Shadow, b.Operations.Shadow}, {"operations.remote", a.Operations.Remote, b.Operations.Remote},
			{"operations.redistribution", a.Operations.Redistribution, b.Operations.Redistribution},
		} {
			if x.a != x.b {
				diffs = append(diffs, difference{name + " " + x.name, float64(x.a), float64(x.b)})
			}
		}
		seen := make([]bool, len(want.In[i]))
		err := got.Processors(j, sim.Each, func(p *interval.Processor) error {
			if p.Rank == nil || !want.In[i][*p.Rank] {
				diffs = append(diffs, difference{fmt.Sprintf("%s has processor %v", name, p.Rank), 0, 1})
				return nil
			}
			seen[*p.Rank] = true
			diffs = append(diffs, compareTimes(fmt.Sprintf("%s processor %d", name, *p.Rank), &want.Processors[i][*p.Rank], &p.Times, total, true)...)
			return nil
		})
		if err != nil {
			return nil, err
		}
		if !slices.Equal(seen, want.In[i]) {
			diffs = append(diffs, difference{name + " lacks a processor", 1, 0})
		}
	}
	return diffs, nil
}

// A trial is a program on a grid of a machine.
type trial struct {
	m    *machine.Machine
	grid []int
	opts interval.Options
	cut  bool // the program ends early, of which the simulation warns
	// costs, when not 0, is the seed of what iterations cost.
	costs uint64
	of    oracle.Costs
	// lines books to lines of the source, which must change no figure.
	lines bool
}

func (x trial) String() string {
	return fmt.Sprintf("machine %s, order %s, grid %v, costs %d, %+v", x.m.Name, x.m.Order(), x.grid, x.costs, x.opts)
}

// errRefused is the error of a program that both simulations refuse.
var errRefused = errors.New("both refuse the program")

// errWarned is the error of a program that the simulation warns of.
var errWarned = errors.New("the simulation warns")

// simulate runs the simulation and returns a panic as an error.
func (x trial) simulate(src call.Source) (r *sim.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return sim.Run(context.Background(), sim.Config{Machine: x.m, Grid: x.grid, Options: x.opts, OwnTimes: true, Lines: x.lines}, src)
}

// measure runs the oracle and returns a panic as an error.
func (x trial) measure(src call.Source) (r *oracle.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return oracle.RunCosts(x.m, x.grid, x.opts, x.of, src)
}

// program is run for a generated program.
func (x trial) program(p *tracegen.Program) ([]difference, error) {
	text := p.Text()
	x.cut = p.Cut
	if x.costs != 0 {
		x.useCosts(p)
	}
	return x.run(func() (call.Source, error) { return ptr.NewReader("gen.ptr", bytes.NewReader(text), ptr.Options{}) })
}

// run simulates a program with both and returns the differences, or errRefused
// with the reasons when both refuse it.
func (x trial) run(source func() (call.Source, error)) ([]difference, error) {
	src, err := source()
	if err != nil {
		return nil, err
	}
	want, oerr := x.measure(src)
	if errors.Is(oerr, oracle.ErrNotTraced) {
		return nil, oerr
	}
	if src, err = source(); err != nil {
		return nil, err
	}
	got, serr := x.simulate(src)
	switch {
	case oerr != nil && serr != nil:
		if errors.Is(oerr, oracle.ErrImpossible) != errors.Is(serr, diag.ErrImpossible) {
			return []difference{{fmt.Sprintf("the oracle says %v, the simulation %v", oerr, serr), 0, 0}}, nil
		}
		return nil, fmt.Errorf("%w: %w; %w", errRefused, oerr, serr)
	case oerr != nil:
		return []difference{{fmt.Sprintf("the oracle alone refuses: %v", oerr), 0, 1}}, nil
	case serr != nil:
		return []difference{{fmt.Sprintf("the simulation alone refuses: %v", serr), 1, 0}}, nil
	}
	diffs, err := compare(want, got)
	for _, w := range got.Warnings {
		if !x.cut && !expected(w.Error()) {
			err = cmp.Or(err, fmt.Errorf("%w: %w", errWarned, w))
		}
	}
	return diffs, err
}

// expected is whether programs cause a warning on purpose: by functions outside
// of the table, exchanges inside the bodies of loops, pipelines by hand that turn
// out to be ordinary exchanges, sections traced on one processor, and own times of
// another grid.
func expected(warning string) bool {
	for _, about := range []string{tracegen.Unknown, "dvm_", "body of", "sendsh_", "made on one processor", "merged times are used"} {
		if strings.Contains(warning, about) {
			return true
		}
	}
	return false
}

// gist returns which figure differs, without interval and value.
func gist(d difference) string {
	f := strings.Fields(d.where)
	if strings.Contains(d.where, "refuses") || strings.Contains(d.where, "says") {
		return strings.Join(f[:min(len(f), 2)], " ") + f[len(f)-1]
	}
	return f[len(f)-1]
}

// report shrinks a program that gives differences and prints it.
func report(t *testing.T, x trial, seed uint64, p *tracegen.Program, diffs []difference) {
	t.Helper()
	about := gist(diffs[0])
	small := tracegen.Shrink(p, func(q *tracegen.Program) bool {
		ds, err := x.program(q)
		return err == nil && slices.ContainsFunc(ds, func(d difference) bool { return gist(d) == about })
	})
	ds, _ := x.program(small)
	var b strings.Builder
	for _, d := range ds[:min(len(ds), 12)] {
		fmt.Fprintf(&b, "\n  %v", d)
	}
	t.Errorf("seed %d, %v: %d differences%s\n%s", seed, x, len(ds), b.String(), brief(small))
}

// brief prints a program in few lines: the times that are not 0 and the
// parameters.
func brief(p *tracegen.Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "root %v, exit %d\n", p.Root, p.Exit)
	for _, c := range p.Calls {
		fmt.Fprintf(&b, "%s:%d %d/%d  %s  -> %s\n", c.Func, c.Line, c.Time, c.RetTime, strings.Join(c.Args, " "), strings.Join(c.Ret, " "))
		if c.Own != nil {
			fmt.Fprintf(&b, "  own %v/%v\n", c.Own, c.RetOwn)
		}
		for _, n := range c.Nested {
			fmt.Fprintf(&b, "  inside %s  %s  -> %s\n", n.Func, strings.Join(n.Args, " "), strings.Join(n.Ret, " "))
		}
	}
	return b.String()
}

// sectionsOf states other sections for the crtps_ calls of a program, as wide
// as they were: what the program does with them stays possible.
func sectionsOf(p *tracegen.Program, seed uint64) string {
	var all []string
	for i, c := range p.Calls {
		if c.Func != "crtps_" {
			continue
		}
		var bounds, extents []string
		for d := range strings.Count(c.Args[1], "[") {
			value := func(line, name string) (v int) {
				_, rest, _ := strings.Cut(line, fmt.Sprintf("%s[%d]=", name, d))
				fmt.Sscanf(rest, "%d", &v)
				return v
			}
			width := value(c.Args[2], "LastIndexArray") - value(c.Args[1], "InitIndexArray")
			first := int(seed+uint64(i+d)) % 3
			bounds = append(bounds, fmt.Sprintf("%d-%d", first, first+width))
			extents = append(extents, fmt.Sprint(first+width+1+int(seed+uint64(i))%2))
		}
		all = append(all, fmt.Sprintf("%d=%s/%s", c.Line, strings.Join(bounds, "x"), strings.Join(extents, "x")))
	}
	return strings.Join(all, ",")
}

// programOptions returns the options of the program of a seed, and where it runs.
func programOptions(seed uint64) (tracegen.Options, trial) {
	gs, ms := grids(), machines()
	x := trial{m: ms[seed%uint64(len(ms))], grid: gs[seed/uint64(len(ms))%uint64(len(gs))], opts: sim.Defaults(), lines: seed/2%2 == 0}
	if seed/7%4 == 3 {
		x.m = linkMachine(seed)
	}
	x.m = mustMachine(x.m.Ordered(machine.Orders()[max(0, int(seed/3%5)-2)]))
	switch seed % 7 {
	case 1:
		x.opts.Collectives = options.Tree
	case 2, 5:
		x.opts.Async = options.Free
	case 3:
		x.opts.Balance = options.Power
	}
	o := tracegen.Options{Seed: seed, Grid: x.grid, Steps: 8 + int(seed/5%3)*8, MaxExtent: 6 + int(seed%4)*3, Features: tracegen.Features(*features)}
	if o.Features == 0 {
		o.Features = tracegen.All
	}
	return o, x
}

func TestPrograms(t *testing.T) {
	seen := map[string]int{}
	failures, refused, compared := 0, 0, 0
	for i := range uint64(*programs) {
		seed := *firstSeed + i
		o, x := programOptions(seed)
		p := tracegen.Generate(o)
		if seed%7 == 6 {
			x.opts.Sections = sectionsOf(p, seed)
		}
		diffs, err := x.program(p)
		if errors.Is(err, errRefused) {
			if !tooWide(err) {
				t.Errorf("seed %d, %v: a valid program is refused: %v", seed, x, err)
			}
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d, %v: %v", seed, x, err)
		}
		if len(diffs) > 0 {
			report(t, x, seed, p, diffs)
			if failures++; failures >= 3 {
				break
			}
			continue
		}
		compared++
		for _, c := range p.Calls {
			seen[c.Func]++
		}
	}
	var names []string
	for f := range seen {
		names = append(names, f)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(-cmp.Compare(seen[a], seen[b]), cmp.Compare(a, b)) })
	var b strings.Builder
	for _, f := range names {
		fmt.Fprintf(&b, " %s %d", f, seen[f])
	}
	t.Logf("%d programs compared, %d refused by both; calls:%s", compared, refused, b.String())
	if *programs < plain || *features != 0 || failures > 0 {
		return
	}
	if compared*2 < *programs {
		t.Errorf("only %d of %d programs were compared", compared, *programs)
	}
	for f := range strings.FieldsSeq(operations) {
		if seen[f] == 0 {
			t.Errorf("%s was compared in no program", f)
		}
	}
}

// operations are the functions that every run must have compared.
const operations = `aarrcp_ across_ align_ arrcpy_ binter_ biof_ blkdiv_ bploop_ bsloop_ crtamv_ crtbg_ crtda_ crtpl_ crtps_ crtrbl_ crtrbp_ crtrda_
	crtred_ crtrg_ crtshg_ delda_ delobj_ delshg_ distr_ dopl_ dvm_dfread dvm_dfwrite dvm_fgets dvm_fread dvm_fscanf dvm_printf dvm_void_printf
	einter_ eiof_ eloop_ endpl_ enloop_ exfrst_ genblk_ getam_ getamr_ getamv_ getps_ imlast_ incsh_ incshd_ insrb_ insred_ inssh_ insshd_
	loadbg_ loadrb_ mapam_ mappl_ psview_ realn_ recvsh_ redis_ runam_ saverv_ sendsh_ setelw_ srmem_ stopam_ strtrd_ strtsh_
	waitbg_ waitcp_ waitrb_ waitrd_ waitsh_ userfn_ rlocel_ rwelm_ dvm_open dvm_lseek`

// FuzzPrograms compares the program of any seed on any machine and grid with
// any features.
func FuzzPrograms(f *testing.F) {
	f.Add(uint64(1), uint32(0), uint8(10))
	f.Add(uint64(77), uint32(tracegen.All), uint8(30))
	f.Add(uint64(1<<40+5), uint32(tracegen.Shadows|tracegen.Boundaries), uint8(5))
	f.Fuzz(func(t *testing.T, seed uint64, features uint32, steps uint8) {
		o, x := programOptions(seed)
		o.Steps = 1 + int(steps)%40
		if some := tracegen.Features(features) & o.Features; some != 0 {
			o.Features = some
		}
		p := tracegen.Generate(o)
		if seed%4 == 3 {
			x.costs = seed
		}
		diffs, err := x.program(p)
		switch {
		case errors.Is(err, oracle.ErrNotTraced):
		case err != nil && (!errors.Is(err, errRefused) || !tooWide(err)):
			t.Fatalf("%v: %v", x, err)
		case len(diffs) > 0:
			report(t, x, seed, p, diffs)
		}
	})
}

// tooWide is whether both refuse a program because an edge is wider than a
// block, which is the one reason that a valid program may be refused for.
func tooWide(err error) bool {
	return errors.Is(err, oracle.ErrImpossible) && errors.Is(err, diag.ErrImpossible) && !strings.Contains(err.Error(), "panic")
}

// TestTraces compares real traces of one processor, each on every grid and on
// one machine after the other; the long form takes every machine.
func TestTraces(t *testing.T) {
	ms := machines()
	for i, name := range testtraces.Sample(t) {
		if !strings.HasPrefix(name, "single/") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			compared := 0
			for j, grid := range [][]int{{2}, {2, 2}, {3}, {4}} {
				for k := range effort.Of(1, len(ms)) {
					x := trial{m: ms[(i+2*j+k)%len(ms)], grid: grid, opts: sim.Defaults(), lines: (i+j+k)%2 == 0}
					diffs, err := x.run(func() (call.Source, error) { return testtraces.Calls(t, name).Source(), nil })
					if errors.Is(err, errRefused) && tooWide(err) {
						continue
					}
					compared++
					if err != nil && !errors.Is(err, errWarned) {
						t.Fatalf("%v: %v", x, err)
					}
					if len(diffs) > 0 {
						t.Fatalf("%v: %d differences, the first %v", x, len(diffs), diffs[:min(4, len(diffs))])
					}
				}
			}
			if compared == 0 {
				t.Error("no grid suits the trace")
			}
		})
	}
}
