package main

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/cmd/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const traces = "../../testdata/traces/single/"

// dvmsim runs the command and returns what it wrote and its exit code.
func dvmsim(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, talk bytes.Buffer
	code = cli.Run(t.Context(), command(), args, strings.NewReader(stdin), &out, &talk)
	return out.String(), talk.String(), code
}

// target is a machine and a grid on it.
type target struct {
	machine, grid string
	// even says that all processors have the power 1.
	even bool
}

var targets = []target{
	{"bus4", "2x2", true},
	{"myrinet2", "4", true},
	{"transputer", "2x2", true},
	{"tree", "2x2", false},
}

// wanted is a call of a trace whose cost is explained.
type wanted struct {
	trace, call string
	// lands says what becomes of the exchange that the call names.
	lands landing
}

// landing says how the exchange of a call moves the clocks.
type landing int

const (
	// none: there is no exchange, or nobody waits for it here.
	none landing = iota
	// synchronous: everybody waits for its end.
	synchronous
	// wait: it was begun before.
	wait
	// unsaid: time passes that the explanation does not name, such as that
	// of input and output, and of stages of a pipeline.
	unsaid
)

var explained = []wanted{
	{"f01_ivals", "crtda_@9", none},
	{"f01_ivals", "strtsh_@29", none},
	{"f01_ivals", "waitsh_@30", wait},
	{"f01_ivals", "strtrd_@47", none},
	{"f01_ivals", "waitrd_@48", wait},
	{"f03_async", "exfrst_@55", none},
	{"f03_async", "endpl_@63", none},
	{"f03_async", "endpl_@75", wait},
	{"f04_across", "dopl_@17", none},
	{"f04_across", "dopl_@39", synchronous},
	{"f04_across", "dopl_@40", unsaid},
	{"f05_remote", "loadrb_@33", none},
	{"f05_remote", "waitrb_@34", wait},
	{"f06_redist", "redis_@22", synchronous},
	{"f06_redist", "realn_@86", synchronous},
	{"f07_copy", "arrcpy_@24", synchronous},
	{"f07_copy", "aarrcp_@31", none},
	{"f07_copy", "waitcp_@34", wait},
	{"f08_io", "arrcpy_@20", unsaid},
	{"f08_io", "srmem_@48", unsaid},
	{"d15_api", "sendsh_@49", none},
	{"d16_stdio", "dvm_fread@24", unsaid},
	{"d16_stdio", "dvm_dfread@35", unsaid},
}

func explain(t *testing.T, m target, file, call string) string {
	t.Helper()
	out, talk, code := dvmsim(t, "", "-m", "../../testdata/machines/"+m.machine+".par", "-g", m.grid, "-q", "--explain", call, file)
	if code != 0 {
		t.Fatalf("%s on %s: exit code %d: %s", call, m.machine, code, talk)
	}
	return out
}

// One call of every kind on four machines: what is printed is kept, and every
// figure in it is what its operands give.
func TestExplain(t *testing.T) {
	for _, m := range targets {
		t.Run(m.machine, func(t *testing.T) {
			var all strings.Builder
			figures := 0
			for _, w := range explained {
				text := explain(t, m, traces+w.trace+".ptr.zst", w.call)
				fmt.Fprintf(&all, "-- %s of %s --\n%s", w.call, w.trace, text)
				figures += recompute(t, m, w, text)
			}
			// No real trace loads a group of buffers.
			for _, w := range []wanted{{"group", "loadbg_@9", none}, {"group", "waitbg_@10", wait}} {
				text := explain(t, m, "testdata/group.ptr", w.call)
				fmt.Fprintf(&all, "-- %s of %s --\n%s", w.call, w.trace, text)
				figures += recompute(t, m, w, text)
			}
			if figures < 3*len(explained) {
				t.Errorf("only %d figures were found and recomputed", figures)
			}
			golden(t, m.machine, all.String())
		})
	}
}

// A pipeline costs nothing at its across_: with it the calls are explained at which
// the old values are exchanged and the pipeline runs, as they are by themselves. The
// endpl_ behind, where nothing is left to run, is not.
func TestExplainPipeline(t *testing.T) {
	m := targets[0]
	for _, w := range []struct {
		trace, across string
		calls         []string
	}{
		{"f04_across", "across_@38", []string{"dopl_@39", "dopl_@40"}},
	} {
		file := traces + w.trace + ".ptr.zst"
		got := explain(t, m, file, w.across)
		want := ""
		for _, c := range w.calls {
			want += explain(t, m, file, c)
		}
		own, rest, _ := strings.Cut(got, "dopl_ at ")
		if rest = "dopl_ at " + rest; !strings.HasPrefix(own, "across_ at ") || rest != want {
			t.Errorf("found\n%s\nexpected the explanation of across_ and\n%s", got, want)
		}
	}
}

// On links the explanation names routes, links and overheads: of exchanges,
// reductions, loads and the stages of a pipeline, on the transputers of a complete
// machine file.
func TestExplainOnLinks(t *testing.T) {
	var all strings.Builder
	for _, w := range []wanted{
		{"f01_ivals", "strtrd_@47", none}, {"f04_across", "dopl_@39", none}, {"f04_across", "dopl_@40", none},
		{"f05_remote", "loadrb_@33", none}, {"f06_redist", "realn_@86", none},
	} {
		for _, model := range []string{"mpi", "pvm"} {
			out, talk, code := dvmsim(t, "", "-m", "../../testdata/machines/sparc.mach", "--topology-id", "2", "--model", model, "-g", "4", "-q", "--explain", w.call, traces+w.trace+".ptr.zst")
			if code != 0 {
				t.Fatalf("%s: exit code %d: %s", w.call, code, talk)
			}
			fmt.Fprintf(&all, "-- %s of %s, %s --\n%s", w.call, w.trace, model, out)
		}
	}
	golden(t, "links", all.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "explain", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", file, d)
	}
}

// Busy channels: an exchange that begins while the bus is taken ends later
// than its messages alone would, and says so by its end.
func TestExplainQueuedExchange(t *testing.T) {
	file := traces + "f03_async.ptr.zst"
	// strtrd_@39 begins while the exchange of strtsh_@26 may be in flight.
	slow := filepath.Join(t.TempDir(), "slow.par")
	if err := os.WriteFile(slow, []byte("cluster = c; c = {4 x p}; c.CommType = ethernet; c.TStart = 100000; c.TByte = 0.2; p = 1.0;"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := func(call string) (start, end, alone float64) {
		text, talk, code := dvmsim(t, "", "-m", slow, "-g", "2x2", "-q", "--explain", call, file)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, talk)
		}
		s := &sheet{t: t, where: call}
		for _, l := range strings.Split(text, "\n") {
			if m := stepLine.FindStringSubmatch(l); m != nil {
				for _, term := range strings.Split(m[4], "; ") {
					x := s.numbers(messages.FindStringSubmatch(term)[1:])
					alone += x[0] * (x[1] + x[2]*x[3])
				}
			}
			if m := wholeLine.FindStringSubmatch(l); m != nil {
				n := s.numbers(m[1:])
				return n[0], n[1], alone
			}
		}
		t.Fatalf("no exchange in:\n%s", text)
		return 0, 0, 0
	}
	shadowStart, shadowEnd, shadow := out("strtsh_@26")
	start, end, reduction := out("strtrd_@39")
	if start >= shadowEnd || reduction == 0 {
		t.Fatalf("the reduction begins at %g us and takes %g us, the shadow exchange ended at %g us: nothing queues", start, reduction, shadowEnd)
	}
	if math.Abs(shadowStart+shadow-shadowEnd) > 1e-2 || math.Abs(shadowEnd+reduction-end) > 1e-2 {
		t.Errorf("the shadow exchange takes %g us from %g to %g us, the reduction %g us behind it, to %g us", shadow, shadowStart, shadowEnd, reduction, end)
	}
}

// What is no call of the program, or not that one.
func TestExplainErrors(t *testing.T) {
	machine := []string{"-m", "../../testdata/machines/bus4.par", "-g", "2x2", "-q"}
	for _, c := range []struct {
		name, call string
		code       int
		want       string
	}{
		{"another function", "strtsh_@30", 1, "call 30 is waitsh_ at f01_ivals.fdv:23, not strtsh_"},
		{"a function that does not exist", "strtsh@29", 1, "call 29 is strtsh_ at f01_ivals.fdv:23, not strtsh"},
		{"behind the end", "strtsh_@99999999", 1, "no call 99999999 inside the program"},
		{"before the program", "dvm_Init@2", 1, "no call 2 inside the program"},
		{"no number", "strtsh_", 2, `found "strtsh_", expected a function and the number of its call`},
		{"a word for the number", "strtsh_@first", 2, `found "strtsh_@first"`},
		{"number zero", "strtsh_@0", 2, `found "strtsh_@0"`},
		{"a negative number", "strtsh_@-3", 2, `found "strtsh_@-3"`},
		{"a number beyond 64 bits", "strtsh_@99999999999999999999", 2, "expected a function and the number"},
		{"no function", "@29", 2, `found "@29"`},
		{"two numbers", "strtsh_@29@30", 2, `found "strtsh_@29@30"`},
	} {
		out, talk, code := dvmsim(t, "", append(slices.Clone(machine), "--explain", c.call, traces+"f01_ivals.ptr.zst")...)
		if code != c.code || !strings.Contains(talk, c.want) || out != "" {
			t.Errorf("%s: exit code %d, output %q, messages %q; want %d, nothing, %q", c.name, code, out, talk, c.code, c.want)
		}
		if n := strings.Count(strings.TrimSpace(talk), "\n"); n > 0 {
			t.Errorf("%s: %d lines of messages, want one: %q", c.name, n+1, talk)
		}
	}
}

// An explanation is a view of the simulation and changes nothing: the clocks
// that it prints for the last call of the program are those of the result.
func TestExplainAgreesWithTheResult(t *testing.T) {
	for _, m := range targets {
		args := []string{"-m", "../../testdata/machines/" + m.machine + ".par", "-g", m.grid, "-q", "--per-processor", "none"}
		records, talk, code := dvmsim(t, "", append(slices.Clone(args), traces+"f01_ivals.ptr.zst")...)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, talk)
		}
		found := regexp.MustCompile(`"level":0,.*?"execution_time":([^,]+),`).FindStringSubmatch(records)
		if found == nil {
			t.Fatalf("no main interval in %.300q", records)
		}
		want, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		text := explain(t, m, traces+"f01_ivals.ptr.zst", lastCall)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		after := afterLine.FindStringSubmatch(lines[len(lines)-1])
		if after == nil {
			t.Fatalf("no clocks in:\n%s", text)
		}
		got, err := strconv.ParseFloat(after[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		// Behind the last call only the time of the program's end passes.
		if d := want*1e6 - got; d < -1e-3 || d > exitMicros+1e-3 {
			t.Errorf("%s: %.9g us after the last call, the program takes %.9g us", m.machine, got, want*1e6)
		}
	}
}

// The last call of f01_ivals and the time of its Event_dvm_exit.
const (
	lastCall   = "tstio_@223"
	exitMicros = 204.85
)
