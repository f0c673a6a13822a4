package sim_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/ptr/merge"
)

// figure matches what the page of a situation expects: the grid, and a
// characteristic of the main interval in microseconds.
var figure = regexp.MustCompile(`(?m)^    grid ([\d x]+): (\w+) ([\d.]+) us$`)

// The traces of testdata/situations are those that a newcomer reads. Each has a
// page, NAME.txt, that says what it shows and works its figures by hand; the
// simulation has the same ones.
func TestSituations(t *testing.T) {
	for _, c := range []struct{ name, machine string }{
		{"nested", "../../testdata/machines/bus4.par"},
		{"tasks", "../../testdata/machines/bus4.par"},
		{"pipeline", "testdata/situations/channels.par"},
		{"edges", "../../testdata/machines/bus4.par"},
	} {
		text := situation(t, c.name)
		m := machineOf(t, readFile(t, c.machine))
		figures := figure.FindAllStringSubmatch(readFile(t, "testdata/situations/"+c.name+".txt"), -1)
		if len(figures) < 2 {
			t.Errorf("%s.txt states %d figures, want 2 or more", c.name, len(figures))
		}
		for _, f := range figures {
			var grid []int
			for n := range strings.SplitSeq(f[1], "x") {
				extent, err := strconv.Atoi(strings.TrimSpace(n))
				if err != nil {
					t.Fatal(err)
				}
				grid = append(grid, extent)
			}
			want, err := strconv.ParseFloat(f[3], 64)
			if err != nil {
				t.Fatal(err)
			}
			r := simulate(t, c.name, text, m, grid)
			if len(r.Warnings) > 0 {
				t.Errorf("%s: warnings %v", c.name, r.Warnings)
			}
			all := interval.Characteristics()
			at := slices.IndexFunc(all, func(x interval.Characteristic) bool { return x.Name == f[2] })
			if at < 0 {
				t.Errorf("%s.txt names %q, which is no characteristic", c.name, f[2])
				continue
			}
			if got := all[at].Value(&r.Intervals()[0].Times) * 1e6; !near(got, want, 1e-9) {
				t.Errorf("%s on %v: %s is %.9g us, its page says %s", c.name, grid, f[2], got, f[3])
			}
		}
	}
}

// situation returns the text of a trace of testdata/situations. NAME0_0.ptr and
// so on are merged when there is no NAME.ptr.
func situation(t *testing.T, name string) []byte {
	t.Helper()
	files, err := filepath.Glob("testdata/situations/" + name + "[0-9]*_*.ptr")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		return []byte(readFile(t, "testdata/situations/"+name+".ptr"))
	}
	var sources []merge.Source
	for i, file := range files {
		sources = append(sources, merge.Source{Name: file, Process: i, Open: func() (io.ReadCloser, error) { return os.Open(file) }})
	}
	var out bytes.Buffer
	if err := merge.Merge(context.Background(), &out, sources, merge.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Calls that the run-time system makes itself stay inside the call around
// them, and their times are part of its time inside.
func TestNestedCallsBelongToTheCallAround(t *testing.T) {
	rec := testtraces.Parse(t, "nested.ptr", situation(t, "nested"))
	var got []string
	for {
		c, err := rec.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Outside {
			continue
		}
		got = append(got, c.Func)
		for i := range c.Nested {
			got = append(got, "("+c.Nested[i].Func, c.Nested[i].Nested[0].Func+")")
		}
	}
	if s := strings.Join(got, " "); s != "crtamv_ distr_ (crtps_ CreateVMS)" {
		t.Errorf("calls %s", s)
	}
}
