package report

import "dvmtools/pkg/interval"

// adviseOnce advises on calls of the run-time system at a line at which each is made
// once.
func adviseOnce(_ *profile, l *interval.Line) string {
	if len(l.Functions) == 0 || callsAt(l) > int64(len(l.Functions)) {
		return ""
	}
	return "Each call is made there once, however long the program runs: predict a longer run (larger arrays, more iterations) to see what the rest costs."
}

// advisePipeline advises on pipelined loops whose arrays are cut in several
// dimensions.
func advisePipeline(p *profile, _ *interval.Line) string {
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

// adviseBetweenCalls advises on computation at a line that is no more than the gaps
// between many calls of the run-time system.
func adviseBetweenCalls(p *profile, l *interval.Line) string {
	const gap = 5e-6 // seconds; the clocks of traces go on by about 1e-6
	calls := float64(callsAt(l))
	each := ratio(float64(l.InsuffParallelismUSR)/max(1, p.n-1), calls)
	if calls < 100 || each > gap {
		return ""
	}
	return "It passes between the calls of the run-time system there, " + timeWords(each) + " before each: make fewer calls, join small parallel loops."
}
