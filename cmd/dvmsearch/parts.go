package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/search"
)

// partFlags are the options of a search that is done in parts.
func partFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.BoolFlag{Name: "plan", Usage: "write the cases of the search that can be done by themselves, and do nothing"},
		&urfave.StringFlag{Name: "run-part", Usage: "evaluate the cases of part `I/N` of the plan that is the operand; array/N takes I from the array of jobs that this one belongs to"},
		&urfave.BoolFlag{Name: "gather", Usage: "join the parts that are the operands into the result of the search"},
	}
}

// parted are the options that say what is done with a plan; all others belong to the
// search.
var parted = []string{"plan", "run-part", "gather"}

// plan writes the plan of the search that the options describe.
func plan(e *cli.Env) error {
	for _, name := range []string{"run-part", "gather", "time-limit"} {
		if e.Flags.IsSet(name) {
			return cli.Usagef("--%s cannot be combined with --plan", name)
		}
	}
	if e.Inputs()[0] == "-" {
		return cli.Usagef("a plan names the trace, which the parts read; name a file, found standard input")
	}
	w, err := prepare(e)
	if err != nil {
		return err
	}
	p, cases, err := w.job.Plan(w.prog)
	if err != nil {
		return err
	}
	p.Arguments = e.Line(parted...)
	names := append(e.Values("machine"), e.Inputs()...)
	if s := e.Flags.String("traced-on"); strings.Contains(s, ":") {
		names = append(names, s[:strings.LastIndexByte(s, ':')])
	}
	for _, name := range names {
		// FILE:ID of a machine is the file.
		if i := strings.LastIndexByte(name, ':'); i > 0 && !exists(name) {
			name = name[:i]
		}
		sum, err := hashOf(name)
		if err != nil {
			return err
		}
		p.Inputs = append(p.Inputs, search.PlanInput{File: name, SHA256: sum})
	}
	out, err := e.Out()
	if err != nil {
		return err
	}
	return search.WritePlan(out, p, cases)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// hashOf returns the hash of a file's bytes.
func hashOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// again prepares the search of a plan, after it made sure that the files are those
// of the plan, and calls do.
func again(e *cli.Env, p *search.Plan, name string, do func(*work) error) error {
	if stated := e.Line(parted...); strings.HasPrefix(stated[0], "--") && stated[0] != "--" {
		return cli.Usagef("found %s, expected only the plan or its parts: they hold the options of the search", stated[0])
	}
	for _, in := range p.Inputs {
		sum, err := hashOf(in.File)
		if err != nil {
			return err
		}
		if sum != in.SHA256 {
			return diag.New(diag.Pos{File: in.File}, "search/changed", "found another content than when %s was planned, expected the same; plan the search again", name)
		}
	}
	return e.Again(command(), p.Arguments, func(inner *cli.Env) error {
		w, err := prepare(inner)
		if err != nil {
			return err
		}
		now, _, err := w.job.Plan(w.prog)
		if err != nil {
			return err
		}
		if now.Search != p.Search || now.Cases != p.Cases {
			return diag.New(diag.Pos{File: name}, "search/version", "found a plan for another search than its options give here; was it made by another version?")
		}
		return do(w)
	})
}

// runPart evaluates a part of a plan. A part that is there already stays.
func runPart(e *cli.Env) error {
	in := e.Inputs()
	if len(in) != 1 {
		return cli.Usagef("found %d operands, expected the plan", len(in))
	}
	i, n, err := partOf(e.Flags.String("run-part"))
	if err != nil {
		return err
	}
	f, err := e.Open(in[0])
	if err != nil {
		return err
	}
	p, cases, err := search.ReadPlan(f.Name(), f)
	if err != nil {
		return err
	}
	if old := e.Previous(); old != nil {
		h, err := search.ReadPart(old.Name(), old, nil)
		if err == nil && h.Part == i && h.Parts == n && h.Plan.Same(p) {
			return nil
		}
	}
	return again(e, p, f.Name(), func(w *work) error {
		out, err := e.Out()
		if err != nil {
			return err
		}
		own := search.Share(cases, i, n)
		part, err := search.NewPartWriter(out, p, i, n, len(own))
		if err != nil {
			return err
		}
		steps, done, last := e.Steps(0, len(own)), 0, 0
		err = w.job.Evaluate(e.Ctx, w.prog, own, func(o *search.PartOutcome) error {
			if o.Case != last {
				last = o.Case
				done++
			}
			steps.Next(done-1, "cases")
			return part.Put(o)
		})
		if err != nil {
			return err
		}
		return part.End()
	})
}

// taskVariables name the environment variables that hold the number of a task in an
// array of jobs, from 1.
var taskVariables = []string{"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "SGE_TASK_ID", "LSB_JOBINDEX", "PARALLEL_SEQ"}

// partOf reads I/N or array/N.
func partOf(text string) (i, n int, err error) {
	left, right, ok := strings.Cut(text, "/")
	shown := text
	if left == "array" {
		left = ""
		for _, v := range taskVariables {
			if x := os.Getenv(v); x != "" && left == "" {
				left, shown = x, fmt.Sprintf("%s with %s=%s", text, v, x)
			}
		}
		if left == "" {
			return 0, 0, cli.Usagef("--run-part: found %s outside of an array of jobs, expected one of the environment variables %s", text, strings.Join(taskVariables, ", "))
		}
	}
	i, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n {
		return 0, 0, cli.Usagef("--run-part: found %s, expected I/N with I from 1 to N, or array/N", shown)
	}
	return i, n, nil
}

// gather joins parts.
func gather(e *cli.Env) error {
	known := &search.Known{}
	var first *search.PartHeader
	var firstName string
	have := map[int]string{}
	for _, name := range e.Inputs() {
		f, err := e.Open(name)
		if err != nil {
			return err
		}
		h, err := search.ReadPart(f.Name(), f, known)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		pos := diag.Pos{File: f.Name()}
		switch {
		case first == nil:
			first, firstName = h, f.Name()
		case !h.Plan.Same(&first.Plan):
			return diag.New(pos, "search/foreign", "found a part of another plan than %s is of, expected parts of one", firstName)
		case h.Parts != first.Parts:
			return diag.New(pos, "search/foreign", "found part %d of %d, expected one of %d as %s is", h.Part, h.Parts, first.Parts, firstName)
		}
		if other := have[h.Part]; other != "" {
			return diag.New(pos, "search/twice", "found part %d of %d again, which %s is, expected every part once", h.Part, h.Parts, other)
		}
		have[h.Part] = f.Name()
	}
	var missing []string
	for i := range first.Parts {
		if have[i+1] == "" {
			missing = append(missing, fmt.Sprintf("%d/%d", i+1, first.Parts))
		}
	}
	if len(missing) > 0 {
		shown := strings.Join(missing[:min(len(missing), 20)], ", ")
		if len(missing) > 20 {
			shown += ", ..."
		}
		return diag.Truncated(diag.Pos{File: firstName}, "search/missing", "found %d of %d parts, expected all; what is missing: %s; evaluate it with --run-part", len(have), first.Parts, shown)
	}
	return again(e, &first.Plan, firstName, func(w *work) error {
		w.job.Config.Known = known
		return w.search(e)
	})
}
