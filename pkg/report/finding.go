package report

import (
	"cmp"
	"slices"

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
	// Saving is by how much the execution time could fall at best, Share the
	// same as a share of the execution time. Savings do not add up: waiting, for
	// example, is often the consequence of imbalance.
	Saving units.Seconds `json:"saving"`
	Share  float64       `json:"share"`
	// Text is a sentence that says what was found and where, Advice one that
	// says what to do.
	Text   string `json:"text"`
	Advice string `json:"advice"`
}

// A rule finds one thing in the figures of a program. The rules are the table
// below.
type rule struct {
	id string
	// least is the least share that is worth reporting: of the execution time
	// without the start, which would hide everything in a small program.
	least float64
	// saving returns the time that could be saved, in seconds of execution
	// time; below 0 says that the rule does not apply.
	saving func(p *profile) float64
	// share returns the quantity of which the interval to be named has the
	// most, nested intervals included. When it is nil, the main interval is
	// named.
	share func(t *interval.Times) float64
	// text says what was found; where is " in the sequential part at
	// jac.fdv:31" or empty, f.Saving and f.Share are known.
	text func(p *profile, f *Finding, where string) string
	// advice says what to do.
	advice string
}

// leastShare is the share of the execution time without the start below which a
// saving is not reported.
const leastShare = 0.02

// rules are the rules of all findings. Of equal savings the earlier rule goes first.
var rules = []rule{
	{
		id: "startup", least: leastShare,
		saving: func(p *profile) float64 { return p.startup },
		text: func(p *profile, f *Finding, _ string) string {
			return "The start of the run-time system, before the program's first parallel operation, takes " + timeWords(p.startup) + ", " + percent(f.Share) +
				" of the execution time, on any number of processors."
		},
		advice: "It does not grow with the problem: predict a longer run (larger arrays, more iterations) to see what the rest costs.",
	},
	{
		id: "creation", least: leastShare,
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
		id: "repeated", least: leastShare,
		saving: func(p *profile) float64 {
			return float64(p.root.InsuffParallelismUSR)/p.n - float64(p.startup*(p.n-1)/p.n)
		},
		share: func(t *interval.Times) float64 { return float64(t.InsuffParallelismUSR) },
		text: func(p *profile, f *Finding, where string) string {
			return "All processors repeat the same computation" + where + "; distributed over them it would save " + saved(f) + "."
		},
		advice: "Make its loops parallel and distribute their arrays; a grid should have no more dimensions than the arrays are distributed along.",
	},
	{
		id: "runtime", least: leastShare,
		saving: func(p *profile) float64 { return float64(p.root.InsuffParallelismSYS)/p.n - p.creation },
		share:  func(t *interval.Times) float64 { return float64(t.InsuffParallelismSYS) },
		text: func(p *profile, f *Finding, where string) string {
			return "Every processor repeats the work of the run-time system" + where + ": " + saved(f) + "."
		},
		advice: "Make fewer calls: join small parallel loops, create arrays and groups once outside of loops.",
	},
	{
		id: "imbalance", least: leastShare,
		saving: func(p *profile) float64 {
			if p.unequalPowers() {
				return -1
			}
			return float64(p.root.LoadImbalance) / p.n
		},
		share: func(t *interval.Times) float64 { return float64(t.LoadImbalance) },
		text: func(p *profile, f *Finding, where string) string {
			return "The load is uneven" + where + ": some processors compute longer than the mean; ideal load balance would save " + saved(f) + "."
		},
		advice: "Distribute with block sizes or weights that follow the work (GEN_BLOCK, WGT_BLOCK), or choose a grid that divides the arrays evenly.",
	},
	{
		id: "powers", least: leastShare,
		saving: func(p *profile) float64 {
			if !p.unequalPowers() {
				return -1
			}
			return float64(p.root.LoadImbalance) / p.n
		},
		share: func(t *interval.Times) float64 { return float64(t.LoadImbalance) },
		text: func(p *profile, f *Finding, where string) string {
			return "The machine's processors are of unequal power and get equal work" + where + "; ideal load balance would save " + saved(f) + "."
		},
		advice: "Weight the distribution by power: dvmsim --balance power predicts it.",
	},
	{
		id: "wait", least: leastShare,
		saving: func(p *profile) float64 { return float64(p.root.CommunicationSynch) / p.n },
		share:  func(t *interval.Times) float64 { return float64(t.CommunicationSynch) },
		text: func(p *profile, f *Finding, where string) string {
			return "Processors come to operations at different times and wait for each other" + where + ": " + saved(f) + "."
		},
		advice: "Balance the work before the operation, remove operations that synchronize, or let independent work go between its start and its wait.",
	},
	{
		id: "idle", least: leastShare,
		saving: func(p *profile) float64 { return float64(p.root.Idle) / p.n },
		text: func(p *profile, f *Finding, _ string) string {
			return "Processors have nothing left to do while others still work at the end: " + saved(f) + "."
		},
		advice: "Give all processors as much work; with tasks, give long tasks more processors.",
	},
	{
		id: "io", least: leastShare,
		saving: func(p *profile) float64 { return float64(p.root.IOTime) },
		share:  func(t *interval.Times) float64 { return float64(t.IOTime) },
		text: func(p *profile, f *Finding, where string) string {
			return "One processor reads and writes" + where + " while the others cannot go on: " + saved(f) + "."
		},
		advice: "Read and write less often and in larger pieces.",
	},
	{
		id: "io-results", least: leastShare, saving: exchange(interval.IO), share: ofKind(interval.IO),
		text:   exchangeText("Sending the results of input and output to all processors takes"),
		advice: "Read and write in fewer operations: every one sends its result to all processors.",
	},
	{
		id: "reduction", least: leastShare, saving: exchange(interval.Reduction), share: ofKind(interval.Reduction),
		text:   exchangeText("Reductions take"),
		advice: "Put the variables of several reductions into one group, reduce less often, or start the reduction early and wait for it late.",
	},
	{
		id: "shadow", least: leastShare, saving: exchange(interval.Shadow), share: ofKind(interval.Shadow),
		text:   exchangeText("Exchanging shadow edges takes"),
		advice: "Renew the edges of several arrays in one group, start the exchange before the inner iterations, or choose a grid with shorter borders.",
	},
	{
		id: "remote", least: leastShare, saving: exchange(interval.Remote), share: ofKind(interval.Remote),
		text:   exchangeText("Access to elements of other processors takes"),
		advice: "Align the arrays so that the elements are on the same processor, or load the buffer once and use it often.",
	},
	{
		id: "redistribution", least: leastShare, saving: exchange(interval.Redistribution), share: ofKind(interval.Redistribution),
		text:   exchangeText("Redistributing arrays takes"),
		advice: "Redistribute less often, or find one distribution that serves both parts.",
	},
	{
		id: "small-loop", least: leastShare,
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
			return "No number of processors brings the execution time below about " + timeWords(p.floor) + ": that is what does not get shorter with more of them."
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

// worst returns the interval that has most of a characteristic without the intervals
// inside it.
func (p *profile) worst(of func(*interval.Times) float64) *Node {
	node, most := p.root, 0.0
	for _, n := range p.tree.Nodes {
		own := of(&n.Times)
		for _, in := range n.Inner {
			own -= of(&in.Times)
		}
		if own > most {
			node, most = n, own
		}
	}
	return node
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
			node = p.worst(r.share)
		} else if r.id == "small-loop" {
			node = p.small.node
		}
		f := Finding{ID: r.id, Interval: node.ID, Place: placeWords(&node.Interval),
			Saving: units.Seconds(saving), Share: saving / exec, Advice: r.advice}
		f.Text = r.text(p, &f, inWords(t, node))
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(b.Saving, a.Saving) })
	return list
}

// inWords returns " in the sequential part at jac.fdv:31", or nothing for the
// only interval of a program.
func inWords(t *Tree, n *Node) string {
	switch {
	case len(t.Nodes) == 1:
		return ""
	case n.Up == nil:
		return " outside of the intervals"
	}
	return " in the " + kindOfInterval(n.Type) + " at " + placeWords(&n.Interval)
}

// kindOfInterval names an interval in a sentence.
func kindOfInterval(t interval.Type) string {
	switch t {
	case interval.Sequential:
		return "sequential part"
	case interval.Parallel:
		return "parallel loop"
	}
	return "interval"
}

// Diagnosis returns one to three sentences on t: how much time is lost, for what
// reasons, and the findings that save most.
func Diagnosis(t *Tree, findings []Finding) []string {
	root := t.Root
	var s []string
	switch {
	case root.ExecutionTime <= 0:
		return []string{"The program takes no time."}
	case root.Processors <= 1:
		s = append(s, "The program takes "+timeWords(float64(root.ExecutionTime))+
			" on one processor, where nothing is lost to parallel work; predict a grid of several processors to see what would be.")
	default:
		lost := 1 - root.Efficiency
		most := Part{}
		for _, p := range Split(&root.Times) {
			if !p.Productive && p.Seconds > most.Seconds {
				most = p
			}
		}
		if most.Seconds <= 0 {
			s = append(s, "No processor time is lost.")
			break
		}
		s = append(s, percent(lost)+" of the processor time is lost; the largest part is "+lowerFirst(most.Label)+", "+percent(most.Share)+".")
		if len(findings) == 0 {
			s = append(s, "No single cause loses more than "+percent(leastShare)+" of the execution time.")
		}
	}
	for _, f := range findings[:min(len(findings), 2)] {
		if f.Saving > 0 {
			s = append(s, f.Text)
		}
	}
	return s
}

// lowerFirst returns s with its first letter in lower case, unless it begins with an
// abbreviation.
func lowerFirst(s string) string {
	if len(s) < 2 || s[0] < 'A' || s[0] > 'Z' || s[1] < 'a' || s[1] > 'z' {
		return s
	}
	return string(s[0]+'a'-'A') + s[1:]
}
