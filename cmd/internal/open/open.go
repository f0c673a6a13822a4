// Package open opens what the commands read: streams of calls in either form,
// machine descriptions, grids.
package open

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/machine/parasol"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/stream"
)

// Calls opens the stream of calls name. Its first byte shows whether it is a .ptr
// trace or the output of dvmtrace-parse.
func Calls(e *cli.Env, name string, opts ptr.Options) (call.Source, error) {
	in, err := e.Open(name)
	if err != nil {
		return nil, err
	}
	content, err := in.Sniff()
	if err != nil {
		return nil, err
	}
	switch {
	case content.Format == stream.FormatText:
		return ptr.NewReader(in.Name(), in, opts)
	case content.Format == stream.FormatBlank:
		return nil, diag.Truncated(diag.Pos{File: in.Name()}, "stream/empty", "the input is empty, expected a .ptr trace or the calls of one; did the program before it in the pipe fail?")
	}
	return call.NewReader(in.Name(), in)
}

// One returns the only operand, "-" when there is none; more are a usage
// error that says what was expected.
func One(e *cli.Env, what string) (string, error) {
	in := e.Inputs()
	if len(in) > 1 {
		return "", cli.Usagef("found %d operands, expected %s", len(in), what)
	}
	return in[0], nil
}

// maxMachineFile is the largest size of a machine file in bytes; it is read at
// once.
const maxMachineFile = 16 << 20

// Machine reads the machine that the options of [MachineFlags] describe, with
// the changes that they ask for and its processors in the order that they state,
// and shows the warnings and notes about it.
func Machine(e *cli.Env) (*machine.Machine, error) {
	order := machine.Order(e.Flags.String("order"))
	if !slices.Contains(machine.Orders(), order) {
		return nil, cli.Usagef("--order: found %q, expected file, fastest or cyclic", order)
	}
	m, err := unordered(e)
	if err != nil {
		return nil, err
	}
	if m, err = m.Ordered(order); err != nil {
		return nil, fmt.Errorf("--order: %w", err)
	}
	return m, nil
}

// unordered is [Machine] with the processors as the description lists them.
func unordered(e *cli.Env) (*machine.Machine, error) {
	files := e.Values("machine")
	if len(files) == 0 {
		return nil, cli.Usagef("no machine is given; name its description with -m FILE (see testdata/machines for examples)")
	}
	var d Description
	var sources []par.Source
	var wanted *int64
	for _, f := range files {
		file, id := splitID(f)
		if id != nil {
			wanted = id
		}
		s, err := source(e, file)
		if err != nil {
			return nil, err
		}
		if d.Name = s.Name; parasol.Is(s.Text) && len(files) > 1 {
			return nil, cli.Usagef("%s is a machine of Parasol, found %d machine descriptions, expected it alone", s.Name, len(files))
		}
		sources = append(sources, s)
	}
	var list diag.List
	if parasol.Is(sources[0].Text) {
		d.Parasol, list = parasol.Parse(d.Name, sources[0].Text)
	} else {
		d.Tree, list = par.ParseAll(sources...)
	}
	for _, n := range list.Notes() {
		e.Note(n)
	}
	if err := list.Err(); err != nil {
		for _, w := range list.Warnings() {
			e.Warn(w)
		}
		return nil, err
	}
	if _, err := Warn(e, list.Warnings()); err != nil {
		return nil, err
	}
	if wanted != nil {
		if err := checkID(&d, *wanted); err != nil {
			return nil, err
		}
	}
	made, err := d.Apply(e.Values("set"), e.Values("scale"))
	if err != nil {
		return nil, err
	}
	if d.Parasol != nil {
		m, err := links(e, &d)
		if err == nil {
			m.Changes = changes(made)
		}
		return m, err
	}
	for _, name := range parasolOnly {
		if e.Flags.IsSet(name) {
			return nil, cli.Usagef("--%s is for machines of Parasol, %s is a description in Predictor.par", name, d.Name)
		}
	}
	d.Tree.Changes = changes(made)
	return d.Tree, nil
}

// changes returns what headers state about changes that were made.
func changes(made []Applied) []machine.ChangeMade {
	var list []machine.ChangeMade
	for _, a := range made {
		list = append(list, a.Change.Made(len(a.Moved)))
	}
	return list
}

// source reads a machine description, and refuses other kinds of input.
func source(e *cli.Env, name string) (s par.Source, err error) {
	in, err := e.Open(name)
	if err != nil {
		return s, err
	}
	b, err := io.ReadAll(io.LimitReader(in, maxMachineFile+1))
	if err != nil {
		return s, err
	}
	most := maxMachineFile
	if parasol.Is(b) {
		// The reader of machine files of Parasol I has a larger limit.
		rest, err := io.ReadAll(io.LimitReader(in, int64(parasol.MaxFile+1-len(b))))
		if err != nil {
			return s, err
		}
		b, most = append(b, rest...), parasol.MaxFile+1
	}
	if len(b) > most {
		return s, diag.New(diag.Pos{File: in.Name()}, "par/size", "the machine description is larger than %d bytes; is this the right file?", most)
	}
	if b = bytes.TrimPrefix(b, []byte("\ufeff")); len(bytes.TrimSpace(b)) > 0 && bytes.TrimSpace(b)[0] == '{' && bytes.Contains(b, []byte(`"record"`)) {
		return s, diag.New(diag.Pos{File: in.Name(), Line: 1, Col: 1}, "par/stream", "found a stream of records, expected a machine description")
	}
	if bytes.Contains(b[:min(len(b), 4096)], []byte("RTS VERSION")) {
		return s, diag.New(diag.Pos{File: in.Name(), Line: 1, Col: 1}, "par/trace", "found a trace, expected a machine description; are -m and the trace exchanged?")
	}
	return par.Source{Name: in.Name(), Text: b}, in.Close()
}

// Grid reads a processor grid: extents with x between them, as "4x4".
func Grid(s string) ([]int, error) {
	var grid []int
	for part := range strings.SplitSeq(strings.ToLower(s), "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || part[0] == '+' {
			if errors.Is(err, strconv.ErrRange) {
				return nil, cli.Usagef("grid %q: %s is too large", s, part)
			}
			return nil, cli.Usagef("grid %q: found %q, expected positive numbers with x between them, such as 16 or 4x4", s, part)
		}
		grid = append(grid, n)
	}
	if len(grid) > 64 {
		return nil, cli.Usagef("grid %q has %d dimensions, expected at most 64", s, len(grid))
	}
	return grid, nil
}
