package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// LinePair is a line of two programs; one of the two is nil when the other
// program has no such line.
type LinePair struct{ A, B *interval.Line }

// MatchLines pairs the lines of a and b, each once with its sums ([SourceLines]): those
// of the same file and line and, of the rest, those of the same file whose
// functions were called equally often, in their order: lines that have moved.
// Pairs are in the order of a; lines that only b has come last. There are none when
// a or b was written without lines.
func MatchLines(a, b *Tree) []LinePair {
	la, lb := SourceLines(a), SourceLines(b)
	if len(la) == 0 || len(lb) == 0 {
		return nil
	}
	partner := make([]*interval.Line, len(la))
	taken := make([]bool, len(lb))
	for _, key := range []func(*interval.Line) string{
		func(l *interval.Line) string { return l.File + "\x00" + strconv.Itoa(l.Line) },
		movedKey,
	} {
		free := map[string][]int{}
		for j := range lb {
			if !taken[j] {
				free[key(&lb[j])] = append(free[key(&lb[j])], j)
			}
		}
		for i := range la {
			if k := key(&la[i]); partner[i] == nil && k != "" && len(free[k]) > 0 {
				j := free[k][0]
				partner[i], taken[j] = &lb[j], true
				free[k] = free[k][1:]
			}
		}
	}
	var pairs []LinePair
	for i := range la {
		pairs = append(pairs, LinePair{&la[i], partner[i]})
	}
	for j := range lb {
		if !taken[j] {
			pairs = append(pairs, LinePair{nil, &lb[j]})
		}
	}
	return pairs
}

// movedKey identifies a line by its file and what is called there, "" for one
// without calls.
func movedKey(l *interval.Line) string {
	if len(l.Functions) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(l.File)
	for _, f := range l.Functions {
		b.WriteString("\x00" + f.Func + "\x00" + strconv.FormatInt(f.Calls, 10))
	}
	return b.String()
}

// words names the line in the second program, or in the first, and where it was.
func (p LinePair) words() string {
	switch {
	case p.A == nil:
		return stretchWords(p.B) + " (only in B)"
	case p.B == nil:
		return stretchWords(p.A) + " (only in A)"
	case p.A.Line != p.B.Line:
		return stretchWords(p.A) + " → " + strings.TrimPrefix(stretchWords(p.B), Clean(p.B.File)+":")
	}
	return stretchWords(p.B)
}

// of returns a characteristic of the line in each program per processor.
func (p LinePair) of(get func(*interval.Times) float64, pa, pb float64) (a, b float64) {
	if p.A != nil {
		a = get(&p.A.Times) / pa
	}
	if p.B != nil {
		b = get(&p.B.Times) / pb
	}
	return a, b
}

// worstChange returns the line at which a part of the time changed most in the
// direction of change, "" when there is none.
func worstChange(pairs []LinePair, get func(*interval.Times) float64, pa, pb, change float64) string {
	most, words := 0.0, ""
	for _, p := range pairs {
		a, b := p.of(get, pa, pb)
		if d := math.Copysign(b-a, (b-a)*change); d > most {
			most, words = d, p.words()
		}
	}
	return words
}

// spentOf is the time that processors spend, of the characteristics of a line.
func spentOf(t *interval.Times) float64 {
	return float64(t.CPUTime + t.SYSTime + t.IOTime + t.Communication)
}

// lineChanges lists the lines of two programs, those that changed most first; whole
// is the longer execution time.
func lineChanges(pairs []LinePair, pa, pb, whole float64) table {
	t := table{name: "lines", title: "Lines",
		note: "Time of the average processor at each line, sorted by its change; lost is insufficient parallelism and communication. The changes and those of idle time sum to that of the execution time.",
		columns: []columnOf{{"lines", true}, {"A", false}, {"B", false}, {"change", false}, {"relative", false},
			{"lost in A", false}, {"lost in B", false}, {"use in A", true}, {"use in B", true}}}
	change := func(p LinePair) float64 {
		a, b := p.of(spentOf, pa, pb)
		return difference(a, b, whole)
	}
	sorted := slices.Clone(pairs)
	slices.SortStableFunc(sorted, func(p, q LinePair) int { return cmp.Compare(math.Abs(change(q)), math.Abs(change(p))) })
	for _, p := range sorted {
		a, _ := p.of(spentOf, pa, pb)
		row := []field{words(p.words()), {}, {}, secondsField(units.Seconds(change(p))).difference(), {}, {}, {}, {}, {}}
		for i, l := range []*interval.Line{p.A, p.B} {
			if l != nil {
				n, spent := units.Seconds([]float64{pa, pb}[i]), spentAt(l)
				row[1+i], row[5+i], row[7+i] = secondsField(l.Spent()/n), secondsField(l.Lost()/n), field{parts: &spent}
			}
		}
		if p.A != nil && p.B != nil && a > 0 {
			row[4] = ratioField(change(p) / a).difference()
		}
		t.rows = append(t.rows, row)
	}
	return t
}
