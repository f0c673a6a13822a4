// Reality sets predictions of parallel runs beside what was measured.
//
//	go run ./scripts/reality [-machine FILE] DIR
//
// It takes every run of two processes below DIR: the directories of
// DIR/compute and DIR/parallel that hold two traces. Each run is predicted on
// its own grid, with merged times and with the own times of its processes, and
// accounted as it was measured. The table in docs/reality.md is what it prints
// for testdata/traces.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/ptr/merge"
	"dvmtools/pkg/report"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/stream"
	"dvmtools/pkg/units"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("reality: ")
	file := flag.String("machine", "scripts/reality/host.par", "predict for the machine that `FILE` describes")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("expected one directory with compute/ and parallel/; see go doc ./scripts/reality")
	}
	if err := table(context.Background(), os.Stdout, *file, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// table writes the table for the runs below dir.
func table(ctx context.Context, w io.Writer, machineFile, dir string) error {
	m, err := readMachine(machineFile)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| run | grid | measured | merged times | error | own times | error | most of it | differs by |\n")
	fmt.Fprintf(w, "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |\n")
	for _, group := range []string{"compute", "parallel"} {
		dirs, err := filepath.Glob(filepath.Join(dir, group, "*")) // sorted
		if err != nil {
			return err
		}
		var sum, worst [2]float64
		runs := 0
		for _, d := range dirs {
			files, err := filepath.Glob(filepath.Join(d, "*.ptr*"))
			if err != nil {
				return err
			}
			if len(files) != 2 {
				continue
			}
			r, err := compare(ctx, m, files)
			if err != nil {
				return fmt.Errorf("%s: %w", d, err)
			}
			fmt.Fprintf(w, "| %s/%s %s\n", group, filepath.Base(d), r.row())
			runs++
			for i, e := range r.errors() {
				sum[i] += math.Abs(e)
				worst[i] = max(worst[i], math.Abs(e))
			}
		}
		if runs == 0 {
			return fmt.Errorf("%s has no runs of two processes", filepath.Join(dir, group))
		}
		n := float64(runs)
		fmt.Fprintf(w, "| **%s**, mean | | | | %.1f %% | | %.1f %% | | |\n", group, 100*sum[0]/n, 100*sum[1]/n)
		fmt.Fprintf(w, "| **%s**, worst | | | | %.1f %% | | %.1f %% | | |\n", group, 100*worst[0], 100*worst[1])
	}
	return nil
}

// run is what was found of a run.
type run struct {
	grid                   []int
	measured, merged, with *report.Tree
}

// errors returns the errors of the predictions with merged and with own times,
// relative to what was measured.
func (r *run) errors() [2]float64 {
	of := func(t *report.Tree) float64 {
		return float64(t.Root.ExecutionTime/r.measured.Root.ExecutionTime) - 1
	}
	return [2]float64{of(r.merged), of(r.with)}
}

func (r *run) row() string {
	e := r.errors()
	part, by := report.Cause(r.with, r.measured)
	ms := func(t units.Seconds) string { return fmt.Sprintf("%.3f ms", 1e3*float64(t)) }
	grid := strings.Trim(strings.ReplaceAll(fmt.Sprint(r.grid), " ", "x"), "[]")
	return fmt.Sprintf("| %s | %s | %s | %+.1f %% | %s | %+.1f %% | %s | %s |", grid, ms(r.measured.Root.ExecutionTime),
		ms(r.merged.Root.ExecutionTime), 100*e[0], ms(r.with.Root.ExecutionTime), 100*e[1], part, ms(by))
}

// compare predicts and measures the run whose traces are files.
func compare(ctx context.Context, m *machine.Machine, files []string) (*run, error) {
	var sources []merge.Source
	for i, f := range files {
		sources = append(sources, merge.Source{Name: filepath.Base(f), Process: i, Open: func() (io.ReadCloser, error) { return open(f) }})
	}
	var b bytes.Buffer
	if err := merge.Merge(ctx, &b, sources, merge.Options{KeepOwn: true}); err != nil {
		return nil, err
	}
	calls := func() (call.Source, error) {
		return ptr.NewReader(sources[0].Name, bytes.NewReader(b.Bytes()), ptr.Options{})
	}
	src, err := calls()
	if err != nil {
		return nil, err
	}
	r := &run{grid: src.Header().Runtime.Root()}
	for len(r.grid) > 1 && r.grid[len(r.grid)-1] == 1 {
		r.grid = r.grid[:len(r.grid)-1]
	}
	if r.measured, err = tree(sim.Measure(ctx, src)); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		own bool
		dst **report.Tree
	}{{false, &r.merged}, {true, &r.with}} {
		if src, err = calls(); err != nil {
			return nil, err
		}
		cfg := sim.Config{Machine: m, Grid: src.Header().Runtime.Root(), Options: sim.Defaults(), OwnTimes: p.own}
		if *p.dst, err = tree(sim.Run(ctx, cfg, src)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// tree returns the intervals of a result as reports see them.
func tree(r *sim.Result, err error) (*report.Tree, error) {
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := interval.NewWriter(&b)
	if err := r.Write(w, sim.None); err != nil {
		return nil, err
	}
	if err := w.End(0); err != nil {
		return nil, err
	}
	return report.Read("intervals", &b, report.AllLevels)
}

// readMachine reads a machine description.
func readMachine(name string) (*machine.Machine, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m, list := par.Parse(name, b)
	return m, list.Err()
}

// trace is an open trace with its compression undone.
type trace struct {
	*stream.Reader
	file *os.File
}

func open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r, err := stream.NewReader(f, name)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &trace{r, f}, nil
}

// Close closes the file.
func (t *trace) Close() error { return t.file.Close() }
