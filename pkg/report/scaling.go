package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/units"
)

// Scale returns how one program does on several grids, sorted by their numbers
// of processors: time, speed-up and efficiency, the parts of a processor's
// time, and which intervals grow or do not shrink. There are at least two
// trees; names are those of their inputs.
func Scale(trees []*Tree, names []string) *Sheet {
	order := make([]int, len(trees))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(trees[i].Root.Processors, trees[j].Root.Processors) })
	var sorted []*Tree
	for _, i := range order {
		sorted = append(sorted, trees[i])
	}
	first, last := sorted[0], sorted[len(sorted)-1]
	best := slices.MinFunc(sorted, func(a, b *Tree) int { return cmp.Compare(a.Root.ExecutionTime, b.Root.ExecutionTime) })
	s := &Sheet{
		Kind:  "scaling",
		Title: fmt.Sprintf("%s on %d grids, %s to %s", program(first), len(sorted), gridWords(first.Header.Grid), gridWords(last.Header.Grid)),
		Tiles: []tile{
			{"Fastest: " + gridWords(best.Header.Grid), best.Root.ExecutionTime.Short()},
			{"Speed-up of it over " + gridWords(first.Header.Grid), plain2(speedUp(first, best))},
			{"Efficiency of it", percent(best.Root.Efficiency)},
		},
	}
	s.Sentences = append(s.Sentences, fmt.Sprintf("The fastest grid is %s with %s on %s, %s times as fast as %s.",
		gridWords(best.Header.Grid), best.Root.ExecutionTime.Short(), count(best.Root.Processors, "processor", "processors"), plain2(speedUp(first, best)), gridWords(first.Header.Grid)))
	for _, t := range sorted {
		if t.Root.Processors < best.Root.Processors && t.Root.ExecutionTime <= units.Seconds(1.02*float64(best.Root.ExecutionTime)) {
			s.Sentences = append(s.Sentences, fmt.Sprintf("%s is within 2 %% of it, %s on %s.", gridWords(t.Header.Grid), t.Root.ExecutionTime.Short(), count(t.Root.Processors, "processor", "processors")))
			break
		}
	}
	if last.Root.ExecutionTime > units.Seconds(1.01*float64(best.Root.ExecutionTime)) {
		s.Sentences = append(s.Sentences, fmt.Sprintf("More processors make it slower: %s takes %s.", gridWords(last.Header.Grid), last.Root.ExecutionTime.Short()))
	}
	if last.Root.Processors > first.Root.Processors {
		s.Sentences = append(s.Sentences, whyNotIdeal(first, last)...)
	}
	s.Facts = scalingFacts(sorted)
	s.Charts = []chart{timeChart(sorted), efficiencyChart(sorted)}
	var named []string
	for _, i := range order {
		named = append(named, names[i])
	}
	s.Tables = []table{gridTable(sorted, named), partTable(sorted), growthTable(sorted)}
	return s
}

// plain2 returns a number with two decimals.
func plain2(x float64) string { return fmt.Sprintf("%.2f", x) }

func speedUp(a, b *Tree) float64 {
	return ratio(float64(a.Root.ExecutionTime), float64(b.Root.ExecutionTime))
}

// whyNotIdeal says what takes longer on the last grid than the parts of its processors
// in the time of the first, and what grows.
func whyNotIdeal(first, last *Tree) []string {
	pairs, lines := Match(first, last), MatchLines(first, last)
	least := 0.01 * float64(last.Root.ExecutionTime)
	ratio := processorsOf(first) / processorsOf(last)
	ideal := float64(first.Root.ExecutionTime) * ratio
	most := func(pa float64) cause {
		list := append(findCauses(first, last, pairs, lines, pa, processorsOf(last)), cause{})
		return slices.MaxFunc(list, func(x, y cause) int { return cmp.Compare(x.change(), y.change()) })
	}
	var sentences []string
	more := most(processorsOf(last)) // than the first, divided among the processors of the last
	if missed := float64(last.Root.ExecutionTime) - ideal; missed > least && more.change() > least {
		s := fmt.Sprintf("%s takes %s more than the ideal %s. The average processor spends %s of that %s", gridWords(last.Header.Grid), timeWords(missed), timeWords(ideal),
			timeWords(min(missed, more.change())), more.doing)
		if start := float64(last.Header.Startup) * (1 - ratio); more.label == labelComputing && start > more.change()/2 {
			s += ", most of it in the start of the run-time system."
		} else {
			s = more.atPlace(s, len(pairs) > 1) + "."
		}
		sentences = append(sentences, s)
	}
	if c := most(processorsOf(first)); c.change() > least && c.label != more.label {
		sentences = append(sentences, "From "+gridWords(first.Header.Grid)+" to "+gridWords(last.Header.Grid)+" the average processor spends "+grows(&c, len(pairs) > 1))
	}
	return sentences
}

func grows(c *cause, places bool) string {
	return c.atPlace(timeWords(c.change())+" more "+c.doing, places) + "."
}

// atPlace adds to a sentence where most of the change is: the interval, when there are
// several, and the line.
func (c *cause) atPlace(s string, places bool) string {
	if n := c.where.either(); n != nil && places && n.Up != nil {
		s += ", most of it in the " + kindOfInterval(n.Type) + " at " + placeWords(&n.Interval)
	}
	return c.atLine(s)
}

// scalingFacts returns what is the same in all simulations.
func scalingFacts(trees []*Tree) [][2]string {
	var list [][2]string
	add := func(name string, of func(*Tree) string) {
		x := of(trees[0])
		for _, t := range trees[1:] {
			if of(t) != x {
				x = "differs"
			}
		}
		if x != "" {
			list = append(list, [2]string{name, x})
		}
	}
	add("program", program)
	add("trace", func(t *Tree) string { return trace(&t.Header) })
	add("machine", func(t *Tree) string { s, _ := machineWords(&t.Header.Machine); return s })
	add("options", func(t *Tree) string { return optionWords(&t.Header) })
	return list
}

// timeChart shows the execution time, and what it would be if all processor
// time of the first were divided among the processors.
func timeChart(trees []*Tree) chart {
	times := series{label: "execution time", class: "s0", line: true}
	ideal := series{label: "ideal: that of the first grid, divided", class: "s1", line: true}
	work := float64(trees[0].Root.ExecutionTime) * processorsOf(trees[0])
	for _, t := range trees {
		n := processorsOf(t)
		times.points = append(times.points, chartPoint{n, float64(t.Root.ExecutionTime),
			gridWords(t.Header.Grid) + ": " + t.Root.ExecutionTime.Short()})
		ideal.points = append(ideal.points, chartPoint{x: n, y: work / n})
	}
	return chart{title: "Execution time", time: true, series: []series{ideal, times}}
}

func efficiencyChart(trees []*Tree) chart {
	s := series{label: "efficiency", class: "s0", line: true}
	for _, t := range trees {
		s.points = append(s.points, chartPoint{processorsOf(t), t.Root.Efficiency, gridWords(t.Header.Grid) + ": " + percent(t.Root.Efficiency)})
	}
	return chart{title: "Efficiency", series: []series{s}}
}

func gridTable(trees []*Tree, names []string) table {
	t := table{name: "grids", title: "Grids",
		columns: []columnOf{{"grid", true}, {"processors", false}, {"execution time", false}, {"speed-up", false}, {"efficiency", false}, {"lost time", false}, {"use", true}, {"input", true}}}
	for i, x := range trees {
		t.rows = append(t.rows, []field{words(gridName(x.Header.Grid)), countField(x.Root.Processors, "processors"), secondsField(x.Root.ExecutionTime),
			{value: Value{real: speedUp(trees[0], x)}, unit: unitTimes}, ratioField(x.Root.Efficiency), secondsField(x.Root.LostTime), {parts: &x.Root.Times}, words(Clean(names[i]))})
	}
	return t
}

// partTable shows the parts of the average processor's time on each grid.
func partTable(trees []*Tree) table {
	t := table{name: "parts", title: "What grows", note: "The time of the average processor on each grid, by what it does.", columns: []columnOf{{"part of the time", true}}}
	for _, x := range trees {
		t.columns = append(t.columns, columnOf{label: gridName(x.Header.Grid)})
	}
	for _, c := range causes {
		row := []field{words(c.label)}
		any := false
		for _, x := range trees {
			v := c.of(&x.Root.Times) / processorsOf(x)
			any = any || v != 0
			row = append(row, secondsField(units.Seconds(v)))
		}
		if any {
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// growthTable shows the execution time of each interval of the first grid on
// every grid, those that shrink least first.
func growthTable(trees []*Tree) table {
	t := table{name: "intervals", title: "Intervals", note: "The execution time of each interval; first those whose time outside of the intervals inside them grows most, or shrinks least.",
		columns: []columnOf{{"interval", true}}}
	columns := [][]*Node{}
	for i, x := range trees {
		t.columns = append(t.columns, columnOf{label: gridName(x.Header.Grid)})
		column := make([]*Node, len(trees[0].Nodes))
		if i == 0 {
			copy(column, trees[0].Nodes)
		} else {
			partner := map[*Node]*Node{}
			for _, p := range Match(trees[0], x) {
				if p.A != nil {
					partner[p.A] = p.B
				}
			}
			for j, n := range trees[0].Nodes {
				column[j] = partner[n]
			}
		}
		columns = append(columns, column)
	}
	t.columns = append(t.columns, columnOf{label: "own change"})
	exec := func(t *interval.Times) float64 { return float64(t.ExecutionTime) }
	grown := make([]float64, len(trees[0].Nodes))
	order := make([]int, len(grown))
	for j := range grown {
		order[j] = j
		grown[j] = math.Inf(-1)
		if end := columns[len(columns)-1][j]; end != nil {
			grown[j] = own(end, exec) - own(columns[0][j], exec)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(grown[j], grown[i]) })
	for _, j := range order {
		row := []field{words(numbered(columns[0][j]))}
		for _, column := range columns {
			if column[j] == nil {
				row = append(row, field{})
			} else {
				row = append(row, secondsField(column[j].ExecutionTime))
			}
		}
		last := field{}
		if !math.IsInf(grown[j], 0) {
			last = secondsField(units.Seconds(grown[j])).difference()
		}
		t.rows = append(t.rows, append(row, last))
	}
	return t
}
