// Package open opens what the commands read: streams of calls in either form,
// machine descriptions, grids.
package open

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
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
