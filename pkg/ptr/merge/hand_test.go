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

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ptr/merge"
)

var shortEvent = regexp.MustCompile(`^(call_|ret_|Event_)\S+ [0-9.]+ \d+$`)

// trace makes the trace of one of n processes. An event is written short, as
// "call_crtpl_ 0.00000100 15"; every other line of body is a parameter line.
// trace adds the initialization, and the program's end when body has none.
func trace(n int, body string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "RTS VERSION = 2889\nProcCount=%d;  PSRank=1;  PSSize= %d;\nVProcCount=0;\nMasterProc=0(0);   IOProc=0(0);\n", n, n)
	if !strings.Contains(body, "Event_") {
		body += "\nEvent_dvm_exit 0.00000100 99\nrc=0;"
	}
	body = "ret_dvm_Init 0.10000000 1\n" + body
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if shortEvent.MatchString(line) {
			f := strings.Fields(line)
			line = fmt.Sprintf("%-26.26s TIME=%s LINE=%-6s FILE=a.fdv", f[0], f[1], f[2])
		}
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	return []byte(b.String())
}

// short writes the events of the program as trace reads them, with their
// parameters.
func short(t testing.TB, text []byte) string {
	var b strings.Builder
	for _, e := range events(t, text) {
		if e.fn == "dvm_Init" {
			continue
		}
		fmt.Fprintf(&b, "%s%s %s %s", e.kind, e.fn, e.time, e.line)
		for f := range strings.FieldsSeq(e.block) {
			b.WriteString(" " + f)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// same compares the program part of a merged trace with want.
func same(t *testing.T, got []byte, want string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(want) {
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if diff := cmp.Diff(strings.Join(lines, "\n")+"\n", short(t, got)); diff != "" {
		t.Errorf("merged trace (-want +got):\n%s", diff)
	}
}

// TestTimes: the rules of times, one by one.
func TestTimes(t *testing.T) {
	for _, c := range []struct {
		name string
		sum  bool
		in   []string
		want string
	}{
		{
			name: "means of two and three",
			in: []string{
				"call_getam_ 0.00000100 5\nret_getam_ 0.00000300 5",
				"call_getam_ 0.00000200 5\nret_getam_ 0.00000300 5",
				"call_getam_ 0.00000400 5\nret_getam_ 0.00000301 5",
			},
			want: `
				call_getam_ 0.000002333333 5 // (1+2+4)/3 us
				ret_getam_ 0.000003003333 5  // (3+3+3.01)/3 us
				Event_dvm_exit 0.00000100 99 rc=0;`,
		},
		{
			name: "only the I/O process works between biof_ and eiof_",
			in: []string{
				`call_biof_ 0.00000100 5
				ret_biof_ 0.00000100 5
				call_tstio_ 0.00000100 5
				ret_tstio_ 0.00000100 5
				Res=1;
				call_eiof_ 0.00005000 5
				ret_eiof_ 0.00000100 5
				call_tstio_ 0.00000100 6
				ret_tstio_ 0.00000100 6
				Res=1;`,
				`call_biof_ 0.00000300 5
				ret_biof_ 0.00000300 5
				call_tstio_ 0.00000200 5
				ret_tstio_ 0.00000300 5
				Res=0;
				call_eiof_ 0.00000100 5
				ret_eiof_ 0.00000200 5
				call_tstio_ 0.00000300 6
				ret_tstio_ 0.00000300 6
				Res=0;`,
			},
			want: `
				call_biof_ 0.00000200 5         // mean: still outside
				ret_biof_ 0.00000200 5          // mean
				call_tstio_ 0.00000200 5        // the larger of 1 and 2
				ret_tstio_ 0.00000200 5 Res=1;  // ret_: mean of 1 and 3
				call_eiof_ 0.00005000 5         // the larger of 50 and 1
				ret_eiof_ 0.00000150 5          // mean of 1 and 2
				call_tstio_ 0.00000200 6        // mean again
				ret_tstio_ 0.00000200 6 Res=1;
				Event_dvm_exit 0.00000100 99 rc=0;`,
		},
		{
			name: "waiting is left to the simulation, I/O takes as long as the I/O process",
			in: []string{
				`call_bsynch_ 0.00000100 5
				ret_bsynch_ 0.00700000 5
				call_dvm_fclose 0.00000100 6
				Stream=55d0;
				ret_dvm_fclose 0.00030000 6
				Res=0;`,
				`call_bsynch_ 0.00000300 5
				ret_bsynch_ 0.00000100 5
				call_dvm_fclose 0.00000100 6
				Stream=66d0;
				ret_dvm_fclose 0.00000100 6
				Res=0;`,
			},
			want: `
				call_bsynch_ 0.00000200 5
				ret_bsynch_ 0.00000100 5               // one microsecond
				call_dvm_fclose 0.00000100 6 Stream=55d0;
				ret_dvm_fclose 0.00030000 6 Res=0;     // the larger of 300 and 1
				Event_dvm_exit 0.00000100 99 rc=0;`,
		},
		{
			name: "so does I/O outside the table of functions",
			in: []string{
				`call_dvm_unlink 0.00000100 6
				ret_dvm_unlink 0.00030000 6
				Res=0;`,
				`call_dvm_unlink 0.00000100 6
				ret_dvm_unlink 0.00000100 6
				Res=0;`,
			},
			want: `
				call_dvm_unlink 0.00000100 6
				ret_dvm_unlink 0.00030000 6 Res=0;     // the larger of 300 and 1
				Event_dvm_exit 0.00000100 99 rc=0;`,
		},
		{
			name: "a program's end is like a call, its code the largest",
			in: []string{
				"Event_dvm_exit 0.00000100 99\nrc=0;",
				"Event_dvm_exit 0.00000200 99\nrc=3;",
			},
			want: "Event_dvm_exit 0.00000150 99 rc=3;",
		},
		{
			name: "sums of call_ times",
			sum:  true,
			in: []string{
				`call_biof_ 0.00000100 5
				ret_biof_ 0.00000100 5
				call_eiof_ 0.00000100 5
				ret_eiof_ 0.00000100 5
				call_crtpl_ 0.00000100 6
				Rank=1;
				ret_crtpl_ 0.00000100 6
				LoopRef=a0;
				call_dopl_ 0.00000100 6
				LoopRef=a0;
				ret_dopl_ 0.00000100 6
				DoPL=0;`,
				`call_biof_ 0.00000300 5
				ret_biof_ 0.00000300 5
				call_eiof_ 0.00000300 5
				ret_eiof_ 0.00000300 5
				call_crtpl_ 0.00000300 6
				Rank=1;
				ret_crtpl_ 0.00000300 6
				LoopRef=b0;
				call_dopl_ 0.00000300 6
				LoopRef=b0;
				ret_dopl_ 0.00000300 6
				DoPL=0;`,
			},
			want: `
				call_biof_ 0.00000400 5
				ret_biof_ 0.00000200 5
				call_eiof_ 0.00000400 5
				ret_eiof_ 0.00000200 5
				call_crtpl_ 0.00000400 6 Rank=1;
				ret_crtpl_ 0.00000200 6 LoopRef=a0;
				call_dopl_ 0.00000400 6 LoopRef=a0;
				ret_dopl_ 0.00000200 6 DoPL=0;
				Event_dvm_exit 0.00000200 99 rc=0;`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in [][]byte
			for _, body := range c.in {
				in = append(in, trace(len(c.in), body))
			}
			same(t, merged(t, merge.Options{SumCallTimes: c.sum}, in...), c.want)
		})
	}
}

// loop is a loop of 8 iterations over a template that is distributed over two
// processes when axis is 1 and replicated on both when it is 0. at is the address
// of the first object, times are those of the two dopl_.
func loop(at, axis int, mapped bool, across string, first, rest string) string {
	s := fmt.Sprintf(`
		call_crtamv_ 0.00000100 5
		AMRefPtr=NULL; AMRef=0; Rank=1; StaticSign=0;
		SizeArray[0]=8;
		ret_crtamv_ 0.00000100 5
		AMViewRef=%x;
		call_distr_ 0.00000100 5
		AMViewRefPtr=%x; AMViewRef=%x; PSRefPtr=NULL; PSRef=0; ParamCount=1;
		AxisArray[0]=%d;
		DistrParamArray[0]=0;
		ret_distr_ 0.00000100 5
		IsLocal=1;
		call_crtpl_ 0.00000100 6
		Rank=1;
		ret_crtpl_ 0.00000100 6
		LoopRef=%x;`, at, at+8, at, axis, at+16)
	if mapped {
		s += fmt.Sprintf(`
		call_mappl_ 0.00000100 6
		LoopRefPtr=%x; LoopRef=%x; PatternRefPtr=%x; PatternRef=%x (AMView);
		AxisArray[0]=1;
		CoeffArray[0]=1;
		ConstArray[0]=0;
		LoopVarAddrArray[0]=%x;
		LoopVarTypeArray[0]=1;
		InInitIndexArray[0]=0;
		InLastIndexArray[0]=7;
		InStepArray[0]=1;
		ret_mappl_ 0.00000100 6
		IsLocal=1;`, at+24, at+16, at+8, at, at+32)
	}
	return s + fmt.Sprintf(`%s
		call_dopl_ %s 7
		LoopRefPtr=%x; LoopRef=%x;
		ret_dopl_ 0.00000300 7
		DoPL=1;
		call_dopl_ %s 7
		LoopRefPtr=%x; LoopRef=%x;
		ret_dopl_ 0.00000300 7
		DoPL=0;
		call_endpl_ 0.00000100 8
		LoopRefPtr=%x; LoopRef=%x;
		ret_endpl_ 0.00000500 8`, across, first, at+24, at+16, rest, at+24, at+16, at+24, at+16)
}

// TestLoopTimes: the time of a loop is that of all processes together, each
// iteration counted once.
func TestLoopTimes(t *testing.T) {
	const across = `
		call_across_ 0.00000100 6
		AcrossType=0; OldShadowGroupRefPtr=NULL; OldShadowGroupRef=0; NewShadowGroupRefPtr=NULL; NewShadowGroupRef=0; PipeLinePar=0.000000;
		ret_across_ 0.00000900 6
		ErrPipeLine=0;`
	for _, c := range []struct {
		name   string
		axis   int
		mapped bool
		across string
		want   [4]string // call_ and ret_ of the two dopl_
	}{
		// What comes before the first dopl_ is no loop time: (1+3)/2 us. Then
		// half of the iterations each: 40+60 us.
		{"distributed", 1, true, "", [4]string{"0.00000200", "0.00000300", "0.00010000", "0.00000300"}},
		// All iterations on both: (1+3)/2 and (40+60)/2 us.
		{"replicated", 0, true, "", [4]string{"0.00000200", "0.00000300", "0.00005000", "0.00000300"}},
		{"not mapped", 1, false, "", [4]string{"0.00000200", "0.00000300", "0.00005000", "0.00000300"}},
		// A pipeline waits in dopl_ for its predecessor.
		{"across", 1, true, across, [4]string{"0.00000200", "0.00000100", "0.00010000", "0.00000100"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := merged(t, merge.Options{},
				trace(2, loop(0xa000, c.axis, c.mapped, c.across, "0.00000100", "0.00004000")),
				trace(2, loop(0xb000, c.axis, c.mapped, c.across, "0.00000300", "0.00006000")))
			var got [4]string
			i := 0
			for _, e := range events(t, out) {
				if e.fn == "dopl_" {
					got[i] = e.time
					i++
				}
			}
			if got != c.want {
				t.Errorf("times of dopl_ are %v, want %v", got, c.want)
			}
		})
	}
}

// TestUnequalLoop: a process without iterations calls dopl_ once; the merged
// call says that there are some, and the rest comes before the loop's end.
func TestUnequalLoop(t *testing.T) {
	dopl := func(ref string, n ...int) string {
		var s strings.Builder
		s.WriteString("call_crtpl_ 0.00000100 6\nRank=1;\nret_crtpl_ 0.00000100 6\nLoopRef=" + ref + ";\n")
		for _, more := range n {
			s.WriteString(fmt.Sprintf("call_dopl_ 0.00000200 7\nLoopRef=%s;\nret_dopl_ 0.00000100 7\nDoPL=%d;\n", ref, more))
		}
		return s.String() + "call_endpl_ 0.00000100 6\nLoopRef=" + ref + ";\nret_endpl_ 0.00000100 6\n"
	}
	const want = `
		call_crtpl_ 0.00000100 6 Rank=1;
		ret_crtpl_ 0.00000100 6 LoopRef=a0;
		call_dopl_ 0.00000200 7 LoopRef=a0; // not mapped: the mean
		ret_dopl_ 0.00000100 7 DoPL=1;      // though process 0 or 1 got 0
		call_dopl_ 0.00000200 7 LoopRef=a0;
		ret_dopl_ 0.00000100 7 DoPL=0;
		call_endpl_ 0.00000100 6 LoopRef=a0;
		ret_endpl_ 0.00000100 6
		Event_dvm_exit 0.00000100 99 rc=0;`
	same(t, merged(t, merge.Options{}, trace(2, dopl("a0", 0)), trace(2, dopl("b0", 1, 0))), want)
	same(t, merged(t, merge.Options{}, trace(2, dopl("a0", 1, 0)), trace(2, dopl("b0", 0))), want)
}

// TestErrors: errors about a set of traces name the files and places.
func TestErrors(t *testing.T) {
	const (
		getam  = "call_getam_ 0.00000100 5\nret_getam_ 0.00000100 5\n"
		tstio  = "call_tstio_ 0.00000100 6\nret_tstio_ 0.00000100 6\n"
		tstio9 = "call_tstio_ 0.00000100 9\nret_tstio_ 0.00000100 9\n"
	)
	good := trace(2, getam)
	cut := good[:bytes.Index(good, []byte("Event_"))]
	for _, c := range []struct {
		name    string
		sources []merge.Source
		want    string
	}{
		{"no traces", nil, "<input>: no trace is given, expected one for each process of a run"},
		{"a cut one", sources(good, cut),
			"p1_1.ptr:7: the trace ends inside or right behind getam_, before Event_dvm_exit; 1 complete calls were read (was the run killed, or the trace limited by MaxTraceFileSize?)"},
		{"an early end", sources(good, trace(2, getam+tstio+tstio9)),
			"p1_1.ptr:8: process 1 goes on with tstio_ here, but process 0 (p0_0.ptr) has ended the program at a.fdv:99 (calls before: 1); expected traces of one run, in which all processes end together"},
		{"numbers of processes that differ", sources(good, trace(3, getam)),
			"p1_1.ptr:1: the header says ProcCount 3, but that of p0_0.ptr says 2; expected traces of one run"},
		{"too few", sources(trace(9, getam), trace(9, getam)),
			"p0_0.ptr:1: 2 traces are given, but the header says that there were 9 processes; give the trace of each; missing: process 2, 3, 4, 5, 6, and 2 more"},
		{"one of two", sources(good),
			"p0_0.ptr:1: 1 trace is given, but the header says that there were 2 processes; give the trace of each; missing: process 1"},
		{"too many", sources(trace(1, getam), trace(1, getam)),
			"p1_1.ptr:1: this is the trace of process 1, but its header says that there were 1 processes"},
		{"a process twice", slices.Concat(sources(good), sources(good)),
			"p0_0.ptr: this is the trace of process 0, and so is p0_0.ptr; give the trace of each process once"},
		{"an empty one", sources(good, nil), "p1_1.ptr: the input is empty, expected a .ptr trace"},
		{"times that do not fit", sources(
			trace(2, strings.Replace(getam, "0.00000100", "999999.0", 1)),
			trace(2, strings.Replace(getam, "0.00000100", "999999.0", 1))),
			"p0_0.ptr:6: getam_ (call 2, a.fdv:5): the times of 2 processes add up to 1000000 s or more, expected less, as a trace cannot hold it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := merge.Merge(t.Context(), io.Discard, c.sources, merge.Options{SumCallTimes: c.name == "times that do not fit"})
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if _, ok := errors.AsType[*diag.Error](err); !ok {
				t.Errorf("error is a %T, want a *diag.Error", err)
			}
		})
	}
}

// TestFailures: errors of opening, reading and writing are returned.
func TestFailures(t *testing.T) {
	broken := errors.New("broken")
	good := trace(2, "")
	list := sources(good, good)
	list[1].Open = func() (io.ReadCloser, error) { return nil, broken }
	if err := merge.Merge(t.Context(), io.Discard, list, merge.Options{}); !errors.Is(err, broken) {
		t.Errorf("opening: error %v, want %v", err, broken)
	}
	for n := range 2 {
		if err := merge.Merge(t.Context(), failing{broken}, sources(slices.Repeat([][]byte{trace(n+1, "")}, n+1)...), merge.Options{}); !errors.Is(err, broken) {
			t.Errorf("writing: error %v, want %v", err, broken)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := merge.Merge(ctx, io.Discard, sources(slices.Repeat([][]byte{trace(n+1, "")}, n+1)...), merge.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: error %v, want %v", err, context.Canceled)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
