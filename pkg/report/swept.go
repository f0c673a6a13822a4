package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/units"
)

// SweepAxis is a parameter of the machine that has several values.
type SweepAxis struct {
	Parameter string `json:"parameter"`
	// Scale says that the values are factors of the parameter.
	Scale  bool     `json:"scale"`
	Values []string `json:"values"`
}

// words names a value of the axis: "TStart = 10", "power × 2".
func (a *SweepAxis) words(value int) string {
	if a.Scale {
		return Clean(a.Parameter) + " × " + Clean(a.Values[value])
	}
	return Clean(a.Parameter) + " = " + Clean(a.Values[value])
}

// SweepPoint is a machine of a sweep and what was found on it.
type SweepPoint struct {
	Candidates []Candidate
	Best       *Candidate
	Front      int // number of grids on the Pareto front
	Evaluated  int
	Partial    bool
	Error      string // why there is no best grid
}

// Bounds of what a report keeps of a sweep: what dvmsearch writes at most, and grids
// tried, of which the table and the curves of grids are made.
const (
	maxSweepPoints     = 1_000_000
	maxSweepCandidates = 200_000
)

// checkAxes refuses axes that do not make that many machines.
func (s *Search) checkAxes(points int) error {
	n := 1
	for _, a := range s.Axes {
		n *= len(a.Values)
		if n < 1 || n > maxSweepPoints {
			return fmt.Errorf("a sweep of %d values of %s", len(a.Values), a.Parameter)
		}
	}
	if points > 0 && n != points {
		return fmt.Errorf("%d machines, and values for %d", points, n)
	}
	return nil
}

// machines returns how many machines the sweep has.
func (s *Search) machines() int {
	n := 1
	for i := range s.Axes {
		n *= len(s.Axes[i].Values)
	}
	return n
}

// point returns the point of a record, which comes after that of the point.
func (s *Search) point(raw []byte) (*SweepPoint, error) {
	var at struct {
		Point int `json:"point"`
	}
	if err := json.Unmarshal(raw, &at); err != nil {
		return nil, err
	}
	if at.Point < 1 || at.Point > len(s.Points) {
		return nil, fmt.Errorf("machine %d, where %d were named before", at.Point, len(s.Points))
	}
	return s.Points[at.Point-1], nil
}

// addPoint adds the beginning or the end of a point.
func (s *Search) addPoint(kind string, raw []byte) error {
	if kind == "point" {
		if s.Axes == nil || len(s.Points) == s.machines() {
			return fmt.Errorf("a machine that no sweep has")
		}
		s.Points = append(s.Points, &SweepPoint{})
		_, err := s.point(raw)
		return err
	}
	p, err := s.point(raw)
	if err != nil {
		return err
	}
	var e struct {
		Evaluated int    `json:"evaluated"`
		Partial   bool   `json:"partial"`
		Error     string `json:"error"`
	}
	err = json.Unmarshal(raw, &e)
	p.Evaluated, p.Partial, p.Error = e.Evaluated, e.Partial, e.Error
	return err
}

// addToPoint adds a grid to its point.
func (s *Search) addToPoint(kind string, c Candidate, raw []byte) error {
	p, err := s.point(raw)
	switch {
	case err != nil:
		return err
	case kind == "best":
		p.Best = &c
	case kind == "pareto":
		p.Front++
	case s.Evaluated < maxSweepCandidates:
		// The end of the stream states how many there are.
		s.Evaluated++
		p.Candidates = append(p.Candidates, c)
	}
	return nil
}

// values returns the numbers of the values that point i has on each axis.
func (s *Search) values(i int) []int {
	at := make([]int, len(s.Axes))
	for k := len(s.Axes) - 1; k >= 0; k-- {
		n := len(s.Axes[k].Values)
		at[k], i = i%n, i/n
	}
	return at
}

// pointWords names the machine of point i by all but the last drop axes.
func (s *Search) pointWords(i, drop int) string {
	var list []string
	for k, v := range s.values(i)[:len(s.Axes)-drop] {
		list = append(list, s.Axes[k].words(v))
	}
	return strings.Join(list, ", ")
}

// sweepSheet returns what is shown of a sweep.
func (s *Search) sweepSheet() *Sheet {
	title := "unnamed program"
	if len(s.Source) > 0 {
		title = Clean(path.Base(s.Source[0]))
	}
	var names []string
	for i := range s.Axes {
		names = append(names, Clean(s.Axes[i].Parameter))
	}
	summary, _ := machineWords(&s.Machine)
	sheet := &Sheet{
		Kind:      "sweep",
		Title:     "The best grids for " + title + " over " + strings.Join(names, " and "),
		Facts:     [][2]string{{"trace", cmp.Or(Clean(strings.Join(s.Source, ", ")), "not stated")}, {"machine", summary}},
		Sentences: s.sweepSentences(),
	}
	for i := range s.Axes {
		var values []string
		for _, v := range s.Axes[i].Values {
			values = append(values, Clean(v))
		}
		what := Clean(s.Axes[i].Parameter)
		if s.Axes[i].Scale {
			what += ", factors"
		}
		sheet.Facts = append(sheet.Facts, [2]string{what, strings.Join(values, ", ")})
	}
	sheet.Facts = append(sheet.Facts, s.moreFacts()...)
	sheet.Tiles = []tile{{"Machines", strconv.Itoa(len(s.Points))}}
	if fast, slow := s.extremes(); fast >= 0 {
		sheet.Tiles = append(sheet.Tiles,
			tile{"Fastest: " + s.pointWords(fast, 0), s.Points[fast].Best.ExecutionTime.Short()},
			tile{"Slowest: " + s.pointWords(slow, 0), s.Points[slow].Best.ExecutionTime.Short()})
	}
	sheet.Tiles = append(sheet.Tiles, tile{"Grids tried", countValue(int64(s.Evaluated)).Exact()})
	if len(s.Axes) == 1 {
		sheet.Charts = []chart{s.sweepChart()}
	} else {
		sheet.Tables = append(sheet.Tables, s.crossTable("cross-times", "Execution time of the best grid", false, func(c *Candidate) field { return secondsField(c.ExecutionTime) }),
			s.crossTable("cross-grids", "Best grid", true, func(c *Candidate) field { return words(gridName(c.Grid)) }))
	}
	sheet.Tables = append(sheet.Tables, s.pointTable())
	if len(s.Axes) == 1 && s.complete() {
		sheet.Tables = append(sheet.Tables, s.gridTable())
	}
	return sheet
}

// complete tells whether all grids that were tried are kept.
func (s *Search) complete() bool { return s.Evaluated < maxSweepCandidates }

// extremes returns the points with the least and the most time of the best grid,
// -1 when there is none.
func (s *Search) extremes() (fast, slow int) {
	fast, slow = -1, -1
	for i, p := range s.Points {
		if p.Best == nil {
			continue
		}
		if fast < 0 || p.Best.ExecutionTime < s.Points[fast].Best.ExecutionTime {
			fast = i
		}
		if slow < 0 || p.Best.ExecutionTime > s.Points[slow].Best.ExecutionTime {
			slow = i
		}
	}
	return fast, slow
}

func (s *Search) sweepSentences() (list []string) {
	if s.Partial {
		list = append(list, partialWords)
	}
	if all := s.machines(); len(s.Points) < all {
		list = append(list, fmt.Sprintf("%d of %s were searched on.", len(s.Points), count(int64(all), "machine", "machines")))
	}
	var grids []string
	failed := 0
	for _, p := range s.Points {
		if p.Best == nil {
			failed++
		} else if g := gridWords(p.Best.Grid); !slices.Contains(grids, g) {
			grids = append(grids, g)
		}
	}
	switch {
	case len(grids) == 1:
		list = append(list, "The best grid is "+grids[0]+" on all "+count(int64(len(s.Points)-failed), "machine", "machines")+".")
	case len(s.Axes) == 1 && len(grids) > 1 && len(grids) <= maxRuns:
		list = append(list, s.runWords())
	case len(grids) > 1:
		list = append(list, count(int64(len(grids)), "grid is", "different grids are")+" the best on some machine.")
	}
	if fast, slow := s.extremes(); fast >= 0 && fast != slow {
		a, b := s.Points[fast].Best, s.Points[slow].Best
		list = append(list, fmt.Sprintf("The time of the best grid goes from %s (%s) to %s (%s), %s times as much.", a.ExecutionTime.Short(), s.pointWords(fast, 0),
			b.ExecutionTime.Short(), s.pointWords(slow, 0), plain2(ratio(float64(b.ExecutionTime), float64(a.ExecutionTime)))))
	}
	if failed > 0 {
		list = append(list, "On "+count(int64(failed), "machine", "machines")+" there is no best grid; the table says why.")
	}
	return list
}

// maxRuns is how many stretches of values with the same best grid a sentence names.
const maxRuns = 6

// runWords says between which values of the only axis which grid is the best.
func (s *Search) runWords() string {
	var parts []string
	for i := 0; i < len(s.Points); {
		j := i + 1
		same := func(j int) bool {
			a, b := s.Points[i].Best, s.Points[j].Best
			return (a == nil) == (b == nil) && (a == nil || slices.Equal(a.Grid, b.Grid))
		}
		for j < len(s.Points) && same(j) {
			j++
		}
		if s.Points[i].Best != nil {
			part := gridWords(s.Points[i].Best.Grid) + " at " + s.Axes[0].words(i)
			if j > i+1 {
				part += " to " + Clean(s.Axes[0].Values[j-1])
			}
			parts = append(parts, part)
		}
		i = j
	}
	if len(parts) > maxRuns {
		return "The best grid changes " + strconv.Itoa(len(parts)-1) + " times."
	}
	return "The best grid is " + strings.Join(parts, ", ") + "."
}

// gridTimes are the times of one grid at the points of a sweep over one parameter, 0
// where they are not known.
type gridTimes struct {
	grid  []int
	name  string
	times []units.Seconds
	best  int // at how many points it is the best
	known int // at how many points its time is known
}

// allTimes returns the times of all grids, those that are the best at most points
// first, then those that are known at most.
func (s *Search) allTimes() []*gridTimes {
	var list []*gridTimes
	known := map[string]*gridTimes{}
	for i, p := range s.Points {
		for k := range p.Candidates {
			c := &p.Candidates[k]
			name := gridName(c.Grid)
			g := known[name]
			if g == nil {
				g = &gridTimes{grid: c.Grid, name: name, times: make([]units.Seconds, len(s.Points))}
				known[name] = g
				list = append(list, g)
			}
			if c.known() {
				g.times[i] = c.ExecutionTime
				g.known++
			}
		}
		if p.Best != nil {
			if g := known[gridName(p.Best.Grid)]; g != nil {
				g.best++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *gridTimes) int {
		return cmp.Or(cmp.Compare(b.best, a.best), cmp.Compare(b.known, a.known))
	})
	return list
}

// Bounds of the curves of a chart: of grids that are the best somewhere, which look
// different, and of all.
const (
	bestCurves = 6
	allCurves  = 40
)

// sweepChart draws the time of each grid against the only parameter.
func (s *Search) sweepChart() chart {
	a := &s.Axes[0]
	c := chart{title: "Execution time over " + Clean(a.Parameter), time: true, x: newParameterAxis(a)}
	others, list := 0, s.allTimes()
	for _, g := range list[:min(allCurves, len(list))] {
		x := series{label: gridWords(g.grid), class: "g" + strconv.Itoa(len(c.series)), line: true}
		if g.best == 0 || len(c.series) >= bestCurves {
			x.class, x.label = "other", ""
			if others == 0 {
				x.label = "other grids"
			}
			others++
		}
		for i, t := range g.times {
			x.points = append(x.points, chartPoint{c.x.at[i], float64(t), g.name + " at " + a.words(i) + ": " + t.Short()})
		}
		slices.SortStableFunc(x.points, func(p, q chartPoint) int { return cmp.Compare(p.x, q.x) })
		c.series = append(c.series, x)
	}
	// Those that are the best are drawn over the others.
	slices.Reverse(c.series)
	return c
}

// pointTable lists the machines.
func (s *Search) pointTable() table {
	t := table{name: "machines", title: "Machines",
		columns: []columnOf{{"machine", true}, {"best grid", true}, {"processors", false}, {"execution time", false}, {"efficiency", false}, {"on the Pareto front", false}, {"grids tried", false}, {"remark", true}}}
	for i, p := range s.Points {
		row := []field{words(s.pointWords(i, 0)), {}, {}, {}, {}, countField(int64(p.Front), "grids"), countField(int64(p.Evaluated), "grids"), words(Clean(p.Error))}
		if b := p.Best; b != nil {
			row[1], row[2], row[3], row[4] = words(gridName(b.Grid)), countField(b.Processors, "processors"), secondsField(b.ExecutionTime), ratioField(b.Efficiency)
		}
		if p.Partial || s.Partial && p.Evaluated == 0 {
			row[7] = words("ended before it was done")
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// maxColumns is how many values of a parameter become columns of a table.
const maxColumns = 32

// gridTable has the time of each grid at each value of the only parameter.
func (s *Search) gridTable() table {
	t := table{name: "grids", title: "Execution time of each grid", note: "Empty where the grid was not tried, or was given up as slower than another. Grids that are the best somewhere come first.",
		columns: []columnOf{{"grid", true}}}
	shown := min(maxColumns, len(s.Points))
	if shown < len(s.Points) {
		t.note += " The first " + strconv.Itoa(shown) + " values only."
	}
	for i := range shown {
		t.columns = append(t.columns, columnOf{label: s.Axes[0].words(i)})
	}
	for _, g := range s.allTimes() {
		row := []field{words(g.name)}
		for _, x := range g.times[:shown] {
			if x > 0 {
				row = append(row, secondsField(x))
			} else {
				row = append(row, field{})
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// crossTable has a row for each combination of the values of all but the last
// parameter, and a column for each of that one.
func (s *Search) crossTable(name, title string, text bool, of func(*Candidate) field) table {
	last := &s.Axes[len(s.Axes)-1]
	t := table{name: name, title: title, columns: []columnOf{{"machine", true}}}
	shown := min(maxColumns, len(last.Values))
	if shown < len(last.Values) {
		t.note = "The first " + strconv.Itoa(shown) + " values of " + Clean(last.Parameter) + " only; the list of machines has all."
	}
	for v := range shown {
		t.columns = append(t.columns, columnOf{last.words(v), text})
	}
	for i := 0; i < len(s.Points); i += len(last.Values) {
		row := []field{words(s.pointWords(i, 1))}
		for v := range shown {
			f := field{}
			if i+v < len(s.Points) && s.Points[i+v].Best != nil {
				f = of(s.Points[i+v].Best)
			}
			row = append(row, f)
		}
		t.rows = append(t.rows, row)
	}
	return t
}
