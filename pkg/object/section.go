package object

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/procs"
)

// sections knows what the user says about the sections of crtps_, and which
// sections the trace leaves open.
type sections struct {
	given map[int][]procs.Given // by line, in the order of the calls
	used  map[int]int           // how many calls of a line there were
	open  []int                 // lines of calls whose section is not known
	first diag.Pos              // of the first of them
}

func newSections(list []procs.Given) sections {
	s := sections{given: map[int][]procs.Given{}, used: map[int]int{}}
	for _, g := range list {
		s.given[g.Line] = append(s.given[g.Line], g)
	}
	return s
}

// take returns the section that the user gives for the call, nil for none.
func (s *sections) take(c *call.Call) *procs.Given {
	n := s.used[c.Line]
	s.used[c.Line]++
	list := s.given[c.Line]
	if len(list) == 0 {
		return nil
	}
	return &list[n%len(list)]
}

// leaveOpen notes a call whose section says nothing, as base was traced on one
// processor and is simulated on several.
func (s *sections) leaveOpen(c *call.Call, base *procs.System) {
	for _, n := range base.Traced {
		if n != 1 {
			return
		}
	}
	if base.Size() == 1 {
		return
	}
	if len(s.open) == 0 {
		s.first = c.Pos
	}
	if !slices.Contains(s.open, c.Line) {
		s.open = append(s.open, c.Line)
	}
}

// warning returns what is to be said about open sections, nil when there are
// none.
func (s *sections) warning() *diag.Error {
	if len(s.open) == 0 {
		return nil
	}
	var example []string
	for _, line := range s.open {
		example = append(example, fmt.Sprintf("%d=FIRST-LAST/N", line))
	}
	return diag.Warn(s.first, "model/sections", "the trace was made on one processor and does not know the sections of the processor system that crtps_ takes; each is taken for the whole system, and tasks on them run one after the other: trace again on a virtual processor system (IsUserPS=1 and UserPS=4, for one), or say --sections %s with the processors FIRST to LAST of N", strings.Join(example, ","))
}

// UnusedSections returns an error when the user gave sections for a line where
// no crtps_ stands in the calls that were followed.
func (t *Table) UnusedSections() error {
	var unused, there []string
	for _, g := range t.cfg.Sections {
		if line := strconv.Itoa(g.Line); t.sections.used[g.Line] == 0 && !slices.Contains(unused, line) {
			unused = append(unused, line)
		}
	}
	if unused == nil {
		return nil
	}
	for _, line := range slices.Sorted(maps.Keys(t.sections.used)) {
		there = append(there, strconv.Itoa(line))
	}
	have := "the trace has no crtps_"
	if len(there) > 0 {
		have = "those of the trace are at " + strings.Join(there, ", ")
	}
	return fmt.Errorf("sections are given for line %s, expected lines of crtps_ calls; %s", strings.Join(unused, ", "), have)
}
