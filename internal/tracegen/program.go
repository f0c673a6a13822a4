// Package tracegen makes random programs for tests and benchmarks: small, valid
// traces of one-processor runs that use all that Lib-DVM offers.
//
// A program is a list of calls. Generate makes one from a seed, Text writes
// it as a .ptr trace (docs/trace-format.md#layout), Shrink drops what is not
// needed for a failure.
package tracegen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Call is one call of a program with the lines of its two parameter blocks.
type Call struct {
	// Func is the name without call_ or ret_.
	Func string
	// Time and RetTime are the two TIMEs in units of 10 ns, the last of the
	// eight decimals in a trace.
	Time, RetTime int64
	// Own and RetOwn are the two TIMEs of each process of the traced run, -1 for
	// one that did not execute the call; nil when they are not kept.
	Own, RetOwn []int64
	// Line is the source line of the call.
	Line int
	// Args and Ret are the lines of the parameter blocks.
	Args, Ret []string
	// Nested are calls that the run-time system made inside
	// (docs/trace-format.md#nested-calls). They have no nested calls.
	Nested []Call
}

// A Program is the calls of a program, with the grid of the traced run.
type Program struct {
	// Root is the processor system of the traced run (PSSize).
	Root []int
	// Calls are the calls between the start and the end of the program.
	Calls []Call
	// Cut is whether the program ends early, for example inside a loop.
	Cut bool
	// Exit is the TIME of the program's end in units of 10 ns.
	Exit int64
	// ExitOwn is that of each process, nil when it is not kept.
	ExitOwn []int64
}

// Text returns the program as a trace. The same program gives the same bytes.
func (p *Program) Text() []byte {
	var b strings.Builder
	procs := 1
	var sizes strings.Builder
	for _, n := range p.Root {
		procs *= n
		fmt.Fprintf(&sizes, "%d ", n)
	}
	fmt.Fprintf(&b, "\nRTS VERSION = 2889\n \n ProcCount=%d;      PSRank=%d;      PSSize= %s;\nVProcCount=0;\n", procs, len(p.Root), strings.TrimSpace(sizes.String()))
	b.WriteString("MasterProc=0(0);   IOProc=0(0);   CentralProc=0(0);   MeanProcTime=0.000605;\n \nMPS=MPI;  Non-standard run;\n")
	event(&b, "ret_dvm_Init", 100, 1)
	b.WriteString(" \n")
	for i := range p.Calls {
		c := &p.Calls[i]
		event(&b, "call_"+c.Func, c.Time, c.Line)
		ownTimes(&b, c.Own)
		lines(&b, c.Args)
		for j := range c.Nested {
			n := &c.Nested[j]
			b.WriteString("     ")
			event(&b, "call_"+n.Func, n.Time, n.Line)
			lines(&b, n.Args)
			b.WriteString("     ")
			event(&b, "ret_"+n.Func, n.RetTime, n.Line)
			lines(&b, n.Ret)
		}
		if c.Func == "tron_" || c.Func == "troff_" {
			continue
		}
		event(&b, "ret_"+c.Func, c.RetTime, c.Line)
		ownTimes(&b, c.RetOwn)
		lines(&b, c.Ret)
	}
	event(&b, "Event_dvm_exit", p.Exit, 9999)
	ownTimes(&b, p.ExitOwn)
	b.WriteString("rc=0;\n")
	return []byte(b.String())
}

// event writes an event line (docs/trace-format.md#event-lines).
func event(b *strings.Builder, name string, time int64, line int) {
	fmt.Fprintf(b, "%-26.26s TIME=%d.%08d LINE=%-6d FILE=gen.fdv\n", name, time/1e8, time%1e8, line)
}

// ownTimes writes the line of own times (docs/trace-format.md#own-times).
func ownTimes(b *strings.Builder, times []int64) {
	if times == nil {
		return
	}
	b.WriteString("OwnTimes:")
	for _, t := range times {
		if t < 0 {
			b.WriteString(" -")
		} else {
			fmt.Fprintf(b, " %d.%08d", t/1e8, t%1e8)
		}
	}
	b.WriteByte('\n')
}

// lines writes a parameter block; an empty one is a line with a blank.
func lines(b *strings.Builder, block []string) {
	if len(block) == 0 {
		b.WriteString(" \n")
	}
	for _, l := range block {
		b.WriteString(l)
		b.WriteByte('\n')
	}
}

// array returns the line of an array parameter.
func array(name string, values []int) string {
	var b strings.Builder
	for i, v := range values {
		fmt.Fprintf(&b, "%s[%d]=%d; ", name, i, v)
	}
	return b.String()
}

// Shrink returns a smaller program for which fails is still true. It drops calls,
// many at a time and then one by one, and all calls that name an object together,
// until no more can be dropped. Then it sets times to 0. fails must be true for p,
// and false for a program that is no longer valid.
func Shrink(p *Program, fails func(*Program) bool) *Program {
	best := *p
	without := func(drop func(i int) bool) bool {
		try := best
		try.Calls = nil
		for i := range best.Calls {
			if !drop(i) {
				try.Calls = append(try.Calls, best.Calls[i])
			}
		}
		if len(try.Calls) == len(best.Calls) || !fails(&try) {
			return false
		}
		best = try
		return true
	}
	for size := max(len(best.Calls)/2, 1); ; {
		dropped := false
		for at := 0; at < len(best.Calls); {
			if without(func(i int) bool { return at <= i && i < at+size }) {
				dropped = true
			} else {
				at += size
			}
		}
		for _, ref := range references(&best) {
			dropped = without(func(i int) bool { return best.Calls[i].mentions(ref) }) || dropped
		}
		if size == 1 && !dropped {
			break
		}
		size = max(size/2, 1)
	}
	for i := range best.Calls {
		for _, zero := range []func(*Call){func(c *Call) { c.Time = 0 }, func(c *Call) { c.RetTime = 0 }} {
			try := best
			try.Calls = append([]Call(nil), best.Calls...)
			zero(&try.Calls[i])
			if fails(&try) {
				best = try
			}
		}
	}
	return &best
}

// reference matches a value that may name an object.
var reference = regexp.MustCompile(`=[0-9a-f]{5,}\b`)

// references lists the values in a program's calls that may name objects, each
// once.
func references(p *Program) (all []string) {
	for i := range p.Calls {
		for _, ref := range reference.FindAllString(p.Calls[i].parameters(), -1) {
			if !slices.Contains(all, ref) {
				all = append(all, ref)
			}
		}
	}
	return all
}

func (c *Call) parameters() string {
	return strings.Join(c.Args, "\n") + "\n" + strings.Join(c.Ret, "\n")
}

// mentions is whether a call names an object.
func (c *Call) mentions(ref string) bool {
	return slices.Contains(reference.FindAllString(c.parameters(), -1), ref)
}
