// Package interval holds the intervals of a simulated program with their
// characteristics, and the records in which they are written
// (R 2.1 to 2.3; schema/README.md).
package interval

import (
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// Version is the version of the interval stream's records.
const Version = 1

// Type is the type of an interval.
type Type string

// The types of intervals.
const (
	Main       Type = "main"
	User       Type = "user"
	Sequential Type = "seq"
	Parallel   Type = "par"
)

// Kind is a kind of communication operation.
type Kind uint8

// The five kinds, in the order of the records.
const (
	IO Kind = iota
	Reduction
	Shadow
	Remote
	Redistribution
	// NumKinds is the number of kinds.
	NumKinds
)

// String returns the kind's name in records.
func (k Kind) String() string {
	return [...]string{"io", "reduction", "shadow", "remote", "redistribution"}[k]
}

// Kind returns the characteristics of one kind of operation.
func (t *Times) Kind(k Kind) *KindTimes {
	return [...]*KindTimes{&t.IO, &t.Reduction, &t.Shadow, &t.Remote, &t.Redistribution}[k]
}

// Operations counts the operations that were started, by kind, nested
// intervals included.
type Operations struct {
	IO             int64 `json:"io"`
	Reduction      int64 `json:"reduction"`
	Shadow         int64 `json:"shadow"`
	Remote         int64 `json:"remote"`
	Redistribution int64 `json:"redistribution"`
}

// Kind returns the counter of one kind.
func (o *Operations) Kind(k Kind) *int64 {
	return [...]*int64{&o.IO, &o.Reduction, &o.Shadow, &o.Remote, &o.Redistribution}[k]
}

// Header is the first record of an interval stream.
type Header struct {
	Machine    machine.Description `json:"machine"`
	Grid       []int               `json:"grid"`
	Processors int64               `json:"processors"`
	// Source names the trace's files.
	Source []string `json:"source"`
	// Startup is the time that passes before the program's first call of the
	// run-time system, on the slowest processor: it does not depend on the
	// problem. 0 when it is not known.
	Startup units.Seconds `json:"startup"`
	// Measured says that the run was measured and not predicted
	// (docs/model.md#measured-runs); the machine then has but processors.
	Measured bool `json:"measured,omitempty"`
	// Options are the choices that shaped the result.
	Options Options `json:"options"`
}

// Options are the choices of a simulation (docs/model.md#12-options).
type Options struct {
	options.Model
	// Sections are those of processor systems that the user stated, as
	// package procs reads them, "" for none.
	Sections string `json:"sections,omitempty"`
	// LoopCost are what iterations of loops cost, as package density reads
	// them, nil when all of a loop cost the same.
	LoopCost []string `json:"loop_cost,omitempty"`
	// OwnTimes is of how many processes the own times were used, 0 when merged
	// times were (docs/model.md#own-times).
	OwnTimes int `json:"own_times,omitempty"`
	// Level is the depth down to which intervals were kept, -1 for all.
	Level int `json:"level"`
}

// Interval is an interval of the program.
type Interval struct {
	// ID counts the intervals of the stream from 1, parents first; Parent is
	// 0 for the main interval.
	ID     int  `json:"id"`
	Parent int  `json:"parent"`
	Level  int  `json:"level"`
	Type   Type `json:"type"`
	// File and Line are where the interval begins.
	File string `json:"file"`
	Line int    `json:"line"`
	// Expr is the value of the interval's expression, nil without one.
	Expr *int64 `json:"expr"`
	// Count is how often the interval was entered.
	Count int64 `json:"count"`
	// Processors is how many processors executed the interval.
	Processors int64      `json:"processors"`
	Operations Operations `json:"operations"`
	Times
	// POP are the POP metrics, nil when they were not asked for.
	POP *POP `json:"pop,omitempty"`
}

// Processor is a class of processors with equal values in an interval.
type Processor struct {
	// Interval is the ID of the interval.
	Interval int `json:"interval"`
	// Boxes are products of coordinate sets of the grid, one set of the form
	// "0,2-4" per dimension, that together are the class.
	Boxes [][]string `json:"boxes,omitempty"`
	// Rank is the processor's linear number when each has its own record,
	// else nil.
	Rank *int64 `json:"rank,omitempty"`
	// N is how many processors the class has.
	N int64 `json:"n"`
	Times
}

// End is the last record of an interval stream.
type End struct {
	Intervals int64 `json:"intervals"`
	Warnings  int64 `json:"warnings"`
}
