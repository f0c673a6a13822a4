package program_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/program"
)

// text is a trace in the making.
type text struct{ b strings.Builder }

func newText() *text {
	x := &text{}
	x.b.WriteString("RTS VERSION = 2889\n ProcCount=1;      PSRank=1;      PSSize= 1;\nret_dvm_Init TIME=0.5 LINE=1 FILE=a.fdv\n \n")
	return x
}

// call adds a call of a line with its parameters; times differ from call to call.
func (x *text) call(line int, name, args, ret string) {
	time := float64(x.b.Len()%97) * 1e-6
	fmt.Fprintf(&x.b, "call_%-21s TIME=%.8f LINE=%d FILE=a.fdv\n%s\nret_%-22s TIME=%.8f LINE=%d FILE=a.fdv\n%s\n", name, time, line, args, name, time/2, line, ret)
}

// program returns the program of the text.
func (x *text) program(t *testing.T) *program.Program {
	t.Helper()
	x.b.WriteString("Event_dvm_exit TIME=0 LINE=9 FILE=a.fdv\nrc=0;\n")
	rec, err := call.Record(testtraces.Parse(t, "a.ptr", []byte(x.b.String())))
	if err != nil {
		t.Fatal(err)
	}
	return program.New(rec)
}

// group creates a group of shadow edges of the array a000, exchanges and deletes it:
// 5 calls.
func (x *text) group(h string) {
	x.call(5, "crtshg_", "StaticSign=0;", "ShadowGroupRef="+h+";")
	x.insert(h)
	x.exchange(h)
	x.call(9, "delobj_", "ObjectRefPtr=1; ObjectRef="+h+";", " ")
}

func (x *text) insert(h string) {
	x.call(6, "inssh_", "ShadowGroupRefPtr=1; ShadowGroupRef="+h+"; ArrayHeader=a000; ArrayHandlePtr=a001; FullShdSign=0;\nLowShdWidthArray[0]=-1;\nHiShdWidthArray[0]=-1;", " ")
}

func (x *text) exchange(h string) {
	x.call(7, "strtsh_", "ShadowGroupRefPtr=1; ShadowGroupRef="+h+";", " ")
	x.call(8, "waitsh_", "ShadowGroupRefPtr=1; ShadowGroupRef="+h+";", " ")
}

// array creates an array with its header at header; handles are new ones.
func (x *text) array(header, handle string) {
	x.call(3, "crtda_", "ArrayHeader="+header+"; ExtHdrSign=1; BasePtr=1; Rank=1; TypeSize=8; StaticSign=0; ReDistrSign=0;\nSizeArray[0]=9;\nLowShdWidthArray[0]=1;\nHiShdWidthArray[0]=1;", "ArrayHandlePtr="+handle+";")
}

// takes makes 6 steps of 3 calls that create a group and delete it; that of the fifth
// has the handle of an array.
func (x *text) takes(handle func(int) string) {
	for i := range 6 {
		h := handle(i)
		if i == 4 {
			h = "a001"
		}
		x.call(5, "crtshg_", "StaticSign=0;", "ShadowGroupRef="+h+";")
		x.call(6, "tstio_", " ", "Res=1;")
		x.call(9, "delobj_", "ObjectRefPtr=1; ObjectRef="+h+";", " ")
	}
}

// What repeats, call by call. Call 0 is dvm_Init; the array is call 1, so that
// steps begin with call 2.
func TestRepeats(t *testing.T) {
	handle := func(i int) string { return fmt.Sprintf("b%03x", i) }
	for name, c := range map[string]struct {
		make func(*text)
		want []program.Repeat
	}{
		"the same handle": {func(x *text) {
			for range 6 {
				x.group("b000")
			}
		}, []program.Repeat{{First: 2, Period: 5, Count: 6}}},
		"another handle each time": {func(x *text) {
			for i := range 6 {
				x.group(handle(i))
			}
		}, []program.Repeat{{First: 2, Period: 5, Count: 6}}},
		"too few": {func(x *text) {
			for range 3 {
				x.group("b000")
			}
		}, nil},
		"another line": {func(x *text) {
			for i := range 6 {
				x.group("b000")
				x.call(10+i, "tstio_", " ", "Res=1;")
			}
		}, nil},
		"another parameter": {func(x *text) {
			for i := range 6 {
				x.group("b000")
				x.call(10, "getsiz_", fmt.Sprintf("ObjectRefPtr=1; ObjectRef=a001; Axis=%d;", i), "Size=1;")
			}
		}, nil},
		// A group that was there before grows from step to step.
		"a group that grows": {func(x *text) {
			x.call(2, "crtshg_", "StaticSign=0;", "ShadowGroupRef=b000;")
			for range 6 {
				x.insert("b000")
				x.exchange("b000")
			}
		}, nil},
		// It may be exchanged when it does not.
		"a group from before": {func(x *text) {
			x.call(2, "crtshg_", "StaticSign=0;", "ShadowGroupRef=b000;")
			x.insert("b000")
			for range 6 {
				x.exchange("b000")
			}
		}, []program.Repeat{{First: 4, Period: 2, Count: 6}}},
		// Each step exchanges the group of the step before.
		"a group of the step before": {func(x *text) {
			x.call(4, "crtshg_", "StaticSign=0;", "ShadowGroupRef=b000;")
			for i := range 6 {
				x.call(5, "crtshg_", "StaticSign=0;", "ShadowGroupRef="+handle(i+1)+";")
				x.exchange(handle(i))
				x.call(6, "tstda_", "ObjectRefPtr=1; ObjectRef="+handle(i+1)+";", "ArrayType=0;")
			}
		}, nil},
		// What comes later refers to a group of the fourth step, which is not spared
		// when it is the last one of the stretch.
		"a group that lives on": {func(x *text) {
			for i := range 6 {
				x.call(5, "crtshg_", "StaticSign=0;", "ShadowGroupRef="+handle(i)+";")
				x.call(6, "tstio_", " ", "Res=1;")
			}
			x.exchange(handle(3))
		}, []program.Repeat{{First: 2, Period: 2, Count: 4}}},
		// A step takes the handle of an array that was there before: the array is no
		// more.
		"a handle of an array": {func(x *text) { x.takes(handle) }, []program.Repeat{{First: 2, Period: 3, Count: 6}}},
		// It would move with its template, if it still was.
		"a handle of an array, and a template moves": {func(x *text) {
			x.takes(handle)
			x.call(7, "redis_", "AMViewRefPtr=1; AMViewRef=c000; PSRefPtr=0; PSRef=0; ParamCount=1; NewSign=0;\nAxisArray[0]=1;\nDistrParamArray[0]=0;", " ")
		}, []program.Repeat{{First: 2, Period: 3, Count: 4}}},
		"a handle of an array, and a template is mapped": {func(x *text) {
			x.takes(handle)
			x.call(7, "distr_", "AMViewRefPtr=1; AMViewRef=c000; PSRefPtr=0; PSRef=0; ParamCount=1;\nAxisArray[0]=1;\nDistrParamArray[0]=0;", " ")
		}, []program.Repeat{{First: 2, Period: 3, Count: 4}}},
		"a handle of an array, and a new template is mapped": {func(x *text) {
			x.takes(handle)
			x.call(6, "crtamv_", "AMRefPtr=0; AMRef=0; Rank=1; StaticSign=0;\nSizeArray[0]=9;", "AMViewRef=c000;")
			x.call(7, "distr_", "AMViewRefPtr=1; AMViewRef=c000; PSRefPtr=0; PSRef=0; ParamCount=1;\nAxisArray[0]=1;\nDistrParamArray[0]=0;", " ")
		}, []program.Repeat{{First: 2, Period: 3, Count: 6}}},
		// The handle names nothing in the end, if it was taken and given up.
		"a handle of an array, and it is used": {func(x *text) {
			x.takes(handle)
			x.call(7, "tstda_", "ObjectRefPtr=1; ObjectRef=a001;", "ArrayType=0;")
		}, []program.Repeat{{First: 2, Period: 3, Count: 4}}},
		"an array of the step": {func(x *text) {
			for i := range 6 {
				x.array("a100", handle(i))
				x.call(4, "delda_", "ArrayHeader=a100; ArrayHandlePtr="+handle(i)+";", " ")
			}
		}, []program.Repeat{{First: 2, Period: 2, Count: 6}}},
		// Tasks are no part of what repeats.
		"tasks": {func(x *text) {
			for range 6 {
				x.call(4, "runam_", "AMRefPtr=NULL; AMRef=0;", "Run=1;")
				x.call(5, "stopam_", " ", " ")
			}
		}, nil},
		// Addresses of 64 bits change the size of a type.
		"the first wide handle": {func(x *text) {
			for i := range 6 {
				h := handle(i)
				if i == 3 {
					h = "123456789ab0"
				}
				x.call(5, "crtred_", "RedFuncNumb=3; RedArrayPtr=1; RedArrayType=2; RedArrayLength=1; LocArrayPtr=0; LocElmLength=0; StaticSign=0;", "RedRef="+h+";")
				x.call(6, "tstio_", " ", "Res=1;")
			}
		}, nil},
	} {
		x := newText()
		x.array("a000", "a001")
		c.make(x)
		if got := x.program(t).Repeats(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Nearly all of the large trace is steps.
func TestRepeatsOfTraces(t *testing.T) {
	for name, least := range map[string]float64{"large/f11_big.ptr.zst": 0.99, "compute/jac.ptr.zst": 0.9, "compute/sor.ptr.zst": 0.85} {
		p := program.New(testtraces.Calls(t, name))
		spared := 0
		for _, r := range p.Repeats() {
			spared += r.Period * (r.Count - 3)
		}
		if share := float64(spared) / float64(p.Len()); share < least {
			t.Errorf("%s: %.3f of the calls are spared, want %v", name, share, least)
		}
	}
}

// A source yields the calls of the recording, but for the parameters of those that
// come again, and says where they stand.
func TestSource(t *testing.T) {
	x := newText()
	x.array("a000", "a001")
	for i := range 5 {
		x.group(fmt.Sprintf("b%03x", i))
	}
	x.call(99, "tstio_", " ", "Res=1;")
	p := x.program(t)
	full, src := p.Recording.Source(), p.Source()
	for i := 0; ; i++ {
		a, errA := full.Next()
		b, errB := src.Next()
		if errors.Is(errA, io.EOF) && errors.Is(errB, io.EOF) {
			break
		}
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if a.Func != b.Func || a.Seq != b.Seq || a.Pos != b.Pos || a.CallTime != b.CallTime || a.RetTime != b.RetTime || a.Line != b.Line {
			t.Errorf("call %d is %v, want %v", i, b, a)
		}
		want := program.Place{}
		if step := (i - 2) / 5; i >= 2 && step > 0 && step < 4 {
			want = program.Place{Turn: program.Again, At: (i - 2) % 5, Period: 5}
			if step == 1 {
				want.Turn = program.Second
			}
		}
		if got := src.Place(); got != want {
			t.Errorf("call %d is at %v, want %v", i, got, want)
		}
		if want.Turn != program.Again && !a.Ret.Equal(&b.Ret) {
			t.Errorf("call %d returns other handles", i)
		}
	}
	if !src.Exit().Found || src.Exit().Line != p.Exit().Line {
		t.Errorf("the end is %v", src.Exit())
	}
}
