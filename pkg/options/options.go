// Package options holds the choices of the model: what the command line may
// ask for, what the header of results says, what the simulation does.
//
// A choice is a type with its values as constants, a field of [Model] and a row
// of [Choices]; flags, records, schemas and pages are made from the rows.
package options

import (
	"fmt"
	"slices"
	"strings"
)

// Collectives says how reductions and broadcasts travel
// (docs/model.md#7-exchanges).
type Collectives string

const (
	// Flat sends a message for every processor to or from the root.
	Flat Collectives = "flat"
	// Tree works in rounds of which each doubles the processors reached.
	Tree Collectives = "tree"
)

// Across says how the quanta of pipelined loops are chosen
// (docs/model.md#9-pipelined-loops).
type Across string

const (
	// Formula takes the number of quanta for which T(Q) is least.
	Formula Across = "formula"
	// Search simulates many shapes of quanta and takes the best.
	Search Across = "search"
)

// Balance says what block sizes follow
// (docs/model.md#4-processor-systems-templates-arrays).
type Balance string

const (
	// Even leaves block sizes to the program.
	Even Balance = "none"
	// Power makes them follow the powers of the processors.
	Power Balance = "power"
)

// Async says how asynchronous operations start (docs/model.md#6-operations).
type Async string

const (
	// Synced pulls the clocks together at the start.
	Synced Async = "synced"
	// Free lets every processor go on; who is late shows at the wait.
	Free Async = "free"
)

// Model is one choice of each kind. A field that is empty counts as its
// default.
type Model struct {
	Collectives Collectives `json:"collectives"`
	Across      Across      `json:"across"`
	Balance     Balance     `json:"balance"`
	Async       Async       `json:"async"`
}

// Choice is one kind of choice.
type Choice struct {
	// Name is that of the option and of the field of records.
	Name string
	// Doc says what is chosen.
	Doc string
	// Values are what can be chosen, the default first.
	Values []string

	field func(*Model) *string
}

var choices = []Choice{
	{"collectives", "how reductions and broadcasts travel", []string{string(Flat), string(Tree)}, func(m *Model) *string { return (*string)(&m.Collectives) }},
	{"across", "how the quanta of pipelined loops are chosen", []string{string(Formula), string(Search)}, func(m *Model) *string { return (*string)(&m.Across) }},
	{"balance", "what block sizes follow", []string{string(Even), string(Power)}, func(m *Model) *string { return (*string)(&m.Balance) }},
	{"async", "how asynchronous operations start", []string{string(Synced), string(Free)}, func(m *Model) *string { return (*string)(&m.Async) }},
}

// Choices returns the kinds of choices in the order in which they are shown.
func Choices() []Choice { return slices.Clone(choices) }

// Defaults returns the choices that hold unless others are asked for.
func Defaults() Model {
	var m Model
	for _, c := range choices {
		*c.field(&m) = c.Values[0]
	}
	return m
}

// Get returns what m chooses, "" when it says nothing.
func (c *Choice) Get(m *Model) string { return *c.field(m) }

// Set makes value the choice of m. A value that is none of c.Values is an error
// that lists them, and changes nothing.
func (c *Choice) Set(m *Model, value string) error {
	if !slices.Contains(c.Values, value) {
		return fmt.Errorf("found %q, expected %s", value, strings.Join(c.Values, " or "))
	}
	*c.field(m) = value
	return nil
}
