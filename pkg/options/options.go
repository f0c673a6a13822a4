// Package options holds the options of the model. The command line sets them, the
// simulation follows them, and the header of results records them.
//
// An option is a type with its values as constants, a field of [Model] and a row
// of [Choices]; flags, records, schemas and pages are made from the rows.
package options

import (
	"fmt"
	"slices"
	"strings"
)

// Collectives says which messages reductions and broadcasts send
// (docs/model.md#7-exchanges).
type Collectives string

const (
	// Flat sends a message between the root and every other processor.
	Flat Collectives = "flat"
	// Tree works in rounds, each of which doubles the number of processors
	// reached.
	Tree Collectives = "tree"
)

// Across says how the quanta of pipelined loops are chosen
// (docs/model.md#9-pipelined-loops).
type Across string

const (
	// Formula takes the number of quanta with the smallest T(Q).
	Formula Across = "formula"
	// Search simulates many shapes of quanta and takes the best.
	Search Across = "search"
)

// Balance says how block sizes are chosen
// (docs/model.md#4-processor-systems-templates-arrays).
type Balance string

const (
	// Even takes the block sizes that the program asks for.
	Even Balance = "none"
	// Power makes them proportional to the powers of the processors.
	Power Balance = "power"
)

// Async says how asynchronous operations start (docs/model.md#6-operations).
type Async string

const (
	// Synced synchronizes the processors at the start.
	Synced Async = "synced"
	// Free lets every processor continue; processors wait for late ones when
	// the operation is waited for.
	Free Async = "free"
)

// Model holds a value of every option. An empty field stands for the default.
type Model struct {
	Collectives Collectives `json:"collectives"`
	Across      Across      `json:"across"`
	Balance     Balance     `json:"balance"`
	Async       Async       `json:"async"`
}

// Choice describes an option.
type Choice struct {
	// Name is that of the option and of the field of records.
	Name string
	// Doc says what the option decides.
	Doc string
	// Values are the allowed values, the default first.
	Values []string

	field func(*Model) *string
}

var choices = []Choice{
	{"collectives", "how reductions and broadcasts travel", []string{string(Flat), string(Tree)}, func(m *Model) *string { return (*string)(&m.Collectives) }},
	{"across", "how the quanta of pipelined loops are chosen", []string{string(Formula), string(Search)}, func(m *Model) *string { return (*string)(&m.Across) }},
	{"balance", "what block sizes follow", []string{string(Even), string(Power)}, func(m *Model) *string { return (*string)(&m.Balance) }},
	{"async", "how asynchronous operations start", []string{string(Synced), string(Free)}, func(m *Model) *string { return (*string)(&m.Async) }},
}

// Choices returns the options in the order in which they are shown.
func Choices() []Choice { return slices.Clone(choices) }

// Defaults returns the model with the default of every option.
func Defaults() Model {
	var m Model
	for _, c := range choices {
		*c.field(&m) = c.Values[0]
	}
	return m
}

// Get returns the value of the option in m, "" when it is not set.
func (c *Choice) Get(m *Model) string { return *c.field(m) }

// Set sets the option in m. A value that is not in c.Values is an error that lists
// them, and changes nothing.
func (c *Choice) Set(m *Model, value string) error {
	if !slices.Contains(c.Values, value) {
		return fmt.Errorf("found %q, expected %s", value, strings.Join(c.Values, " or "))
	}
	*c.field(m) = value
	return nil
}
