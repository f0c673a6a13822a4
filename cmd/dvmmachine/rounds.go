package main

import (
	"encoding/json"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine/measure"
)

// rounds keeps the rounds of messages that are complete.
type rounds struct {
	*records
	measure.Output
	name string
}

// lines is a record of a journal of messages: the first lines of a run, or those
// of a round.
type lines struct {
	Head  []string `json:"head,omitempty"`
	Round []string `json:"round,omitempty"`
}

// openRounds reads the rounds of earlier runs, or begins.
func openRounds(e *cli.Env, name string, id identity) (*rounds, error) {
	r := &rounds{name: name}
	var err error
	r.records, err = openRecords(e, name, id, func(at diag.Pos, line []byte) error {
		var l lines
		if err := json.Unmarshal(line, &l); err != nil || (l.Head == nil) == (l.Round == nil) {
			return noRecord(at)
		}
		if l.Head != nil { // a second one is of another run at the same time
			if r.Head != nil && !r.SameProcesses(l.Head) {
				return noRecord(at)
			}
			r.Head = l.Head
			return nil
		}
		one := measure.Output{Head: r.Head, Rounds: [][]string{l.Round}}
		if _, err := one.Samples(); err != nil {
			return noRecord(at)
		}
		if len(r.Rounds) < id.Samples {
			r.Rounds = append(r.Rounds, l.Round)
		}
		return nil
	})
	return r, err
}

// begin takes the first lines of a run.
func (r *rounds) begin(head []string) error {
	switch {
	case r.Head == nil:
		r.Head = head
		return r.write(lines{Head: head})
	case !r.SameProcesses(head):
		return diag.New(diag.Pos{File: r.name, Line: 2, Col: 1}, "measure/journal", "found results of processes on other hosts or of another library of MPI; name a new file")
	}
	return nil
}

// keep takes the lines of a round.
func (r *rounds) keep(round []string) error {
	r.Rounds = append(r.Rounds, round)
	return r.write(lines{Round: round})
}
