package merge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/object"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/ptr/merge"
)

// run is the traces of a run of several processes.
type run struct {
	testtraces.Run
	texts [][]byte // process by process
}

// runs returns all runs of several processes in testdata.
func runs(t testing.TB) []run {
	t.Helper()
	var all []run
	for _, r := range testtraces.Runs(t) {
		var texts [][]byte
		for _, name := range r.Files {
			texts = append(texts, testtraces.Text(t, name))
		}
		all = append(all, run{r, texts})
	}
	return all
}

// sources makes sources of texts that are processes 0, 1 and so on.
func sources(texts ...[]byte) []merge.Source {
	var list []merge.Source
	for i, b := range texts {
		list = append(list, merge.Source{
			Name:    fmt.Sprintf("p%d_%d.ptr", i, i),
			Process: i,
			Open:    func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil },
		})
	}
	return list
}

// merged merges texts and fails on errors and warnings.
func merged(t testing.TB, opts merge.Options, texts ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	opts.Warn = func(e *diag.Error) {
		if e.Code != "ptr/no-ret" {
			t.Errorf("warning: %v", e)
		}
	}
	if err := merge.Merge(t.Context(), &b, sources(texts...), opts); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// event is an event line as this test reads it, on its own.
type event struct {
	kind, fn, line, file string
	time                 string
	block                string // the lines up to the next event
}

// where is what an event of a process and the same event of the merged trace have
// in common. The line of runam_ and getamr_ may differ.
func (e event) where() string {
	line := e.line
	if e.fn == "runam_" || e.fn == "getamr_" {
		line = "*"
	}
	return e.kind + e.fn + " " + line + " " + e.file
}

var eventLine = regexp.MustCompile(`^ *(call_|ret_|Event_)(\S+) +TIME=([0-9.]+) LINE=([0-9]*) *FILE=(.*)\n$`)

func events(t testing.TB, text []byte) []event {
	t.Helper()
	var list []event
	block, at := 0, 0 // of the last event
	end := func() {
		if n := len(list); n > 0 {
			list[n-1].block = string(text[block:at])
		}
	}
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte(" TIME=")) {
			if m := eventLine.FindSubmatch(line); m != nil {
				end()
				block = at + len(line)
				list = append(list, event{string(m[1]), string(m[2]), string(m[4]), string(m[5]), string(m[3]), ""})
			}
		}
		at += len(line)
	}
	end()
	return list
}

// TestSubsequence: the events of each process are in the merged trace in
// their order; those of the message layer after the end are those of process 0.
func TestSubsequence(t *testing.T) {
	for _, r := range runs(t) {
		t.Run(r.Name, func(t *testing.T) {
			out := events(t, merged(t, merge.Options{}, r.texts...))
			var in [][]event
			for _, text := range r.texts {
				in = append(in, events(t, text))
			}
			for i, list := range in {
				at := 0
				for _, e := range list {
					for at < len(out) && out[at].where() != e.where() {
						at++
					}
					if at == len(out) {
						t.Fatalf("process %d: %s is not in its place in the merged trace", i, e.where())
					}
					at++
				}
			}
			// No events are added: at no place are there more events than all
			// processes have together.
			have := map[string]int{}
			for _, list := range in {
				for _, e := range list {
					have[e.where()]++
				}
			}
			for _, e := range out {
				if have[e.where()]--; have[e.where()] < 0 {
					t.Errorf("%s is there too often", e.where())
				}
			}
		})
	}
}

// TestSameAsSingle: programs in which all processes do the same give the calls
// of a run on one processor.
func TestSameAsSingle(t *testing.T) {
	n := 0
	for _, r := range runs(t) {
		name, _, _ := strings.Cut(r.Name, "_p")
		if !strings.HasPrefix(r.Files[0], "parallel/") ||
			name == "f06_redist" || name == "f09_tasks" || r.Name == "f10_genblk_p4" {
			continue
		}
		n++
		t.Run(r.Name, func(t *testing.T) {
			calls := func(text []byte) []string {
				var list []string
				for _, e := range events(t, text) {
					if e.kind == "call_" && e.fn != "rtl_Waitrequest" {
						list = append(list, e.fn+" "+e.line)
					}
				}
				return list
			}
			want := calls(testtraces.Text(t, "single/"+name+".ptr.zst"))
			got := calls(testtraces.Merged(t, r.Run))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("calls (-single +merged):\n%s", diff)
			}
		})
	}
	if n != 26 {
		t.Errorf("%d runs compared, want 26", n)
	}
}

// strays returns the uses of references that no call before has returned, as
// place and parameter, and how many references were looked at.
func strays(list []event) (stray []string, n int) {
	known := map[string]bool{"0": true, "ffffffffffffffff": true}
	for _, e := range list {
		for word := range strings.FieldsSeq(e.block) {
			key, val, _ := strings.Cut(strings.TrimSuffix(word, ";"), "=")
			if !strings.HasSuffix(key, "Ref") && !strings.HasSuffix(key, "HandlePtr") {
				continue
			}
			switch {
			case e.kind == "ret_":
				known[val] = true
			case !known[val]:
				stray = append(stray, e.where()+" "+key)
			}
			n++
		}
	}
	return stray, n
}

// TestHandles: every reference in a merged call was returned by an earlier call,
// which would not hold if addresses of several processes were mixed. References
// that realn_ and redis_ replace without an event are unknown in the traces too.
func TestHandles(t *testing.T) {
	clean := 0
	for _, r := range runs(t) {
		t.Run(r.Name, func(t *testing.T) {
			already := map[string]bool{}
			for _, text := range r.texts {
				own, _ := strays(events(t, text))
				for _, s := range own {
					already[s] = true
				}
			}
			if len(already) == 0 {
				clean++
			}
			stray, n := strays(events(t, testtraces.Merged(t, r.Run)))
			for _, s := range stray {
				if !already[s] {
					t.Errorf("%s was not returned by a call before", s)
				}
			}
			if n < 20 {
				t.Errorf("only %d references were looked at", n)
			}
		})
	}
	if clean < 30 {
		t.Errorf("only %d runs have no unknown references of their own", clean)
	}
}

// TestObjects: the objects of every merged trace can be followed, so that it
// can be simulated.
func TestObjects(t *testing.T) {
	for _, r := range runs(t) {
		t.Run(r.Name, func(t *testing.T) {
			rd, err := ptr.NewReader(r.Name, bytes.NewReader(testtraces.Merged(t, r.Run)), ptr.Options{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			rt := rd.Header().Runtime
			table := object.New(object.Config{Grid: rt.Grid, Traced: rt.Root()})
			for {
				c, err := rd.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if c.Outside {
					continue
				}
				if err := table.Follow(c); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestTasks: tasks do not overlap: after runam_ with Run=1 comes its stopam_
// before the next runam_, and every task of the program is entered.
func TestTasks(t *testing.T) {
	for _, r := range runs(t) {
		if !strings.HasPrefix(r.Name, "f09_tasks") {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			depth, entered := 0, 0
			for _, e := range events(t, testtraces.Merged(t, r.Run)) {
				switch e.kind + e.fn {
				case "call_runam_":
					if depth != 0 {
						t.Fatalf("%s inside a task", e.where())
					}
				case "ret_runam_":
					if strings.TrimSpace(e.block) != "Run=1;" {
						t.Errorf("%s returns %q, but some process has entered the task", e.where(), e.block)
					}
					depth++
					entered++
				case "call_stopam_":
					if depth--; depth < 0 {
						t.Fatalf("%s outside of a task", e.where())
					}
				}
			}
			// Two tasks at two places, each in three rounds.
			if depth != 0 || entered != 12 {
				t.Errorf("%d tasks entered, %d left open; want 12 and 0", entered, depth)
			}
		})
	}
}

// TestOneTrace: one trace passes through byte for byte.
func TestOneTrace(t *testing.T) {
	for _, name := range []string{"single/f09_tasks.ptr.zst", "variants/f05_remote_v4_nested.ptr.zst", "variants/f06_redist_v7_gz.ptr.gz"} {
		in := testtraces.Text(t, name)
		if got := merged(t, merge.Options{}, in); !bytes.Equal(got, in) {
			t.Errorf("%s is changed by passing through", name)
		}
	}
}

// TestSourceOrder: the order in which numbered traces are given does not
// matter.
func TestSourceOrder(t *testing.T) {
	for _, r := range runs(t) {
		if r.Name != "f09_tasks_p2x2" && r.Name != "f10_genblk_p4" {
			continue
		}
		want := merged(t, merge.Options{}, r.texts...)
		list := sources(r.texts...)
		slices.Reverse(list)
		var got bytes.Buffer
		if err := merge.Merge(context.Background(), &got, list, merge.Options{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got.Bytes()) {
			t.Errorf("%s: the order of sources changes the merged trace", r.Name)
		}
	}
}

// TestOneDamagedTrace: all of a single damaged trace passes through, and the
// error says what is wrong with it.
func TestOneDamagedTrace(t *testing.T) {
	for name, code := range map[string]string{
		"variants/f05_remote_v8_notfull.ptr.zst": "ptr/exit",
		"variants/f06_redist_v10_stop.ptr.zst":   "ptr/truncated",
		"damaged/killed_run_f01_big.ptr.zst":     "ptr/truncated",
	} {
		in := testtraces.Text(t, name)
		var got bytes.Buffer
		err := merge.Merge(t.Context(), &got, sources(in), merge.Options{})
		if e, ok := errors.AsType[*diag.Error](err); !ok || e.Code != code {
			t.Errorf("%s: error %v, want code %s", name, err, code)
		}
		if !bytes.Equal(got.Bytes(), in) {
			t.Errorf("%s is changed by passing through", name)
		}
	}
}
