package report

import (
	"cmp"
	"slices"
	"strings"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// Finding is something that costs time and could be changed.
type Finding struct {
	// ID names the rule that found it.
	ID string `json:"id"`
	// Interval is the ID of the interval that contributes most to it.
	Interval int `json:"interval"`
	// Place is where that interval begins, "jac.fdv:12".
	Place string `json:"place"`
	// Lines is the line of the program that has most of it, "jac.fdv:24-31"
	// ([interval.Line]), empty when the stream has none or it is of no line.
	Lines string `json:"lines,omitempty"`
	// Saving is by how much the execution time could fall at best, Share the
	// same as a share of the execution time. Savings do not add up: waiting, for
	// example, is often the consequence of imbalance.
	Saving units.Seconds `json:"saving"`
	Share  float64       `json:"share"`
	// Text is a sentence that says what was found and where, Advice one that
	// says what to do.
	Text   string `json:"text"`
	Advice string `json:"advice"`
	// name says what costs the time, in a list.
	name string
	// line is the number of that line in [SourceLines], -1 for none.
	line int
}

// FindingIDs returns the names of all findings, in the order of their rules.
func FindingIDs() []string {
	var list []string
	for i := range rules {
		list = append(list, rules[i].id)
	}
	return list
}

// A rule finds one thing in the figures of a program. The rules are the table
// below.
type rule struct {
	id string
	// least is the least share that is worth reporting: of the execution time
	// without the start, which would hide everything in a small program.
	least float64
	// name says what costs the time, in a list.
	name string
	// saving returns the time that could be saved, in seconds of execution
	// time; below 0 says that the rule does not apply.
	saving func(p *profile) float64
	// share returns the quantity of which the interval to be named has the
	// most, nested intervals included. When it is nil, the main interval is
	// named.
	share func(t *interval.Times) float64
	// less is how much of the program's share is its start, nil for nothing.
	less func(p *profile) float64
	// line returns the quantity of which the line to be named has the most, nil
	// when it is share.
	line func(p *profile, l *interval.Line) float64
	// clause names the line at the end of the text, nil for lineClause.
	clause func(place string, share float64) string
	// text says what was found; where is " in the sequential part at
	// jac.fdv:31", or empty when a line is named; f.Saving and f.Share are known.
	text func(p *profile, f *Finding, where string) string
	// advice says what to do. advise, when it is not nil, says it better when a
	// line is named, which has that share of it, or returns "".
	advice string
	advise func(p *profile, l *interval.Line, most float64) string
}

// leastShare is the share of the execution time without the start below which a
// saving is not reported.
const leastShare = 0.02

// loadExplains is how many times the time that processors compute longer than the
// mean they wait at most for each other for no other reason.
const loadExplains = 1.05

// rules are the rules of all findings. Of equal savings the earlier rule goes first.
var rules = []rule{
	{
		id: "startup", least: leastShare, name: "the start of the run-time system",
		saving: func(p *profile) float64 { return p.startup },
		text: func(p *profile, f *Finding, _ string) string {
			return "The start of the run-time system, before the program's first parallel operation, takes " + timeWords(p.startup) + ", " + percent(f.Share) +
				" of the execution time, on any number of processors" + p.withoutStart() + "."
		},
		advice: "It does not grow with the problem: predict a longer run (larger arrays, more iterations) to see what the rest costs.",
	},
	{
		id: "creation", least: leastShare, name: "setting up the topology",
		saving: func(p *profile) float64 {
			if p.creation == 0 {
				return -1
			}
			return p.creation
		},
		text: func(p *profile, f *Finding, _ string) string {
			return "Setting up the topology takes " + timeWords(p.creation) + ", " + percent(f.Share) + " of the execution time, before the program begins."
		},
		advice: "It does not grow with the problem; another topology may take less (dvmsim --topology-id), the hardware's often nothing.",
	},
	{
		id: "repeated", least: leastShare, name: "computation that all processors repeat",
		saving: func(p *profile) float64 {
			return float64(p.root.InsuffParallelismUSR)/p.n - float64(p.startup*(p.n-1)/p.n)
		},
		share: func(t *interval.Times) float64 { return float64(t.InsuffParallelismUSR) },
		less:  func(p *profile) float64 { return p.startup * (p.n - 1) },
		text: func(p *profile, f *Finding, where string) string {
			return "All processors repeat the same computation" + where + "; distributed over them it would save " + saved(f) + "."
		},
		advice: "Make its loops parallel and distribute their arrays; a grid should have no more dimensions than the arrays are distributed along.",
		advise: adviseBetweenCalls,
	},
	{
		id: "runtime", least: leastShare, name: "work of the run-time system that every processor repeats",
		saving: func(p *profile) float64 { return float64(p.root.InsuffParallelismSYS)/p.n - p.creation },
		share:  func(t *interval.Times) float64 { return float64(t.InsuffParallelismSYS) },
		less:   func(p *profile) float64 { return p.creation * p.n },
		text: func(p *profile, f *Finding, where string) string {
			return "Every processor repeats the work of the run-time system" + where + ": " + saved(f) + "."
		},
		advice: "Make fewer calls: join small parallel loops, create arrays and groups once outside of loops.",
		advise: adviseOnce,
	},
	{
		id: "imbalance", least: leastShare, name: "uneven load",
		saving: func(p *profile) float64 {
			if p.unequalPowers() {
				return -1
			}
			return float64(p.root.LoadImbalance) / p.n
		},
		share:  func(t *interval.Times) float64 { return float64(t.LoadImbalance) },
		line:   waitingForLoad,
		clause: waitClause,
		text: func(p *profile, f *Finding, where string) string {
			return "The load is uneven" + where + ": some processors compute longer than the mean; ideal load balance would save " + saved(f) + "."
		},
		advice: "Distribute with block sizes or weights that follow the work (GEN_BLOCK, WGT_BLOCK), or choose a grid that divides the arrays evenly.",
	},
	{
		id: "powers", least: leastShare, name: "equal work on processors of unequal power",
		saving: func(p *profile) float64 {
			if !p.unequalPowers() {
				return -1
			}
			return float64(p.root.LoadImbalance) / p.n
		},
		share:  func(t *interval.Times) float64 { return float64(t.LoadImbalance) },
		line:   waitingForLoad,
		clause: waitClause,
		text: func(p *profile, f *Finding, where string) string {
			return "The machine's processors are of unequal power and get equal work" + where + "; ideal load balance would save " + saved(f) + "."
		},
		advice: "Weight the distribution by power: dvmsim --balance power predicts it.",
	},
	{
		id: "pipeline", least: leastShare, name: "waiting in pipelined loops",
		saving: func(p *profile) float64 {
			if p.pipeline == 0 {
				return -1
			}
			return p.pipeline / p.n
		},
		share: func(t *interval.Times) float64 { return float64(t.Shadow.RealSynch) },
		line: func(p *profile, l *interval.Line) float64 {
			if !p.ofPipeline(l) {
				return 0
			}
			return float64(l.Shadow.RealSynch)
		},
		text: func(p *profile, f *Finding, where string) string {
			return "Pipelined loops (ACROSS) fill and drain: processors wait for those before them, and at the next operation for those behind them" + where + ", " + saved(f) + "."
		},
		advice: "Larger arrays or fewer processors fill the pipeline for a smaller part of the time; dvmsim --explain says in how many steps the loop goes.",
		advise: advisePipeline,
	},
	{
		id: "wait", least: leastShare, name: "waiting for each other",
		saving: func(p *profile) float64 {
			w := float64(p.root.CommunicationSynch) - p.pipeline
			if w <= loadExplains*float64(p.root.LoadImbalance) {
				return -1
			}
			return w / p.n
		},
		share: func(t *interval.Times) float64 { return float64(t.CommunicationSynch) },
		line: func(p *profile, l *interval.Line) float64 {
			if p.ofPipeline(l) {
				return float64(l.CommunicationSynch - l.Shadow.RealSynch)
			}
			return float64(l.CommunicationSynch)
		},
		text: func(p *profile, f *Finding, where string) string {
			return "Processors come to operations at different times and wait for each other" + where + ": " + saved(f) + "."
		},
		advice: "Balance the work before the operation, remove operations that synchronize, or let independent work go between its start and its wait.",
	},
	{
		id: "idle", least: leastShare, name: "idle processors at the end",
		saving: func(p *profile) float64 { return float64(p.root.Idle) / p.n },
		text: func(p *profile, f *Finding, _ string) string {
			return "Processors have nothing left to do while others still work at the end: " + saved(f) + "."
		},
		advice: "Give all processors as much work; with tasks, give long tasks more processors.",
	},
	{
		id: "io", least: leastShare, name: "input and output by one processor",
		saving: func(p *profile) float64 { return float64(p.root.IOTime) },
		share:  func(t *interval.Times) float64 { return float64(t.IOTime) },
		text: func(p *profile, f *Finding, where string) string {
			return "One processor reads and writes" + where + " while the others cannot go on: " + saved(f) + "."
		},
		advice: "Read and write less often and in larger pieces.",
	},
	{
		id: "io-results", least: leastShare, name: "results of input and output that are sent to all", saving: exchange(interval.IO), share: ofKind(interval.IO),
		text:   exchangeText("Sending the results of input and output to all processors takes"),
		advice: "Read and write in fewer operations: every one sends its result to all processors.",
	},
	{
		id: "reduction", least: leastShare, name: "reductions", saving: exchange(interval.Reduction), share: ofKind(interval.Reduction),
		text:   exchangeText("Reductions take"),
		advice: "Put the variables of several reductions into one group, reduce less often, or start the reduction early and wait for it late.",
	},
	{
		id: "shadow", least: leastShare, name: "exchanges of shadow edges", saving: exchange(interval.Shadow), share: ofKind(interval.Shadow),
		text:   exchangeText("Exchanging shadow edges takes"),
		advice: "Renew the edges of several arrays in one group, start the exchange before the inner iterations, or choose a grid with shorter borders.",
		advise: adviseEdges,
	},
	{
		id: "remote", least: leastShare, name: "access to elements of other processors", saving: exchange(interval.Remote), share: ofKind(interval.Remote),
		text:   exchangeText("Access to elements of other processors takes"),
		advice: "Align the arrays so that the elements are on the same processor, or load the buffer once and use it often.",
	},
	{
		id: "redistribution", least: leastShare, name: "redistribution of arrays", saving: exchange(interval.Redistribution), share: ofKind(interval.Redistribution),
		text:   exchangeText("Redistributing arrays takes"),
		advice: "Redistribute less often, or find one distribution that serves both parts.",
	},
	{
		id: "small-loop", least: leastShare, name: "a parallel loop that is too small",
		saving: func(p *profile) float64 { return p.small.saving },
		text: func(p *profile, f *Finding, _ string) string {
			n := p.small.node
			per := float64(max(1, n.Count)) * float64(max(1, n.Processors))
			return "The parallel loop at " + placeWords(&n.Interval) + " exchanges for " + timeWords(float64(n.Communication-n.CommunicationSynch)/per) +
				" each time it runs, and computes for " + timeWords(float64(n.CPUTime)/per) + ": " + saved(f) + "."
		},
		advice: "The loop is too small for so many processors: give it more iterations, join it with others, or use fewer processors.",
	},
	{
		id: "limit",
		saving: func(p *profile) float64 {
			if p.floor < float64(p.root.ExecutionTime)/2 {
				return -1
			}
			return 0
		},
		text: func(p *profile, _ *Finding, _ string) string {
			return "Only " + timeWords(float64(p.root.ExecutionTime)-p.floor) + " of the execution time is computation that is divided among the processors; the rest, " +
				timeWords(p.floor) + ", does not get shorter just by taking more of them."
		},
		advice: "Remove what is named above before using more processors; dvmsearch finds the grid that is best as it is.",
	},
}

// exchange returns the saving if the messages of a kind of operation took no time.
// Waiting for others to start is another finding.
func exchange(k interval.Kind) func(p *profile) float64 {
	return func(p *profile) float64 { return ofKind(k)(&p.root.Times) / p.n }
}

// ofKind returns the time of the exchanges of a kind, without waiting for others.
func ofKind(k interval.Kind) func(t *interval.Times) float64 {
	return func(t *interval.Times) float64 { return float64(t.Kind(k).Communication - t.Kind(k).RealSynch) }
}

// exchangeText makes the sentence of a kind of operation.
func exchangeText(subject string) func(p *profile, f *Finding, where string) string {
	return func(_ *profile, f *Finding, where string) string {
		return subject + " " + timeWords(float64(f.Saving)) + ", " + percent(f.Share) + " of the execution time" + mostly(where) + "."
	}
}

// mostly turns " in X" into ", most of it in X".
func mostly(where string) string {
	if where == "" {
		return ""
	}
	return ", most of it" + where
}

// saved says what a finding saves.
func saved(f *Finding) string {
	return timeWords(float64(f.Saving)) + ", " + percent(f.Share) + " of the execution time"
}

// savingWords returns the share of the execution time that could be saved, "" for a
// finding without a saving.
func savingWords(f *Finding) string {
	if f.Saving == 0 {
		return ""
	}
	return percent(f.Share)
}

// profile holds the figures that the rules use.
type profile struct {
	tree *Tree
	root *Node
	// n is the number of processors.
	n float64
	// startup is the time before the first parallel operation, in seconds, 0
	// when the stream does not state it.
	startup float64
	// creation is the time that setting up the links takes every processor, in
	// seconds, 0 on machines of media.
	creation float64
	// lines are those of the program, as SourceLines returns them.
	lines []interval.Line
	// pipes are the exchanges of pipelined loops, pipeline is what processors wait
	// because of these, in seconds of all processors.
	pipes    []*interval.Exchange
	pipeline float64
	// floor is the execution time without the computation that is divided
	// among the processors.
	floor float64
	// small is the parallel loop that exchanges longest, of those that exchange
	// longer than they compute.
	small struct {
		node   *Node
		saving float64
	}
}

func newProfile(t *Tree) *profile {
	p := &profile{tree: t, root: t.Root, n: max(1, float64(t.Root.Processors)), startup: float64(t.Header.Startup)}
	if l := t.Header.Machine.Network; l != nil {
		p.creation = float64(l.Creation)
	}
	p.lines = SourceLines(t)
	p.pipelines()
	p.floor = max(0, float64(t.Root.ExecutionTime)-max(0, float64(t.Root.ProductiveCPUTime)-p.startup)/p.n)
	p.small.saving = -1
	for _, n := range t.Nodes {
		exchanges := n.Communication - n.CommunicationSynch
		s := float64(exchanges) / p.n
		if n.Type == interval.Parallel && exchanges > n.CPUTime && s > p.small.saving {
			p.small.node, p.small.saving = n, s
		}
	}
	return p
}

// unequalPowers tells whether the machine has processors of different powers
// and the distribution does not follow them.
func (p *profile) unequalPowers() bool {
	if p.tree.Header.Options.Balance == "power" {
		return false
	}
	first := 0.0
	for _, n := range p.tree.Header.Machine.Nodes {
		if len(n.Children) > 0 {
			continue
		}
		if first != 0 && n.Power != first {
			return true
		}
		first = n.Power
	}
	return false
}

// Findings returns what costs time in t, the largest saving first. On one processor
// only the rules apply that hold for any number of processors.
func Findings(t *Tree) []Finding {
	p := newProfile(t)
	exec := float64(t.Root.ExecutionTime)
	if exec <= 0 {
		return nil
	}
	var list []Finding
	for i := range rules {
		r := &rules[i]
		if p.n == 1 && r.id != "startup" && r.id != "creation" {
			continue
		}
		saving := min(r.saving(p), exec)
		if saving < 0 || saving < float64(r.least*max(0, exec-p.startup)) {
			continue
		}
		node := p.root
		if r.share != nil {
			node = p.worst(r)
		} else if r.id == "small-loop" {
			node = p.small.node
		}
		f := Finding{ID: r.id, Interval: node.ID, Place: placeWords(&node.Interval),
			Saving: units.Seconds(saving), Share: saving / exec, Advice: r.advice, name: r.name}
		var most float64
		if f.line, most = p.worstLine(r); f.line < 0 {
			f.Text = r.text(p, &f, inWords(t, node))
		} else {
			l := &p.lines[f.line]
			f.Lines = stretchWords(l)
			clause := lineClause
			if r.clause != nil {
				clause = r.clause
			}
			f.Text = strings.TrimSuffix(r.text(p, &f, ""), ".") + clause(f.Lines, most) + "."
			if r.advise != nil {
				f.Advice = cmp.Or(r.advise(p, l, most), f.Advice)
			}
		}
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(b.Saving, a.Saving) })
	return list
}
