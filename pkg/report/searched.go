package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/ndjson"
	"dvmtools/pkg/units"
)

// Search is what a search found.
type Search struct {
	Machine    machine.Description
	Source     []string
	Options    interval.Options // of the simulations, zero when the stream states none
	Candidates []Candidate
	// Front are the grids that no grid with as many processors or fewer
	// beats, Best is the grid that the search names.
	Front []Candidate
	Best  *Candidate
	// Evaluated, NotBad and Possible count grids.
	Evaluated, NotBad int
	Possible          int64
	// Partial says that the search was ended before it was done.
	Partial bool
	// Sensitivities and BreakEvens are about the best grid, none unless asked for.
	Sensitivities []Sensitivity
	BreakEvens    []BreakEven
	// Explanations say why the best grid is the best, none unless asked for and none
	// of sweeps.
	Explanations []Explanation
	// Axes say how the machines of a sweep differ, Points are what was found on
	// each; none for a search on one machine.
	Axes   []SweepAxis
	Points []*SweepPoint
}

// Sensitivity is how the execution time depends on a parameter of the machine.
type Sensitivity struct {
	Parameter string `json:"parameter"`
	Value     string `json:"value"`
	// SecondsPerPercent is what one per cent more of the parameter adds to the
	// execution time, Share the same as a share of one per cent of it.
	SecondsPerPercent units.Seconds `json:"seconds_per_percent"`
	Share             float64       `json:"share"`
	// Smooth says that a smaller step gives the same.
	Smooth bool `json:"smooth"`
}

// BreakEven is the nearest value of a parameter at which another grid is better.
type BreakEven struct {
	Parameter     string        `json:"parameter"`
	Value         string        `json:"value"`
	Direction     string        `json:"direction"` // "more" or "less"
	Factor        float64       `json:"factor"`
	At            string        `json:"at"`
	Grid          []int         `json:"grid"` // none when no other is better
	Processors    int64         `json:"processors"`
	ExecutionTime units.Seconds `json:"execution_time"`
}

// Explanation is a sentence of dvmsearch --explain: how the best grid was found, why a
// neighbour is worse, why others were not tried, and where the time of the best goes.
type Explanation struct {
	About string `json:"about"`
	Text  string `json:"text"`
}

// Candidate is a grid that was tried.
type Candidate struct {
	Grid          []int         `json:"grid"`
	Processors    int64         `json:"processors"`
	Mark          float64       `json:"mark"`
	Step          int           `json:"step"`
	ExecutionTime units.Seconds `json:"execution_time"`
	Efficiency    float64       `json:"efficiency"`
	// AbandonedAt is when the simulation was given up, 0 when it was not.
	AbandonedAt units.Seconds `json:"abandoned_at"`
	// Error says why the grid could not be simulated, "" when it was.
	Error string `json:"error"`
}

// known reports whether the grid's execution time is known.
func (c *Candidate) known() bool { return c.Error == "" && c.AbandonedAt == 0 }

// searchVersion is the version of the search stream that can be read.
const searchVersion = 1

// ReadSearch reads the stream of dvmsearch to its end; name is used in
// messages. Every error in the stream is a [diag.Error]; that of a stream that
// was cut wraps [diag.ErrTruncated].
func ReadSearch(name string, r io.Reader) (*Search, error) {
	in := ndjson.NewReader(name, r, ndjson.Stream{Header: "search", Version: searchVersion, Content: "the results of a search", Tool: "dvmsearch"})
	s := &Search{}
	for ended := false; !ended; {
		kind, err := in.Next()
		if err != nil {
			return nil, err
		}
		what := string(kind)
		raw, ok := in.Scanner().Raw()
		if err := in.Done(ok); err != nil {
			return nil, err
		}
		if err := s.add(what, raw); err != nil {
			return nil, diag.New(in.Pos(), "report/search", "found a %s record that cannot be read (%v), expected one as dvmsearch writes it", what, err)
		}
		if what == "end" {
			if err := in.Finish(); err != io.EOF {
				return nil, err
			}
			ended = true
		}
	}
	if s.Best == nil && s.Axes == nil {
		return nil, diag.New(diag.Pos{File: name}, "report/best", "found no best grid, expected one; was the stream filtered?")
	}
	return s, nil
}

// add adds a record of the stream.
func (s *Search) add(kind string, raw []byte) error {
	switch kind {
	case "search":
		var h struct {
			Machine machine.Description `json:"machine"`
			Source  []string            `json:"source"`
			Options interval.Options    `json:"options"`
			Points  int                 `json:"points"`
			Sweep   []SweepAxis         `json:"sweep"`
		}
		if err := json.Unmarshal(raw, &h); err != nil {
			return err
		}
		if (h.Points > 0) != (len(h.Sweep) > 0) {
			return fmt.Errorf("%d machines, and %d parameters that differ", h.Points, len(h.Sweep))
		}
		s.Machine, s.Source, s.Options, s.Axes = h.Machine, h.Source, h.Options, h.Sweep
		return s.checkAxes(h.Points)
	case "candidate", "pareto", "best":
		var c Candidate
		if err := json.Unmarshal(raw, &c); err != nil {
			return err
		}
		if c.Processors < 1 || len(c.Grid) == 0 {
			return fmt.Errorf("grid %v of %d processors", c.Grid, c.Processors)
		}
		if s.Axes != nil {
			return s.addToPoint(kind, c, raw)
		}
		switch kind {
		case "candidate":
			s.Candidates = append(s.Candidates, c)
		case "pareto":
			s.Front = append(s.Front, c)
		default:
			s.Best = &c
		}
	case "sensitivity":
		var x Sensitivity
		if err := json.Unmarshal(raw, &x); err != nil {
			return err
		}
		s.Sensitivities = append(s.Sensitivities, x)
	case "break_even":
		var x BreakEven
		if err := json.Unmarshal(raw, &x); err != nil {
			return err
		}
		s.BreakEvens = append(s.BreakEvens, x)
	case "explanation":
		var x Explanation
		if err := json.Unmarshal(raw, &x); err != nil {
			return err
		}
		if s.Axes == nil {
			s.Explanations = append(s.Explanations, x)
		}
	case "point", "point_end":
		return s.addPoint(kind, raw)
	case "end":
		var e struct {
			Evaluated int   `json:"evaluated"`
			NotBad    int   `json:"not_bad"`
			Possible  int64 `json:"possible"`
			Partial   bool  `json:"partial"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		s.Evaluated, s.NotBad, s.Possible, s.Partial = e.Evaluated, e.NotBad, e.Possible, e.Partial
	}
	return nil
}

// Sheet returns what is shown of a search.
func (s *Search) Sheet() *Sheet {
	if s.Axes != nil {
		return s.sweepSheet()
	}
	name := Clean(strings.Join(s.Source, ", "))
	title := "unnamed program"
	if len(s.Source) > 0 {
		title = Clean(path.Base(s.Source[0]))
	}
	b := s.Best
	summary, _ := machineWords(&s.Machine)
	sheet := &Sheet{
		Kind:  "search",
		Title: "The best grid for " + title + ": " + gridWords(b.Grid),
		Tiles: []tile{
			{"Best grid", gridWords(b.Grid)},
			{"Execution time", b.ExecutionTime.Short()},
			{"Efficiency", percent(b.Efficiency)},
			{"Grids tried", countValue(int64(s.Evaluated)).Exact()},
		},
		Facts: [][2]string{{"trace", cmp.Or(name, "not stated")}, {"machine", summary}},
	}
	sheet.Facts = append(sheet.Facts, s.moreFacts()...)
	sheet.Sentences = s.sentences()
	sheet.Charts = s.charts()
	front := map[string]bool{}
	for _, c := range s.Front {
		front[gridName(c.Grid)] = true
	}
	if s.plane() {
		sheet.Maps = []gridMap{s.timeMap()}
	}
	if len(s.Explanations) > 0 {
		sheet.Tables = append(sheet.Tables, s.explanationTable())
	}
	sheet.Tables = append(sheet.Tables, s.frontTable(), s.candidateTable(front))
	if len(s.Sensitivities) > 0 {
		sheet.Tables = append(sheet.Tables, s.sensitivityTable())
	}
	if len(s.BreakEvens) > 0 {
		sheet.Tables = append(sheet.Tables, s.breakEvenTable())
	}
	return sheet
}

// moreFacts are the options, and how many grids there are.
func (s *Search) moreFacts() (list [][2]string) {
	if words := optionWords(&interval.Header{Options: s.Options}); words != "" {
		list = append(list, [2]string{"options", words})
	}
	return append(list, [2]string{"grids", fmt.Sprintf("%d tried, of %d that leave no processor without elements and %d in all", s.Evaluated, s.NotBad, s.Possible)})
}

// partialWords is the sentence about a search that was ended early.
const partialWords = "The search was ended before it was done: grids that were not tried may be better."

func (s *Search) sentences() []string {
	b := s.Best
	var list []string
	if s.Partial {
		list = append(list, partialWords)
	}
	list = append(list, fmt.Sprintf("The %s grid is %s: %s on %s, efficiency %s.", s.bestWord(),
		gridWords(b.Grid), b.ExecutionTime.Short(), count(b.Processors, "processor", "processors"), percent(b.Efficiency)))
	// A grid with fewer processors that is almost as fast may be more useful
	// than the fastest.
	for _, c := range s.Front {
		if c.Processors < b.Processors && c.ExecutionTime <= units.Seconds(1.05*float64(b.ExecutionTime)) {
			list = append(list, fmt.Sprintf("%s is within 5 %% of it (%s) on %s.", gridWords(c.Grid), c.ExecutionTime.Short(), count(c.Processors, "processor", "processors")))
			break
		}
	}
	failed := 0
	for _, c := range s.Candidates {
		if c.Error != "" {
			failed++
		}
	}
	if failed > 0 {
		list = append(list, count(int64(failed), "grid", "grids")+" could not be simulated; the table says why.")
	}
	return append(list, s.parameterSentences()...)
}

// bestWord is "fastest" for a grid that no other beats, "best" for one that was chosen
// by another objective or within limits.
func (s *Search) bestWord() string {
	for _, c := range s.Candidates {
		if c.known() && c.ExecutionTime < s.Best.ExecutionTime {
			return "best"
		}
	}
	return "fastest"
}

func (s *Search) charts() []chart {
	tried := series{label: "grids tried", class: "s2"}
	effic := series{label: "grids tried", class: "s2"}
	for _, c := range s.Candidates {
		if c.known() {
			name := gridWords(c.Grid) + ": " + c.ExecutionTime.Short() + ", efficiency " + percent(c.Efficiency)
			tried.points = append(tried.points, chartPoint{float64(c.Processors), float64(c.ExecutionTime), name})
			effic.points = append(effic.points, chartPoint{float64(c.Processors), c.Efficiency, name})
		}
	}
	front := series{label: "Pareto front", class: "s0", line: true}
	for _, c := range s.Front {
		front.points = append(front.points, chartPoint{float64(c.Processors), float64(c.ExecutionTime), gridWords(c.Grid) + ": " + c.ExecutionTime.Short()})
	}
	return []chart{{title: "Execution time", time: true, series: []series{tried, front}}, {title: "Efficiency", series: []series{effic}}}
}

func (s *Search) explanationTable() table {
	t := table{name: "why", title: "Why it is the best", columns: []columnOf{{"about", true}, {"what dvmsearch says", true}}}
	for _, x := range s.Explanations {
		about := map[string]string{"found": "how it was found", "neighbour": "a neighbour", "bound": "grids not tried", "time": "its time"}[x.About]
		t.rows = append(t.rows, []field{words(cmp.Or(about, Clean(x.About))), words(Clean(x.Text))})
	}
	return t
}

func (s *Search) frontTable() table {
	t := table{name: "pareto", title: "Pareto front", note: "No grid with as many processors or fewer is faster.",
		columns: []columnOf{{"grid", true}, {"processors", false}, {"execution time", false}}}
	for _, c := range s.Front {
		t.rows = append(t.rows, []field{words(gridName(c.Grid)), countField(c.Processors, "processors"), secondsField(c.ExecutionTime)})
	}
	return t
}

func (s *Search) candidateTable(front map[string]bool) table {
	t := table{name: "grids", title: "Grids tried", note: "The mark says how even the blocks are: the least to the most elements of a coordinate.",
		columns: []columnOf{{"grid", true}, {"processors", false}, {"execution time", false}, {"efficiency", false}, {"mark", false}, {"step", false}, {"remark", true}}}
	sorted := slices.Clone(s.Candidates)
	slices.SortStableFunc(sorted, func(a, b Candidate) int {
		if (a.Error == "") != (b.Error == "") {
			return cmp.Compare(len(a.Error), len(b.Error))
		}
		if a.known() != b.known() {
			return cmp.Compare(a.AbandonedAt, b.AbandonedAt)
		}
		return cmp.Or(cmp.Compare(a.ExecutionTime, b.ExecutionTime), cmp.Compare(a.AbandonedAt, b.AbandonedAt))
	})
	for _, c := range sorted {
		row := []field{words(gridName(c.Grid)), countField(c.Processors, "processors"), secondsField(c.ExecutionTime), ratioField(c.Efficiency),
			ratioField(c.Mark), countField(int64(c.Step), "step"), {}}
		switch {
		case c.Error != "":
			row[2], row[3], row[6] = field{}, field{}, words(Clean(c.Error))
		case c.AbandonedAt > 0:
			row[2], row[3], row[6] = field{}, field{}, words("given up at "+c.AbandonedAt.Short()+", slower than one with as many processors or fewer")
		case gridName(c.Grid) == gridName(s.Best.Grid):
			row[6] = words("best")
		case front[gridName(c.Grid)]:
			row[6] = words("on the front")
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// maxMap is the greatest extent of a map.
const maxMap = 64

// plane tells whether the grids are of two dimensions and small enough for a
// map.
func (s *Search) plane() bool {
	for _, c := range s.Candidates {
		if len(c.Grid) != 2 || c.Grid[0] < 1 || c.Grid[1] < 1 {
			return false
		}
	}
	return len(s.Candidates) > 1
}

// gridMap is a picture of grids of two dimensions; a darker cell is a faster grid.
type gridMap struct {
	title string
	cells []mapCell
}

// mapCell is a grid in it.
type mapCell struct {
	x, y  int // second and first extent
	shade int // 0 to 9
	name  string
}

func (s *Search) timeMap() gridMap {
	m := gridMap{title: "Grids: down the first extent, across the second, the darker the faster"}
	least, most := units.Seconds(0), units.Seconds(0)
	for i, c := range s.Candidates {
		if !c.known() {
			continue
		}
		if i == 0 || c.ExecutionTime < least || least == 0 {
			least = c.ExecutionTime
		}
		most = max(most, c.ExecutionTime)
	}
	for _, c := range s.Candidates {
		if !c.known() || c.Grid[0] > maxMap || c.Grid[1] > maxMap {
			continue
		}
		m.cells = append(m.cells, mapCell{x: c.Grid[1], y: c.Grid[0], shade: shadeOf(c.ExecutionTime, least, most),
			name: gridWords(c.Grid) + ": " + c.ExecutionTime.Short()})
	}
	return m
}
