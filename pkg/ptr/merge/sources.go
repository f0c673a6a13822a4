package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ptr"
)

// order sorts sources by process when all state it.
func order(sources []Source) ([]Source, error) {
	if len(sources) == 0 {
		return nil, diag.New(diag.Pos{}, "merge/none", "no trace is given, expected one for each process of a run")
	}
	sources = slices.Clone(sources)
	byNumber := map[int]Source{}
	for _, s := range sources {
		if s.Process < 0 {
			continue
		}
		if other, ok := byNumber[s.Process]; ok {
			return nil, diag.New(diag.Pos{File: s.Name}, "merge/twice", "this is the trace of process %d, and so is %s; give the trace of each process once", s.Process, other.Name)
		}
		byNumber[s.Process] = s
	}
	if len(byNumber) == len(sources) {
		slices.SortFunc(sources, func(a, b Source) int { return a.Process - b.Process })
	}
	return sources, nil
}

// open opens all traces, reads their headers and checks that they belong to
// one run.
func (m *merger) open(sources []Source) error {
	held := holder{left: heldAll}
	for i, s := range sources {
		src, err := s.Open()
		if err != nil {
			return err
		}
		if len(sources) > keptOpen {
			if src, err = held.hold(src); err != nil {
				return err
			}
		}
		p := &process{index: i, name: s.Name, src: src, stated: unknownProcess}
		m.procs = append(m.procs, p)
		if p.rd, err = ptr.NewReader(s.Name, src, ptr.Options{Like: m.procs[0].rd, Buffer: allBuffers / len(sources)}); err != nil {
			return err
		}
	}
	first := m.procs[0]
	want := &first.rd.Header().Runtime
	for _, p := range m.procs[1:] {
		got := &p.rd.Header().Runtime
		differs := func(what string, a, b any) error {
			return diag.New(diag.Pos{File: p.name, Line: 1}, "merge/header", "the header says %s %v, but that of %s says %v; expected traces of one run", what, a, first.name, b)
		}
		switch {
		case got.Processors != want.Processors:
			return differs("ProcCount", got.Processors, want.Processors)
		case !slices.Equal(got.Grid, want.Grid):
			return differs("PSSize", got.Grid, want.Grid)
		case !slices.Equal(got.VirtualGrid, want.VirtualGrid):
			return differs("VPSSize", got.VirtualGrid, want.VirtualGrid)
		case got.RTSVersion != want.RTSVersion:
			return differs("RTS VERSION", got.RTSVersion, want.RTSVersion)
		case got.IOProcessor != want.IOProcessor:
			return differs("IOProc", got.IOProcessor, want.IOProcessor)
		}
	}
	return complete(sources, want.Processors)
}

// complete checks that there is a trace of each of n processes.
func complete(sources []Source, n int) error {
	there := make(map[int]bool, len(sources))
	for _, s := range sources {
		there[s.Process] = true
		if s.Process >= n {
			return diag.New(diag.Pos{File: s.Name, Line: 1}, "merge/processes", "this is the trace of process %d, but its header says that there were %d processes", s.Process, n)
		}
	}
	if len(sources) == n {
		return nil
	}
	hint := ""
	if !there[-1] && len(sources) < n {
		var missing []string
		for i := 0; i < n && len(missing) < 5; i++ {
			if !there[i] {
				missing = append(missing, fmt.Sprint(i))
			}
		}
		if rest := n - len(sources) - len(missing); rest > 0 {
			missing = append(missing, fmt.Sprintf("and %d more", rest))
		}
		hint = "; missing: process " + strings.Join(missing, ", ")
	}
	return diag.New(diag.Pos{File: sources[0].Name, Line: 1}, "merge/processes", "%s given, but the header says that there were %d processes; give the trace of each%s", counted(len(sources), "trace"), n, hint)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return fmt.Sprint(n, " ", what, "s are")
}

// pass copies a single trace. When its name has a process number, it must be the
// only process of its run; without a number it may be a merged trace.
func pass(ctx context.Context, w io.Writer, s Source, opts Options) (err error) {
	src, err := s.Open()
	if err != nil {
		return err
	}
	defer func() {
		if cerr := src.Close(); err == nil {
			err = cerr
		}
	}()
	// What was read is written only when the header is known to be good.
	var head bytes.Buffer
	to := &redirect{w: &head}
	tee := io.TeeReader(src, to)
	r, err := ptr.NewReader(s.Name, tee, ptr.Options{KeepGoing: func(*diag.Error) {}})
	if err != nil {
		return err
	}
	processes := r.Header().Runtime.Processors
	if s.Process >= 0 {
		if err := complete([]Source{s}, processes); err != nil {
			return err
		}
	}
	lacks := processes > 1 && (opts.KeepOwn || opts.SumCallTimes)
	to.w = w
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	for n := 0; ; n++ {
		if n&0xfff == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			if lacks {
				opts.Warn(mergedAlready(s.Name, processes, opts.KeepOwn))
			}
			return nil
		}
		if err != nil {
			if _, cerr := io.Copy(io.Discard, tee); cerr != nil {
				return cerr
			}
			return err
		}
		lacks = lacks && (opts.SumCallTimes || c.Own.Empty())
	}
}

// mergedAlready is the warning that the times of a merged trace stay as they are.
func mergedAlready(name string, processes int, own bool) *diag.Error {
	what := "its times before calls stay as they are"
	if own {
		what = "it does not keep the times of each"
	}
	return diag.Warn(diag.Pos{File: name}, "merge/merged", "the trace of %d processes has been merged before, and %s; expected the traces of the processes", processes, what)
}

// redirect is a writer that can be changed.
type redirect struct{ w io.Writer }

func (r *redirect) Write(p []byte) (int, error) { return r.w.Write(p) }
