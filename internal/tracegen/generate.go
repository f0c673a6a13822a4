package tracegen

import (
	"fmt"
	"math/rand/v2"
)

// Features says what a program may contain besides templates, arrays and loops,
// which it always contains. Switching features off narrows down a failure.
type Features uint32

// The features.
const (
	Intervals         Features = 1 << iota // intervals of all types, some entered several times
	Weights                                // blkdiv_, genblk_, setelw_
	Alignments                             // constant, replicated, scaled and reversed alignments, arrays on arrays
	Distributions                          // replicated, constant and missing dimensions of distributions
	Systems                                // psview_ and crtps_, arrays on sections
	Tasks                                  // getamr_, mapam_, runam_, stopam_
	Reductions                             // reduction groups
	Shadows                                // shadow groups
	Corners                                // shadow edges with corners, edges by sign
	Boundaries                             // exfrst_ and imlast_
	Buffers                                // remote access buffers and groups of them
	Copies                                 // arrcpy_ and aarrcp_
	Redistribution                         // redis_ and realn_
	InputOutput                            // standard I/O, Fortran I/O, arrays
	Overlap                                // work between the start of an exchange and its end
	Pipelines                              // across_
	Deletions                              // objects are deleted and their handles used again
	ShortReferences                        // references of at most 8 digits, as on 32-bit systems
	NewValuesOnly                          // across_ without old values
	ObliqueBoundaries                      // exfrst_ and imlast_ of loops other than those over a whole array
	LoadedMembers                          // groups of buffers that were loaded one by one before
	Portions                               // dopl_ that state what they execute
	Bodies                                 // intervals and calls inside the bodies of loops
	BodyOperations                         // exchanges, input and output inside the bodies of loops
	StridedReplicas                        // arrays replicated along arrays that are aligned with different strides
	HandPipelines                          // recvsh_ that is waited for before its sendsh_
	UnlistedIO                             // dvm_ functions that are not in the table
	BareRuns                               // runam_ that does not state Run
	Cut                                    // programs that end anywhere, inside loops and before waits
	Renames                                // arrays that get new handles, reuse of the old ones, objects that end without a call
	OwnTimes                               // the times of each process of a run on the grid

	// All switches every feature on.
	All = 1<<iota - 1
)

// Options say what program is wanted.
type Options struct {
	// Seed decides everything that the other options leave open.
	Seed uint64
	// Grid is the grid on which the program will be simulated; constant
	// coordinates are chosen to exist on it. It need not be the grid of the
	// traced run.
	Grid []int
	// Steps is the approximate number of statements, 20 when 0.
	Steps int
	// Features limits what is used; 0 means All.
	Features Features
	// MaxExtent bounds the extents of templates, 14 when 0.
	MaxExtent int
	// Repeat is how often a time step is made, a few statements that come again and
	// again; 0 or 1 means that there is none.
	Repeat int
}

// Generate returns the program that the options describe, always the same for
// the same options.
func Generate(o Options) *Program {
	if o.Steps == 0 {
		o.Steps = 20
	}
	if o.Features == 0 {
		o.Features = All
	}
	if o.MaxExtent == 0 {
		o.MaxExtent = 14
	}
	if len(o.Grid) == 0 {
		o.Grid = []int{1}
	}
	g := &gen{r: rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15)), o: o, next: 0x55d126950000, line: 1}
	if g.has(ShortReferences) && g.chance(20) {
		g.next = 0x8417d0
	}
	g.root = &system{shape: o.Grid, traced: o.Grid}
	if g.chance(50) {
		g.root.traced = make([]int, len(o.Grid))
		for i := range g.root.traced {
			g.root.traced[i] = 1 + g.r.IntN(4)
		}
	}
	g.current = g.root
	own := g.has(OwnTimes) && g.chance(35)
	if own && g.chance(90) {
		g.root.traced = o.Grid
	}
	g.template()
	g.array()
	g.array()
	loop := -1
	if o.Repeat > 1 {
		loop = g.r.IntN(o.Steps)
	}
	for i := range o.Steps {
		g.step()
		if i == loop {
			g.timeLoop()
		}
	}
	g.waitAll()
	for g.depth > 0 && g.chance(70) {
		g.closeInterval()
	}
	p := &Program{Root: g.root.traced, Calls: g.calls, Exit: g.time()}
	if g.has(Cut) && g.chance(6) {
		p.Calls = p.Calls[:g.r.IntN(len(p.Calls))]
		p.Cut = true
	}
	if own {
		g.ownTimes(p)
	}
	return p
}

// A system is a processor system. shape is nil when it depends on how the traced
// sizes are scaled to the simulated ones.
type system struct {
	h      uint64
	shape  []int
	traced []int
}

type template struct {
	h      uint64
	size   []int
	sys    *system
	divs   bool
	weight bool
}

type arr struct {
	h, hdr uint64
	size   []int
	width  int
	t      *template // nil when every processor holds the whole array
	// rising is whether a higher element never lies on a lower coordinate.
	rising bool
}

type gen struct {
	r       *rand.Rand
	o       Options
	next    uint64
	free    []uint64
	line    int
	calls   []Call
	root    *system
	current *system
	systems []*system
	temps   []*template
	arrays  []*arr
	// open holds functions that wait for the exchanges that were started.
	open []func()
	// The functions that opened the open intervals, and their lines, in the
	// order in which they were opened.
	intervals []string
	lines     []int
	// depth is how many intervals are open in this task.
	depth int
	// inTasks is how deep tasks are nested.
	inTasks int
	inIO    bool
}

func (g *gen) has(f Features) bool     { return g.o.Features&f != 0 }
func (g *gen) chance(percent int) bool { return g.r.IntN(100) < percent }

// time returns a TIME: mostly small, sometimes none.
func (g *gen) time() int64 {
	switch g.r.IntN(8) {
	case 0:
		return 0
	case 1:
		return int64(g.r.IntN(1000000))
	}
	return int64(g.r.IntN(30000))
}

func (g *gen) handle() uint64 {
	if n := len(g.free); n > 0 && g.chance(60) {
		h := g.free[n-1]
		g.free = g.free[:n-1]
		return h
	}
	g.next += 16
	return g.next
}

func (g *gen) call(name string, args []string, ret ...string) {
	g.calls = append(g.calls, Call{Func: name, Time: g.time(), RetTime: g.time(), Line: g.line, Args: args, Ret: ret})
}

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// psRef returns the parameter PSRef for s, which may be 0 for the current system.
func (g *gen) psRef(s *system) string {
	if s == g.current && (s.h == 0 || g.chance(50)) {
		return "PSRefPtr=NULL; PSRef=0;"
	}
	return sprint("PSRefPtr=1; PSRef=%x;", s.h)
}

// ordinary makes a call that only takes time.
func (g *gen) ordinary() {
	switch g.r.IntN(7) {
	case 0:
		g.call("bsynch_", nil)
	case 4:
		g.call("tron_", nil)
	case 5:
		if g.current.h != 0 || g.current == g.root {
			if g.current.h == 0 {
				g.current.h = g.handle()
			}
			g.call("getps_", []string{"AMRefPtr=NULL; AMRef=0;"}, sprint("PSRef=%x;", g.current.h))
		}
	case 6:
		if all := g.inScope(true); len(all) > 0 {
			a := all[g.r.IntN(len(all))]
			g.call("getamv_", []string{sprint("ArrayHeader=%x; ArrayHandlePtr=%x;", a.hdr, a.h)}, sprint("AMViewRef=%x;", a.t.h))
		}
	case 1:
		g.call("getam_", nil, sprint("AMRef=%x;", g.handle()))
	case 2:
		g.call("tstio_", nil, "Res=1;")
	default:
		g.call("getlen_", []string{"ArrayHeader=1; ArrayHandlePtr=1;"}, "Res=8;")
	}
}

// step adds one statement.
func (g *gen) step() {
	g.line++
	type choice struct {
		weight int
		f      Features
		do     func()
	}
	choices := []choice{
		{3, All, g.ordinary}, {2, All, g.template}, {5, All, g.array}, {12, All, g.loop},
		{4, Intervals, g.openInterval}, {4, Intervals, g.closeInterval},
		{5, Shadows, g.shadow}, {3, Reductions, g.plainReduction},
		{3, HandPipelines, g.handPipeline}, {1, StridedReplicas, g.stridedReplicas},
		{5, Copies, g.copy}, {5, Redistribution, g.redistribute}, {5, InputOutput, g.inout},
		{3, Buffers, g.section}, {2, Systems, g.system}, {3, Tasks, g.tasks}, {2, Deletions, g.remove},
		{4, All, g.waitOne},
	}
	total := 0
	for _, c := range choices {
		if g.has(c.f) {
			total += c.weight
		}
	}
	at := g.r.IntN(total)
	for _, c := range choices {
		if !g.has(c.f) {
			continue
		}
		if at -= c.weight; at < 0 {
			c.do()
			return
		}
	}
}

// later waits for an exchange that was started, at once or after other
// statements.
func (g *gen) later(wait func()) {
	g.open = append(g.open, wait)
	if !g.has(Overlap) || g.chance(40) {
		g.waitAll()
	}
}

func (g *gen) waitOne() {
	if n := len(g.open); n > 0 {
		i := g.r.IntN(n)
		w := g.open[i]
		g.open = append(g.open[:i:i], g.open[i+1:]...)
		w()
	}
}

func (g *gen) waitAll() {
	for len(g.open) > 0 {
		g.waitOne()
	}
}

// openInterval enters an interval. Lines come from a small range, so that it is
// often one that was entered before.
func (g *gen) openInterval() {
	if g.depth >= 4 {
		return
	}
	kind := []string{"binter_", "bsloop_", "bploop_"}[g.r.IntN(3)]
	save := g.line
	g.line = 5000 + g.r.IntN(4)
	switch kind {
	case "binter_":
		index := 2000000000
		if g.chance(60) {
			index = g.r.IntN(3) - 1
		}
		g.call(kind, []string{sprint("nfrag=1; index=%d UserInter=0;", index)})
	default:
		g.call(kind, []string{"nfrag=2;"})
	}
	g.intervals = append(g.intervals, kind)
	g.lines = append(g.lines, g.line)
	g.depth++
	g.line = save
}

func (g *gen) closeInterval() {
	n := len(g.intervals)
	if g.depth == 0 || n == 0 {
		return
	}
	name := "enloop_"
	switch {
	case g.intervals[n-1] == "binter_":
		name = "einter_"
	case g.chance(10):
		name = "eloop_"
	}
	g.call(name, []string{sprint("nfrag=1; nline=%d", g.lines[n-1])})
	g.intervals, g.lines, g.depth = g.intervals[:n-1], g.lines[:n-1], g.depth-1
}

// inScope lists the arrays that may be used now: a task uses only arrays of its
// own system.
func (g *gen) inScope(aligned bool) []*arr {
	var all []*arr
	for _, a := range g.arrays {
		switch {
		case a.t == nil && !aligned && g.current == g.root:
			all = append(all, a)
		case a.t != nil && (g.current == g.root || a.t.sys == g.current):
			all = append(all, a)
		}
	}
	return all
}

func (g *gen) pick(aligned bool) *arr {
	all := g.inScope(aligned)
	if len(all) == 0 {
		g.array()
		all = g.inScope(aligned)
	}
	if len(all) == 0 {
		return nil
	}
	return all[g.r.IntN(len(all))]
}

// remove deletes an array. Arrays aligned with it stay.
func (g *gen) remove() {
	g.waitAll()
	if len(g.arrays) < 4 || g.current != g.root {
		return
	}
	i := g.r.IntN(len(g.arrays))
	a := g.arrays[i]
	if g.has(Renames) && g.chance(30) {
		// The array ends with a block of the program, without a call.
	} else if g.chance(50) {
		g.call("delda_", []string{sprint("ArrayHeader=%x; ArrayHandlePtr=%x;", a.hdr, a.h)})
	} else {
		g.call("delobj_", []string{sprint("ObjectRefPtr=1; ObjectRef=%x;", a.h)})
	}
	g.free = append(g.free, a.h)
	g.arrays = append(g.arrays[:i:i], g.arrays[i+1:]...)
}
