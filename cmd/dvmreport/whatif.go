package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/call"
	"dvmtools/pkg/machine/parasol"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/report"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/whatif"
	"dvmtools/pkg/whatif/engine"
)

// checkWhatIf refuses options that do not go together.
func checkWhatIf(e *cli.Env, format report.Format) error {
	switch {
	case !e.Flags.IsSet("what-if"):
		for _, f := range open.MachineFlags() {
			if e.Flags.IsSet(f.Names()[0]) {
				return cli.Usagef("--%s is for --what-if", f.Names()[0])
			}
		}
	case format != report.HTML:
		return cli.Usagef("--what-if is for --format %s, found --format %s", report.HTML, format)
	case len(e.Inputs()) > 1:
		return cli.Usagef("--what-if is for the page of one program, found %d streams", len(e.Inputs()))
	case e.Flags.IsSet("source"):
		return cli.Usagef("--what-if and --source cannot be used together: the colours of the source would not follow the changes")
	}
	return nil
}

// whatIf returns what a page needs that can be changed, nil when none is wanted.
// It simulates the calls once, to see that they are those of the intervals.
func whatIf(e *cli.Env, t *report.Tree, level int) (*report.WhatIf, error) {
	name := e.Flags.String("what-if")
	if name == "" {
		return nil, nil
	}
	if t.Header.Measured {
		return nil, errors.New("--what-if: the intervals were measured and not predicted, expected those of dvmsim")
	}
	src, err := open.Calls(e, name, ptr.Options{})
	if err != nil {
		return nil, err
	}
	calls, err := call.Record(src)
	if err != nil {
		return nil, err
	}
	b, err := base(e, t, name, level)
	if err != nil {
		return nil, err
	}
	eng := whatif.Of(calls)
	if err := settle(e, eng, t, b); err != nil {
		return nil, err
	}
	packed, err := pack(calls)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return &report.WhatIf{Module: engine.Module, Calls: packed, Base: text}, nil
}

// base returns what the intervals say about how they were predicted, and what
// the options say about the machine.
func base(e *cli.Env, t *report.Tree, calls string, level int) (*whatif.Base, error) {
	h := &t.Header
	b := &whatif.Base{
		Calls: calls, Sections: h.Options.Sections, LoopCost: h.Options.LoopCost, Level: h.Options.Level, Shown: level, Detail: "none",
		Setting: whatif.Setting{
			Set: e.Values("set"), Scale: e.Values("scale"), Grid: h.Grid, Options: h.Options.Model, Order: h.Machine.Order, TracedOn: e.Flags.String("traced-on"),
		},
	}
	if len(b.Setting.Set)+len(b.Setting.Scale) == 0 && len(e.Values("machine")) > 0 {
		// The header says which changes were made.
		for _, c := range h.Machine.Changes {
			if c.Set != "" {
				b.Setting.Set = append(b.Setting.Set, c.Set)
			} else {
				b.Setting.Scale = append(b.Setting.Scale, c.Scale)
			}
		}
	}
	// Lists that are empty are none in JSON, which the page does not expect.
	b.Setting.Set, b.Setting.Scale = append([]string{}, b.Setting.Set...), append([]string{}, b.Setting.Scale...)
	for _, n := range t.Nodes {
		b.Lines = b.Lines || len(n.Lines) > 0
		b.POP = b.POP || n.POP != nil
		for i := range n.Classes {
			if b.Detail = "classes"; n.Classes[i].Rank != nil {
				b.Detail = "each"
			}
		}
	}
	m := &b.Machine
	if len(e.Values("machine")) == 0 {
		for _, f := range open.MachineFlags() {
			if e.Flags.IsSet(f.Names()[0]) {
				return nil, cli.Usagef("--%s changes the machine of a file; name it with -m", f.Names()[0])
			}
		}
		m.Stated = &h.Machine
		return b, nil
	}
	// The machine is read once as dvmsim reads it, for its messages.
	if _, err := open.Machine(e); err != nil {
		return nil, err
	}
	sources, _, err := open.Sources(e)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		m.Files = append(m.Files, whatif.File{Name: s.Name, Text: string(s.Text)})
	}
	m.Topology, m.Model, m.SmallLoops = e.Flags.String("topology-id"), e.Flags.String("model"), e.Flags.Bool("small-loops")
	if !parasol.Is(sources[0].Text) {
		return b, nil
	}
	m.TracedOn = slices.Clone(m.Files)
	if i := strings.LastIndexByte(b.Setting.TracedOn, ':'); i >= 0 && b.Setting.TracedOn[:i] != m.Files[0].Name {
		d, err := open.OpenDescription(e, b.Setting.TracedOn[:i])
		if err != nil {
			return nil, err
		}
		m.TracedOn = append(m.TracedOn, whatif.File{Name: b.Setting.TracedOn[:i], Text: d.Text()})
	}
	return b, nil
}

// settle completes b so that its setting gives the intervals of t; the error
// says when the machine or the calls are others.
func settle(e *cli.Env, eng *whatif.Engine, t *report.Tree, b *whatif.Base) error {
	eng.Begin(*b)
	r, err := eng.Simulate(e.Ctx, b.Setting)
	if err != nil && e.Ctx.Err() == nil {
		// Nothing in the stream tells whether it was made with --lenient.
		b.Lenient = true
		eng.Begin(*b)
		var again error
		if r, again = eng.Simulate(e.Ctx, b.Setting); again != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if got, want := text(r.Machine.Description()), text(t.Header.Machine); got != want {
		return fmt.Errorf("--what-if: the intervals were predicted on another machine than %s describes; give the options about the machine that dvmsim was given", strings.Join(e.Values("machine"), ", "))
	}
	if !sameIntervals(eng, t, r) {
		return fmt.Errorf("--what-if: the calls of %s give other intervals than those in the stream; is it the trace that they were predicted from, by this version of dvmsim?", b.Calls)
	}
	b.Warnings = max(0, t.Warnings-int64(len(r.Warnings)))
	if len(b.Machine.TracedOn) > 0 && b.Setting.TracedOn == "" {
		// The traced processor is that of the file without changes: were it
		// that of the changed machine, changed timings would change nothing.
		s := b.Setting
		s.TracedOn = b.Machine.Files[0].Name + ":" + firstType(&b.Machine)
		if r, err := eng.Simulate(e.Ctx, s); err == nil && sameIntervals(eng, t, r) {
			b.Setting = s
		}
	}
	eng.Begin(*b)
	return nil
}

// firstType returns the id of the type of the first processor of a machine of
// Parasol I, "" when it cannot be told.
func firstType(m *whatif.Machine) string {
	f, list := parasol.Parse(m.Files[0].Name, []byte(m.Files[0].Text))
	if list.Err() != nil {
		return ""
	}
	top, err := f.Machine().Hardware()
	if m.Topology != "" {
		var id int64
		id, err = strconv.ParseInt(m.Topology, 10, 64)
		top = f.Machine().Topology(id)
	}
	if err != nil || top == nil || len(top.Types) == 0 {
		return ""
	}
	return strconv.FormatInt(top.Types[0].ID, 10)
}

// sameIntervals reports whether a simulation gives the intervals of t.
func sameIntervals(eng *whatif.Engine, t *report.Tree, r *sim.Result) bool {
	got, err := eng.Tree(r)
	if err != nil || len(got.Nodes) != len(t.Nodes) {
		return false
	}
	for i, n := range got.Nodes {
		if text(n.Interval) != text(t.Nodes[i].Interval) {
			return false
		}
	}
	return true
}

// text returns a value as JSON, to compare it.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// pack returns calls as a page has them, compressed.
func pack(calls *call.Recording) ([]byte, error) {
	packed, err := whatif.Pack(calls)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(packed); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
