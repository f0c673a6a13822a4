package report

import (
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/libdvm"
)

// withoutStart says how efficient the program is without its start, which every
// processor makes and one would; "" on one processor and when nothing else is left.
func (p *profile) withoutStart() string {
	rest := float64(p.root.TotalTime) - float64(p.n*p.startup)
	productive := float64(p.root.ProductiveTime) - p.startup
	if p.n == 1 || productive <= 0 || rest < productive {
		return ""
	}
	return "; without it the efficiency is " + percent(productive/rest)
}

// adviseOnce advises on calls of the run-time system at a line at which each is made
// once.
func adviseOnce(_ *profile, l *interval.Line, most float64) string {
	if most < mostOfIt || len(l.Functions) == 0 || callsAt(l) > int64(len(l.Functions)) {
		return ""
	}
	return "Each call is made there once, however long the program runs: predict a longer run (larger arrays, more iterations) to see what the rest costs."
}

// advisePipeline advises on pipelined loops whose arrays are cut in several
// dimensions.
func advisePipeline(p *profile, _ *interval.Line, _ float64) string {
	cut := 0
	for _, n := range p.tree.Header.Grid {
		if n > 1 {
			cut++
		}
	}
	if cut < 2 {
		return ""
	}
	return "Cut the arrays in one dimension only: a loop is handed on in small steps along dimensions that are not cut, and dvmsim --explain says in how many."
}

// adviseEdges advises on edges that a pipelined loop hands on. Of a measured run only
// the calls are known: those of the line, and that there is such a loop.
func adviseEdges(p *profile, l *interval.Line, most float64) string {
	portions := len(l.Functions) == 1 && l.Functions[0].Func == libdvm.NameOf(libdvm.DoLoop)
	if most < mostOfIt || !portions || !p.ofPipeline(l) && !(p.tree.Header.Measured && p.callsAcross()) {
		return ""
	}
	s := "A pipelined loop (ACROSS) hands them on in steps, each with the latency of a message: fewer processors, fewer steps, or a grid with shorter borders."
	if p.tree.Header.Measured {
		s += " What was measured there is waiting for the processor before as well."
	}
	return s
}

// callsAcross tells whether the program has pipelined loops.
func (p *profile) callsAcross() bool {
	across := libdvm.NameOf(libdvm.Across)
	return slices.ContainsFunc(p.lines, func(l interval.Line) bool {
		return slices.ContainsFunc(l.Functions, func(f interval.Function) bool { return f.Func == across })
	})
}

// adviseBetweenCalls advises on repeated computation that is no more than the gaps
// between many calls of the run-time system: at the line, when that has most of it, or
// in the whole program.
func adviseBetweenCalls(p *profile, l *interval.Line, most float64) string {
	const gap = 5e-6 // seconds; the clocks of traces go on by about 1e-6
	lost, calls := float64(l.InsuffParallelismUSR), callsAt(l)
	if most < mostOfIt {
		lost, calls = float64(p.root.InsuffParallelismUSR)-p.startup*(p.n-1), 0
		for i := range p.lines {
			calls += callsAt(&p.lines[i])
		}
	}
	each := ratio(lost/max(1, p.n-1), float64(calls))
	if calls < 100 || each > gap {
		return ""
	}
	return "It passes between the calls of the run-time system, " + timeWords(each) + " before each: make fewer calls, join small parallel loops."
}
