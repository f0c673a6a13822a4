package report

import (
	"cmp"
	"fmt"
	"slices"
)

// bySensitivity returns the sensitivities, that on which the time depends most first.
func (s *Search) bySensitivity() []Sensitivity {
	list := slices.Clone(s.Sensitivities)
	slices.SortStableFunc(list, func(a, b Sensitivity) int { return cmp.Compare(max(b.Share, -b.Share), max(a.Share, -a.Share)) })
	return list
}

// parameterSentences says on which parameter the time depends most, and which change
// of a parameter is the least that makes another grid better.
func (s *Search) parameterSentences() (list []string) {
	if all := s.bySensitivity(); len(all) > 0 {
		x := all[0]
		much := percent(max(x.Share, -x.Share) / 100)
		switch {
		case x.Share > 0:
			list = append(list, fmt.Sprintf("The time depends most on %s: 1 %% more of it makes the program %s slower.", Clean(x.Parameter), much))
		case x.Share < 0:
			list = append(list, fmt.Sprintf("The time depends most on %s: 1 %% more of it makes the program %s faster.", Clean(x.Parameter), much))
		}
	}
	for _, x := range s.BreakEvens {
		if len(x.Grid) > 0 {
			list = append(list, fmt.Sprintf("With %s times %s the grid %s becomes better.", plain3(x.Factor), Clean(x.Parameter), gridWords(x.Grid)))
		}
	}
	return list
}

// plain3 returns a number with three significant digits.
func plain3(x float64) string { return fmt.Sprintf("%.3g", x) }

func (s *Search) sensitivityTable() table {
	t := table{name: "sensitivities", title: "Parameters of the machine",
		note:    "What 1 % more of a parameter adds to the execution time of the best grid. The share is that of 1 % of the time: 100 % when all the time goes with the parameter.",
		columns: []columnOf{{"parameter", true}, {"value", true}, {"time of 1 %", false}, {"share", false}, {"remark", true}}}
	for _, x := range s.bySensitivity() {
		remark := ""
		if !x.Smooth {
			remark = "depends on the step: the time has a bend here"
		}
		t.rows = append(t.rows, []field{words(Clean(x.Parameter)), words(Clean(x.Value)), secondsField(x.SecondsPerPercent).difference(),
			ratioField(x.Share).difference(), words(remark)})
	}
	return t
}

func (s *Search) breakEvenTable() table {
	t := table{name: "break-even", title: "When another grid is better",
		note: "The nearest value of a parameter at which another of the grids that were tried is better.",
		columns: []columnOf{{"parameter", true}, {"value", true}, {"direction", true}, {"times", false}, {"at", true}, {"grid there", true},
			{"processors", false}, {"execution time there", false}}}
	for _, x := range s.BreakEvens {
		row := []field{words(Clean(x.Parameter)), words(Clean(x.Value)), words(Clean(x.Direction)), {}, words("never"), {}, {}, {}}
		if len(x.Grid) > 0 {
			row = append(row[:3], field{value: Value{real: x.Factor}, unit: unitTimes}, words(Clean(x.At)), words(gridName(x.Grid)),
				countField(x.Processors, "processors"), secondsField(x.ExecutionTime))
		}
		t.rows = append(t.rows, row)
	}
	return t
}
