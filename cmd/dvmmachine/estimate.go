package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/cmd/internal/open"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
	"dvmtools/pkg/machine/parasol"
	"dvmtools/pkg/units"
)

func estimateCommand() cli.Command {
	return cli.Command{
		Name: "estimate", Usage: "print the time of operations that were counted", ArgsUsage: "FILE [COUNTS]",
		Description: `COUNTS, or standard input, says how often each instruction is executed, a line
each: "ila 4000", "dla 2e6", or {"timing":"dla","count":2e6}; "#" and "//" begin
a comment. The names are those of 'dvmmachine timings'. The time is the sum of
count times timing; its standard deviation is that of the first order, over the
distinct timings.`,
		Flags: append([]urfave.Flag{
			&urfave.Int64Flag{Name: "proc", Value: -1, Usage: "type of the processor, `ID`", DefaultText: "the only one"},
			&urfave.BoolFlag{Name: "small-loops", Usage: "the loops fit in the instruction cache: divide by the small-loop speed-up"},
			&urfave.IntFlag{Name: "top", Value: 10, Usage: "show the `N` operations that take longest (0: all)"},
			&urfave.BoolFlag{Name: "json", Usage: "print records"},
		}, open.ChangeFlags()...),
		Run: runEstimate,
	}
}

func runEstimate(e *cli.Env) error {
	if len(e.Args) < 1 || len(e.Args) > 2 {
		return cli.Usagef("found %d operands, expected a machine file and perhaps a file of counts", len(e.Args))
	}
	if e.Flags.Int("top") < 0 {
		return cli.Usagef("--top: found %d, expected a number from 0", e.Flags.Int("top"))
	}
	m, err := openParasol(e, e.Args[0])
	if err != nil {
		return err
	}
	t, err := processorType(m, "proc", e.Flags.Int64("proc"))
	if err != nil {
		return err
	}
	if t == nil {
		if len(m.Types) != 1 {
			return cli.Usagef("the file has %d processor types, expected --proc with the id of one", len(m.Types))
		}
		t = m.Types[0]
	}
	name := "-"
	if len(e.Args) == 2 {
		name = e.Args[1]
	}
	counts, err := readCounts(e, name)
	if err != nil {
		return err
	}
	r, err := m.Estimate(t, counts, e.Flags.Bool("small-loops"))
	if err != nil {
		return err
	}
	if e.Flags.Bool("json") {
		return writeEstimate(e, r)
	}
	return write(e, estimateText(r, e.Flags.Int("top")))
}

// maxCounts is the largest size of a file of counts in bytes; it is read at once.
const maxCounts = 16 << 20

// readCounts reads operation counts.
func readCounts(e *cli.Env, name string) ([]parasol.Count, error) {
	in, err := e.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(in, maxCounts+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxCounts {
		return nil, diag.New(diag.Pos{File: in.Name()}, "counts/limit", "found more than %d bytes of counts, expected fewer", maxCounts)
	}
	var list diag.List
	var counts []parasol.Count
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		c, ok, problem := readCount(line)
		if problem != "" {
			err := diag.New(diag.Pos{File: in.Name(), Line: n, Col: 1}, "counts/syntax", "%s", problem)
			err.Source = line[:min(len(line), 100)]
			list.Add(err)
		} else if ok {
			counts = append(counts, c)
		}
	}
	if len(counts) == 0 && len(list) == 0 {
		return nil, diag.Truncated(diag.Pos{File: in.Name()}, "counts/empty", "found no counts, expected a line \"NAME NUMBER\" for each kind of operation")
	}
	return counts, list.Err()
}

// readCount reads a line; ok is false for a blank line or a comment.
func readCount(line string) (c parasol.Count, ok bool, problem string) {
	text, _, _ := strings.Cut(line, "//")
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		text, _, _ = strings.Cut(text, "#")
	}
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return c, false, ""
	}
	if fields[0][0] == '{' {
		var r struct {
			Timing *string  `json:"timing"`
			Count  *float64 `json:"count"`
		}
		dec := json.NewDecoder(bytes.NewReader([]byte(line)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&r); err != nil || dec.More() || r.Timing == nil || r.Count == nil {
			return c, false, `found another object, expected {"timing":NAME,"count":NUMBER}`
		}
		c = parasol.Count{Name: *r.Timing, Number: *r.Count}
	} else {
		if len(fields) != 2 {
			return c, false, fmt.Sprintf("found %d words, expected the name of a timing and a number", len(fields))
		}
		f, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return c, false, fmt.Sprintf("found %q, expected a number", fields[1])
		}
		c = parasol.Count{Name: fields[0], Number: f}
	}
	return c, true, c.Problem()
}

// estimateText writes an estimate for people.
func estimateText(r *parasol.Estimate, top int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "time                %.10g s\n", float64(r.Time))
	if len(r.Unknown) > 0 {
		fmt.Fprintf(&b, "standard deviation  unknown: it is not stated for %s\n", strings.Join(r.Unknown, ", "))
	} else {
		fmt.Fprintf(&b, "standard deviation  %.10g s\n", float64(r.Deviation))
	}
	if r.Speedup != 1 {
		fmt.Fprintf(&b, "small loops         all divided by %s\n", expr.FormatFloat(r.Speedup))
	}
	b.WriteString("\n    share         seconds          count  operation\n")
	for i, p := range r.Parts {
		if top > 0 && i == top {
			fmt.Fprintf(&b, "  ... %d more\n", len(r.Parts)-top)
			break
		}
		share := 0.0
		if r.Time > 0 {
			share = 100 * float64(p.Time) / float64(r.Time)
		}
		fmt.Fprintf(&b, "  %6.2f %%  %14.6g %14.6g  %s: %s\n", share, float64(p.Time), p.Number, p.Name, p.Words())
	}
	return b.String()
}

func writeEstimate(e *cli.Env, r *parasol.Estimate) error {
	out, err := e.Out()
	if err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	total := estimateRecord{Record: "estimate", Time: r.Time, Speedup: r.Speedup, Unknown: r.Unknown}
	if len(r.Unknown) == 0 {
		total.SD = &r.Deviation
	}
	if err := enc.Encode(total); err != nil {
		return err
	}
	for _, p := range r.Parts {
		if err := enc.Encode(partRecord{"part", p.Name, p.Number, p.Time}); err != nil {
			return err
		}
	}
	return enc.Encode(endRecord{Record: "end", Count: len(r.Parts)})
}

// estimateRecord is an estimate as --json writes it. SD is absent when it is not
// known; Unknown then names the timings without a deviation.
type estimateRecord struct {
	Record  string         `json:"record"`
	Time    units.Seconds  `json:"time_s"`
	SD      *units.Seconds `json:"sd_s,omitempty"`
	Unknown []string       `json:"sd_unknown,omitempty"`
	Speedup float64        `json:"speedup"`
}

// partRecord is what one kind of operation takes.
type partRecord struct {
	Record string        `json:"record"`
	Timing string        `json:"timing"`
	Count  float64       `json:"count"`
	Time   units.Seconds `json:"time_s"`
}
