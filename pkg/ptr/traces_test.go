package ptr_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/ptr"
)

// contents is a trace read to its end.
type contents struct {
	Header call.Header
	Calls  []call.Call
	Exit   call.Exit
	ExitAt int
}

func readAll(name string, text []byte, opts ptr.Options) (contents, []*diag.Error, error) {
	var all contents
	r, err := ptr.NewReader(name, bytes.NewReader(text), opts)
	if err != nil {
		return all, nil, err
	}
	all.Header = *r.Header()
	for {
		c, err := r.Next()
		if r.Exit().Found && all.ExitAt == 0 {
			all.ExitAt = len(all.Calls)
		}
		if err != nil {
			all.Exit = *r.Exit()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return all, r.Warnings(), err
		}
		all.Calls = append(all.Calls, c.Clone())
	}
}

func toPtr(t testing.TB, all contents) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ptr.NewWriter(&b)
	if err := w.Header(&all.Header); err != nil {
		t.Fatal(err)
	}
	for i := range all.Calls {
		if i == all.ExitAt {
			if err := w.Exit(&all.Exit); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Call(&all.Calls[i]); err != nil {
			t.Fatal(err)
		}
	}
	if all.ExitAt == len(all.Calls) {
		if err := w.Exit(&all.Exit); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// same reports whether two calls are equal but for where they were read.
func same(a, b *call.Call) bool {
	lines := func(x, y [][]byte) bool { return slices.EqualFunc(x, y, bytes.Equal) }
	if a.Seq != b.Seq || a.Func != b.Func || a.Line != b.Line || a.File != b.File || a.RetLine != b.RetLine || a.RetFile != b.RetFile ||
		a.CallTime != b.CallTime || a.RetTime != b.RetTime || a.Only != b.Only || a.Outside != b.Outside ||
		!a.Args.Equal(&b.Args) || !a.Ret.Equal(&b.Ret) || !lines(a.Text, b.Text) || !lines(a.RetText, b.RetText) || len(a.Nested) != len(b.Nested) {
		return false
	}
	for i := range a.Nested {
		if !same(&a.Nested[i], &b.Nested[i]) {
			return false
		}
	}
	return true
}

// differ says how two traces differ, "" when they do not.
func differ(a, b *contents) string {
	if d := cmp.Diff(a.Header, b.Header); d != "" {
		return "header: " + d
	}
	if !cmp.Equal(a.Exit, b.Exit) || a.ExitAt != b.ExitAt {
		return fmt.Sprintf("exit %+v at %d and %+v at %d", a.Exit, a.ExitAt, b.Exit, b.ExitAt)
	}
	if len(a.Calls) != len(b.Calls) {
		return fmt.Sprintf("%d and %d calls", len(a.Calls), len(b.Calls))
	}
	for i := range a.Calls {
		if !same(&a.Calls[i], &b.Calls[i]) {
			return fmt.Sprintf("call %d: %+v and %+v", i+1, a.Calls[i], b.Calls[i])
		}
	}
	return ""
}

// readAhead reads a trace through a goroutine of its own.
func readAhead(t *testing.T, name string, text []byte) *contents {
	t.Helper()
	r, err := ptr.NewReader(name, bytes.NewReader(text), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src := call.Ahead(t.Context(), r, 2)
	all := contents{Header: *src.Header()}
	for {
		c, err := src.Next()
		if src.Exit().Found && all.ExitAt == 0 {
			all.ExitAt = len(all.Calls)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			all.Exit = *src.Exit()
			return &all
		}
		all.Calls = append(all.Calls, c.Clone())
	}
}

// The large trace has 128,040 calls of the program and around it.
func TestLargeTrace(t *testing.T) {
	r, err := ptr.NewReader("f11_big.ptr", bytes.NewReader(testtraces.Text(t, "large/f11_big.ptr.zst")), ptr.Options{WarnUnknown: true})
	if err != nil {
		t.Fatal(err)
	}
	inside, outside := 0, 0
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Outside {
			outside++
		} else {
			inside++
		}
	}
	if inside+outside < 128_040 || inside+outside > 128_043 || len(r.Warnings()) != 0 || !r.Exit().Found {
		t.Errorf("%d calls inside the program, %d outside, warnings %v", inside, outside, r.Warnings())
	}
	t.Logf("%d calls inside the program, %d outside", inside, outside)
}

func TestEveryTraceIsReadAndWrittenBack(t *testing.T) {
	for _, path := range testtraces.Whole(t) {
		text := testtraces.Text(t, path)
		first, warnings, err := readAll(path, text, ptr.Options{WarnUnknown: true})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for _, w := range warnings {
			t.Errorf("%s: %v", path, w)
		}
		if !first.Exit.Found || first.Exit.RC != 0 {
			t.Errorf("%s: exit %+v", path, first.Exit)
		}
		back := toPtr(t, first)
		second, _, err := readAll(path, back, ptr.Options{})
		if err != nil {
			t.Errorf("%s: written back: %v", path, err)
			continue
		}
		if d := differ(&first, &second); d != "" {
			t.Errorf("%s: parse(to-ptr(parse)) differs: %s", path, d)
		}
		if d := differ(&first, readAhead(t, path, text)); d != "" {
			t.Errorf("%s: read ahead: %s", path, d)
		}
		if want, got := tokens(text), tokens(back); !slices.Equal(want, got) {
			t.Errorf("%s: tokens differ (-trace +written):\n%s", path, cmp.Diff(want, got))
		}
	}
}

var eventLine = regexp.MustCompile(`^ *(?:NAME=)?((?:call|ret|Event)_\S+) +TIME=.* LINE=.* FILE=`)

// tokens lists the key=value tokens of each event's parameter lines, reading
// the text without the package under test: each with the ordinal and the name
// of its event before it, those of one event sorted.
func tokens(text []byte) []string {
	var list []string
	event, n, first := "", 0, 0
	for l := range strings.Lines(string(text)) {
		name := strings.TrimPrefix(strings.TrimLeft(l, " "), "NAME=")
		if name, rest, ok := strings.Cut(name, " "); ok && strings.HasPrefix(strings.TrimLeft(rest, " "), "TIME=") && strings.Contains(rest, " FILE=") {
			n++
			event = fmt.Sprintf("%d %s ", n, name)
			slices.Sort(list[first:])
			first = len(list)
			continue
		}
		if event == "" {
			continue
		}
		for {
			before, after, ok := strings.Cut(l, "=")
			if !ok {
				break
			}
			key := strings.TrimRight(before, " ")
			key = key[strings.LastIndexAny(key, "; ")+1:]
			l = strings.TrimLeft(after, " ")
			end := strings.IndexAny(l+"\n", "; \r\n")
			list = append(list, event+key+"="+l[:end])
			l = l[end:]
		}
	}
	slices.Sort(list[first:])
	return list
}

// Every call of the real traces is in the table with every parameter that it
// has: nothing but the run-time system's own remarks is left as text.
func TestTableCoversTheTraces(t *testing.T) {
	for _, path := range testtraces.Whole(t) {
		if strings.Contains(path, "_v3_") || strings.Contains(path, "_v4_") {
			continue // these switch remarks on
		}
		all, _, err := readAll(path, testtraces.Text(t, path), ptr.Options{})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for i := range all.Calls {
			c := &all.Calls[i]
			if c.Outside {
				continue
			}
			if !c.Listed() {
				t.Errorf("%s: %s is not in the table", path, c.Where())
			}
			for _, l := range append(c.Text, c.RetText...) {
				if !remark.Match(l) {
					t.Errorf("%s: %s: left as text: %q", path, c.Where(), l)
				}
			}
		}
	}
}

var remark = regexp.MustCompile(`^ *(\*\*\*|&MPI_|MPI_Group|VarCount=|ProcCount=|DArr->|VMAxis|PipeLineAxis|ReplPLQDim|DistrPLQDim|QDim|CondPipeLine|W=|\(Tc|P\*|Tm=|Nq=|PL->|StdPLQ|CoordWeight|Buffer=|time=|IsLocal=0+;)`)

func TestDamagedTraces(t *testing.T) {
	for _, c := range []struct {
		file      string
		code      string
		line      int
		truncated bool
		calls     int
	}{
		{"variants/f05_remote_v8_notfull.ptr.zst", "ptr/no-parameters", 0, false, -1},
		{"variants/f05_remote_v9_cycle.ptr.zst", "ptr/no-header", 1, false, 0},
		{"variants/f05_remote_v10_stop.ptr.zst", "ptr/truncated", 0, true, -1},
		{"variants/f05_remote_v11_err.ptr.zst", "ptr/truncated", 0, true, -1},
		{"damaged/overflow_20MB_tail.ptr.zst", "ptr/no-header", 1, false, 0},
		{"damaged/killed_run_f01_big.ptr.zst", "ptr/truncated", 0, true, -1},
	} {
		all, _, err := readAll(c.file, testtraces.Text(t, c.file), ptr.Options{})
		var e *diag.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v, want one with a position", c.file, err)
			continue
		}
		if e.Code != c.code || e.Pos.Line == 0 || c.line != 0 && e.Pos.Line != c.line {
			t.Errorf("%s: %s at line %d: %v", c.file, e.Code, e.Pos.Line, e)
		}
		if errors.Is(err, diag.ErrTruncated) != c.truncated {
			t.Errorf("%s: truncated is %v", c.file, !c.truncated)
		}
		if c.calls < 0 && len(all.Calls) == 0 && c.truncated {
			t.Errorf("%s: no call was read before the cut", c.file)
		}
		if strings.Contains(c.file, "v8") && !strings.Contains(err.Error(), "FullTrace") {
			t.Errorf("%s: the message does not name FullTrace: %v", c.file, err)
		}
	}
}

// A run that a run-time error ended has a program end with code 1 and a call
// without return; it is read with a warning.
func TestRunTimeErrorExit(t *testing.T) {
	all, warnings, err := readAll("rts_error_exit.ptr", testtraces.Text(t, "damaged/rts_error_exit.ptr.zst"), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if all.Exit.RC != 1 {
		t.Errorf("exit code %d, want 1", all.Exit.RC)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Msg, "has no ret_") {
		t.Errorf("warnings %v, want one about a call without return", warnings)
	}
	if _, _, err := readAll("x", testtraces.Text(t, "damaged/rts_error_exit.ptr.zst"), ptr.Options{Strict: true}); err == nil {
		t.Error("strict reading takes the warning for nothing")
	}
}

// A trace cut at any byte before the end of its Event_dvm_exit block is
// truncated, says the line, and yields exactly the calls that were complete.
// Bytes near that end are tried one by one, those before it in long runs only.
func TestCutAnywhere(t *testing.T) {
	text := testtraces.Text(t, "single/f08_io.ptr.zst")
	whole, _, err := readAll("x", text, ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.Index(text, []byte("rc=0;")) + len("rc=0;")
	var starts []int // where event lines end
	at := 0
	for l := range bytes.Lines(text) {
		at += len(l)
		if eventLine.Match(bytes.TrimRight(l, "\n")) {
			starts = append(starts, at)
		}
	}
	often := effort.Of(7, 1)
	step := often
	for cut := 0; cut < len(text); cut += step {
		if cut > end-200 && cut < end+200 {
			step = 1
		} else {
			step = often
		}
		got, _, err := readAll("x", text[:cut], ptr.Options{})
		if cut >= end {
			if err != nil {
				t.Fatalf("cut at %d, behind the program's end: %v", cut, err)
			}
			continue
		}
		var e *diag.Error
		if !errors.As(err, &e) || !errors.Is(err, diag.ErrTruncated) {
			t.Fatalf("cut at %d of %d: error %v", cut, len(text), err)
		}
		if e.Pos.Line == 0 && cut > 0 {
			t.Fatalf("cut at %d: no line in %v", cut, err)
		}
		if len(got.Calls) > len(whole.Calls) {
			t.Fatalf("cut at %d: %d calls", cut, len(got.Calls))
		}
		for i := range got.Calls {
			if !same(&whole.Calls[i], &got.Calls[i]) {
				t.Fatalf("cut at %d: call %d is %+v, of the whole trace %+v", cut, i+1, got.Calls[i], whole.Calls[i])
			}
		}
		complete := 0
		for _, s := range starts {
			if s <= cut {
				complete++
			}
		}
		// Two event lines a call but for ret_dvm_Init; the last call is
		// complete when the event line after it is.
		if want := complete / 2; len(got.Calls) < want-1 {
			t.Fatalf("cut at %d: %d calls, %d event lines are complete", cut, len(got.Calls), complete)
		}
	}
}

func TestKeepGoingPassesOverBadLines(t *testing.T) {
	text := testtraces.Text(t, "single/c14_line_ns.ptr.zst")
	bad := bytes.Replace(text, []byte("call_distr_                TIME=0.0"), []byte("call_distr_                TIME=x.0"), 1)
	if bytes.Equal(text, bad) {
		t.Fatal("nothing was damaged")
	}
	_, _, err := readAll("x.ptr", bad, ptr.Options{})
	var e *diag.Error
	if !errors.As(err, &e) || e.Code != "ptr/event" || e.Pos.Col == 0 {
		t.Fatalf("error %v, want one about the event line with a column", err)
	}
	n := 0
	all, _, err := readAll("x.ptr", bad, ptr.Options{KeepGoing: func(*diag.Error) { n++ }})
	if err != nil || n != 1 {
		t.Errorf("%d errors reported, then %v", n, err)
	}
	whole, _, _ := readAll("x.ptr", text, ptr.Options{})
	if len(all.Calls) < len(whole.Calls)-1 {
		t.Errorf("%d calls, want about %d", len(all.Calls), len(whole.Calls))
	}
}

func TestHeaderOfVirtualSystems(t *testing.T) {
	pre := "\nRTS VERSION = 2889\n  ProcCount=1  HasCurrent=1\n ProcCount=1;      PSRank=4;      PSSize= 1 1 1 1;\nVProcCount=4;      VPSRank=2;      VPSSize= 2 2;\nMasterProc=0(0);   IOProc=0(0);\n"
	body := "ret_dvm_Init               TIME=0.10 LINE=1      FILE=a.fdv\n \nEvent_dvm_exit             TIME=0.01 LINE=2      FILE=a.fdv\nrc=0;\n"
	all, _, err := readAll("x", []byte(pre+body), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt := all.Header.Runtime
	if d := cmp.Diff([]int{2, 2}, rt.Root()); d != "" {
		t.Errorf("root grid: %s", d)
	}
	if d := cmp.Diff([]int{1, 1, 1, 1}, rt.Grid); d != "" {
		t.Errorf("grid: %s", d)
	}
	if rt.TimeDigits != 2 || rt.RTSVersion != 2889 || rt.Processors != 1 {
		t.Errorf("runtime %+v", rt)
	}
}

// CRLF line ends, as Windows writes them, change nothing.
func TestCRLF(t *testing.T) {
	text := testtraces.Text(t, "single/f02_heat3d.ptr.zst")
	crlf := bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	a, _, err := readAll("x", text, ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := readAll("x", crlf, ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := differ(&a, &b); d != "" {
		t.Errorf("CRLF changes the calls: %s", d)
	}
}

// In a trace with nested events the time inside a call is the sum of its own
// and the nested TIMEs, exactly.
func TestNestedTimesAreKept(t *testing.T) {
	text := testtraces.Text(t, "variants/f06_redist_v4_nested.ptr.zst")
	all, _, err := readAll("x", text, ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	in := false
	for l := range strings.Lines(string(text)) {
		m := eventLine.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		var x float64
		if _, err := fmt.Sscanf(l[strings.Index(l, "TIME=")+5:], "%f", &x); err != nil {
			t.Fatal(err)
		}
		if m[1] == "Event_dvm_exit" {
			break
		}
		if in {
			sum += x
		}
		in = in || m[1] == "ret_dvm_Init"
	}
	got, nested := 0.0, 0
	for i := range all.Calls {
		if c := &all.Calls[i]; !c.Outside {
			got += float64(c.CallTime + c.RetTime)
			nested += len(c.Nested)
		}
	}
	if nested == 0 {
		t.Error("no nested call was found")
	}
	if diff := got - sum; diff > 1e-12 || diff < -1e-12 {
		t.Errorf("times of the calls add up to %v, of the lines to %v", got, sum)
	}
}

func FuzzReader(f *testing.F) {
	for _, p := range []string{"single/d16_stdio.ptr.zst", "variants/f06_redist_v4_nested.ptr.zst", "damaged/rts_error_exit.ptr.zst"} {
		text := testtraces.Text(f, p)
		f.Add(text[:min(len(text), 6000)])
	}
	f.Add([]byte("ProcCount=1\nret_dvm_Init TIME=1 LINE= FILE=\ncall_foo_ TIME=1.5 LINE=3 FILE=x\nA=1; A=2; B[0]=3; B[1]=f\nret_foo_ TIME=0 LINE=3 FILE=y\nEvent_dvm_exit TIME=0.1 LINE=1 FILE=\nrc=3;\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		first, _, err := readAll("x", text, ptr.Options{})
		if err != nil {
			return
		}
		second, _, err := readAll("x", toPtr(t, first), ptr.Options{})
		if err != nil {
			t.Fatalf("written back: %v\n%s", err, toPtr(t, first))
		}
		if len(first.Calls) != len(second.Calls) {
			t.Fatalf("%d calls, then %d", len(first.Calls), len(second.Calls))
		}
		for i := range first.Calls {
			a, b := &first.Calls[i], &second.Calls[i]
			if a.Func != b.Func || !a.Args.Equal(&b.Args) {
				t.Fatalf("call %d: %s %v, then %s %v", i, a.Func, a.Args, b.Func, b.Args)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	text := testtraces.Text(b, "large/f11_big.ptr.zst")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	calls := 0
	for b.Loop() {
		r, err := ptr.NewReader("x", bytes.NewReader(text), ptr.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := r.Next(); err != nil {
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
				break
			}
			calls++
		}
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
}

var _ = libdvm.Lookup

// Lines have no maximum length, and text may hold any byte; both come back.
func TestLongLinesAndAnyBytes(t *testing.T) {
	var any strings.Builder
	for c := range 256 {
		if c != '\n' && c != '\r' {
			any.WriteByte(byte(c))
		}
	}
	var long strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&long, "LengthArray[%d]=%d; ", i, i)
	}
	file := "dir with blanks/\xef\xf0\xee\xe3.fdv"
	p := "RTS VERSION = 2889\n ProcCount=1;\nret_dvm_Init TIME=0.10 LINE=1 FILE=a\n \n" +
		"call_dvm_puts TIME=0.01 LINE=1000000007 FILE=" + file + "\nString=" + any.String() + ";\nret_dvm_puts TIME=0.01 LINE= FILE=" + file + "\nRes=\x01;\n" +
		"call_srmem_ TIME=0.01 LINE=3 FILE=a\nMemoryCount=50000;\n" + long.String() + "\nret_srmem_ TIME=0.01 LINE=3 FILE=a\n \n" +
		"Event_dvm_exit TIME=0.01 LINE=2 FILE=a\nrc=0;\n"
	_, _, err := readAll("x", []byte(p), ptr.Options{})
	if err == nil {
		t.Fatal("a line number beyond 10^8 is taken")
	}
	p = strings.Replace(p, "LINE=1000000007", "LINE=12345678", 1)
	all, _, err := readAll("x", []byte(p), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	puts, srmem := &all.Calls[1], &all.Calls[2]
	if q := puts.Args.Get("String"); q == nil || string(q.Val) != any.String() {
		t.Errorf("text: %q", q)
	}
	if puts.Line != 12345678 || puts.File != file || puts.RetLine != 0 || puts.RetFile != file {
		t.Errorf("position %q:%d, %q:%d", puts.File, puts.Line, puts.RetFile, puts.RetLine)
	}
	if v, err := srmem.Ints(nil, "LengthArray"); err != nil || len(v) != 50_000 || v[49_999] != 49_999 {
		t.Errorf("%d lengths, error %v", len(v), err)
	}
	again, _, err := readAll("x", toPtr(t, all), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := differ(&all, &again); d != "" {
		t.Error(d)
	}
}
