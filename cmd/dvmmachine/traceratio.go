package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/machine/measure"
	"dvmtools/pkg/ptr"
)

// computed is what a trace says of the program alone.
type computed struct {
	name  string
	calls []string // the names of the functions, in order
	time  float64  // the user's seconds between calls
	// intervals are those of the program in the order in which they were first
	// opened; inner ones count in outer ones.
	intervals []*userTime
	known     map[string]*userTime
	open      []*userTime
}

// userTime is the user's time in an interval, at the place where it is opened.
type userTime struct {
	place string
	depth int
	time  float64
}

// take counts the user's time before a call, and opens or closes its interval.
func (t *computed) take(c *call.Call) {
	t.time += float64(c.CallTime)
	for n, u := range t.open {
		if slices.Index(t.open, u) == n { // one that is open within itself counts once
			u.time += float64(c.CallTime)
		}
	}
	switch c.Class() {
	case libdvm.BeginUser, libdvm.BeginSequential, libdvm.BeginParallel:
		if frag, err := c.IntOr("nfrag", 0); err == nil && frag == -1 {
			return // the run-time system's own, around the program
		}
		place := fmt.Sprintf("%s:%d", c.File, c.Line)
		u := t.known[place]
		if u == nil {
			u = &userTime{place: place, depth: len(t.open)}
			t.known[place] = u
			t.intervals = append(t.intervals, u)
		}
		t.open = append(t.open, u)
	case libdvm.EndUser, libdvm.EndLoop:
		if n := len(t.open); n > 0 {
			t.open = t.open[:n-1]
		}
	}
}

// readComputed sums the user's time in a trace.
func readComputed(e *cli.Env, name string) (*computed, error) {
	src, err := open.Calls(e, name, ptr.Options{})
	if err != nil {
		return nil, err
	}
	t := &computed{name: name, known: map[string]*userTime{}}
	names := map[string]string{} // one string for each function
	for {
		c, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if c.Outside || c.Only == call.OnlyRet {
			continue
		}
		f, ok := names[c.Func]
		if !ok {
			f = strings.Clone(c.Func)
			names[f] = f
		}
		t.calls = append(t.calls, f)
		t.take(c)
	}
	if exit := src.Exit(); exit != nil {
		t.time += float64(exit.Time)
	}
	return t, nil
}

// traceRatio returns the power of the machine of the first trace relative to
// that of the second, by the users' times. The traces must be of the same
// program.
func traceRatio(target, traced *computed) (measure.Ratio, error) {
	if !slices.Equal(target.calls, traced.calls) {
		i := 0
		for i < min(len(target.calls), len(traced.calls)) && target.calls[i] == traced.calls[i] {
			i++
		}
		return measure.Ratio{}, fmt.Errorf("%s and %s are not traces of the same program and data: they have %d and %d calls and differ from call %d on", target.name, traced.name, len(target.calls), len(traced.calls), i+1)
	}
	if !(target.time > 0 && traced.time > 0) {
		return measure.Ratio{}, fmt.Errorf("the traces have %v s and %v s of the user's time, expected some in both", target.time, traced.time)
	}
	return measure.Ratio{Power: traced.time / target.time}, nil
}

// intervalRatios is a table of the powers in the whole program and in each of its
// intervals, which both traces have.
func intervalRatios(target, traced *computed) string {
	var b strings.Builder
	b.WriteString("power       target, s    traced on, s  interval\n")
	row := func(a, c float64, place string) {
		power := "-"
		if a > 0 && c > 0 {
			power = measure.Ratio{Power: c / a}.Words()
		}
		fmt.Fprintf(&b, "%-10s  %-11.4g  %-12.4g  %s\n", power, a, c, place)
	}
	row(target.time, traced.time, "the program")
	for _, u := range target.intervals {
		other := traced.known[u.place]
		if other == nil { // compiled from lines that were moved
			other = &userTime{}
		}
		row(u.time, other.time, strings.Repeat("  ", u.depth+1)+u.place)
	}
	return b.String()
}
