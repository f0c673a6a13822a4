package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dvmtools/pkg/interval"
)

// shownLines is how many lines the text shows.
const shownLines = 10

// SourceLines returns the lines of the program in the stream, by file and line, each
// once with the sums over all intervals of the tree. Only characteristics that add up
// are set ([interval.Line]); Interval is the first interval that has the line.
func SourceLines(t *Tree) []interval.Line {
	var list []interval.Line
	for _, n := range t.Nodes {
		for i := range n.Lines {
			l := n.Lines[i]
			l.Functions = slices.Clone(l.Functions)
			list = append(list, l)
		}
	}
	return mergeLines(list)
}

// mergeLines sorts lines by file and line and makes one of each. It uses the
// memory of list.
func mergeLines(list []interval.Line) []interval.Line {
	slices.SortStableFunc(list, func(a, b interval.Line) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	merged := list[:0]
	for i := range list {
		if k := len(merged) - 1; k >= 0 && merged[k].File == list[i].File && merged[k].Line == list[i].Line {
			merged[k].Add(&list[i])
			continue
		}
		merged = append(merged, list[i])
	}
	return merged
}

// byLost returns the numbers of the lines of list, those that lose most first,
// of those that lose the same the earlier first.
func byLost(list []interval.Line) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].Lost(), list[a].Lost()) })
	return order
}

// spentAt returns the characteristics of a line with the time spent there as
// Total time, so that [Split] has its parts.
func spentAt(l *interval.Line) interval.Times {
	t := l.Times
	t.TotalTime = l.Spent()
	return t
}

// callsAt returns how many calls of the run-time system stand at a line.
func callsAt(l *interval.Line) int64 {
	n := int64(0)
	for _, f := range l.Functions {
		n += f.Calls
	}
	return n
}

// worstLines returns the lines that lose most, at most n, without those that lose
// nothing.
func worstLines(t *Tree, n int) []interval.Line {
	list := slices.DeleteFunc(SourceLines(t), func(l interval.Line) bool { return l.Lost() <= 0 })
	slices.SortStableFunc(list, func(a, b interval.Line) int { return cmp.Compare(b.Lost(), a.Lost()) })
	return list[:min(n, len(list))]
}

// stretchWords names the lines whose time a line has: "jac.fdv:24-31".
func stretchWords(l *interval.Line) string {
	if l.FromLine == l.Line {
		return fmt.Sprintf("%s:%d", Clean(l.File), l.Line)
	}
	return fmt.Sprintf("%s:%d-%d", Clean(l.File), l.FromLine, l.Line)
}

// functionWords lists the functions that were called at a line: "dopl_ 40,
// endpl_ 20".
func functionWords(list []interval.Function) string {
	const most = 4
	var words []string
	for i, f := range list {
		if i == most && len(list) > most+1 {
			words = append(words, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		words = append(words, fmt.Sprintf("%s %d", Clean(f.Func), f.Calls))
	}
	return strings.Join(words, ", ")
}
