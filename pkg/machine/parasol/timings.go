package parasol

import (
	"fmt"
	"slices"
	"strings"
)

// Certainty says how sure the meaning of a timing parameter is: the report
// explains few of its names.
type Certainty uint8

const (
	// Sure means that the text of the report or the name of a Fortran 77
	// function says so.
	Sure Certainty = iota
	// Probable means that it follows from the scheme of the names.
	Probable
	// Uncertain means that it is the best of several readings.
	Uncertain
)

var certaintyNames = [...]string{"sure", "probable", "uncertain"}

// String returns the constant's name in lower case.
func (c Certainty) String() string { return certaintyNames[c] }

// A Parameter is a row of the table of timing parameters (2.3.1, appendix A).
// Its timing is the number of seconds that one execution takes.
type Parameter struct {
	// Name is the canonical spelling. Misprint is the spelling of the report
	// where that is a mistake; it is read with a warning.
	Name, Misprint string
	// Measures says what is executed: an instruction or a Fortran 77
	// function. Type is the type of the operands, empty where none matters;
	// Locality is "local" (variables of the subroutine), "global" (in a
	// COMMON block, 3.1.1) or empty.
	Measures, Type, Locality string
	// Class is "arithmetic", "logical", "index", "flow" or "intrinsic".
	Class string
	// Groups lists the groups of section 3.2.2 that hold the parameter,
	// separated by blanks, without the group "all", which holds each.
	Groups string
	// Certainty says how sure all this is, Section where it comes from ("A"
	// is the appendix), Note why it is not certain.
	Certainty     Certainty
	Section, Note string
	// Substitute is set for the 12 functions that appendix A leaves out, though
	// section 2.3.1 speaks of all: the parameter whose timing holds where
	// this one is not defined.
	Substitute string
}

// Parameters returns the table of timing parameters: the 150 of the report,
// followed by 12 extensions. It is the caller's own copy.
func Parameters() []Parameter { return slices.Clone(parameters[:]) }

// parameterIndex finds parameters by their names and misprints.
var parameterIndex = indexParameters()

func indexParameters() map[string]int {
	index := map[string]int{}
	for i, p := range parameters {
		index[p.Name] = i
		if p.Misprint != "" {
			index[p.Misprint] = i
		}
	}
	return index
}

// parameterNames returns the canonical names, for suggestions.
func parameterNames() []string {
	names := make([]string, len(parameters))
	for i, p := range parameters {
		names[i] = p.Name
	}
	return names
}

// In says whether the parameter belongs to a group of section 3.2.2.
func (p *Parameter) In(group string) bool {
	return group == "all" || slices.Contains(strings.Fields(p.Groups), group)
}

// Groups returns the names of the groups of timing parameters, sorted.
func Groups() []string {
	names := []string{"all"}
	for _, p := range parameters {
		names = append(names, strings.Fields(p.Groups)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ParameterTable returns the table of timing parameters as text, a line each.
func ParameterTable() string {
	var b strings.Builder
	for i := range parameters {
		p := &parameters[i]
		mark := [...]string{Sure: " ", Probable: " ", Uncertain: "?"}[p.Certainty]
		if p.Substitute != "" {
			mark = "+"
		}
		line := fmt.Sprintf("%-8s %s %-9s %-52s %-6s %s", p.Name, mark, p.Certainty, strings.TrimSuffix(p.Words(), " (?)"), p.Section, p.Groups)
		if p.Note != "" {
			line += " (" + p.Note + ")"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// GroupTable returns the groups of timing parameters with their members as
// text, a line each.
func GroupTable() string {
	var b strings.Builder
	for _, g := range Groups() {
		fmt.Fprintf(&b, "%-12s", g)
		for i := range parameters {
			if parameters[i].In(g) {
				b.WriteString(" " + parameters[i].Name)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
