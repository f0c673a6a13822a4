package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/ptr/merge"
)

// program is a program that bytes describe, and the traces of its processes. No
// two of its calls have the same line, so that the line tells which calls belong
// together.
type program struct {
	code  []byte
	procs []bytes.Buffer
	calls []string        // in all, as "line function"
	inner map[string]bool // those inside tasks
}

func newProgram(n int, code []byte) *program {
	p := &program{code: code, procs: make([]bytes.Buffer, n), inner: map[string]bool{}}
	all := make([]bool, n)
	for i := range p.procs {
		all[i] = true
		own := func(k int) string { return fmt.Sprintf("%x%d", 0xa+i, k) }
		p.procs[i].WriteString(machines(own(0), own(1), own(2), 5+i))
	}
	for len(p.code) > 0 {
		p.op(all, false)
	}
	p.call(all, "tstio_", "")
	return p
}

// call makes a call at a new line on the processes in who.
func (p *program) call(who []bool, fn, rest string) {
	line := 10 + len(p.calls)
	for i := range p.procs {
		if who[i] {
			fmt.Fprintf(&p.procs[i], "call_%s 0.00000100 %d\nret_%s 0.00000100 %d\n%s", fn, line, fn, line, rest)
		}
	}
	p.calls = append(p.calls, fmt.Sprint(line, " ", fn))
}

func (p *program) op(who []bool, inTask bool) {
	b := int(p.code[0])
	p.code = p.code[1:]
	n := len(who)
	switch kind, arg := b%4, b/4; {
	case kind == 3 && !inTask:
		run := make([]bool, n)
		line := 10 + len(p.calls)
		any := false
		for i := range run {
			run[i] = arg>>i&1 == 1
			any = any || run[i]
			r := 0
			if run[i] {
				r = 1
			}
			// Every process has last been at another line.
			fmt.Fprintf(&p.procs[i], "call_runam_ 0.00000100 %d\nAMRef=%x%d;\nret_runam_ 0.00000100 %d\nRun=%d;\n", line+1000*i, 0xa+i, 1+arg>>4&1, line+1000*i, r)
		}
		p.calls = append(p.calls, fmt.Sprint(line, " runam_"))
		if !any {
			return
		}
		first := len(p.calls)
		for range min(arg>>5+1, len(p.code)) {
			p.op(run, true)
		}
		p.call(run, "stopam_", "")
		for _, c := range p.calls[first:] {
			p.inner[c] = true
		}
	case kind == 2:
		one := make([]bool, n)
		if k := arg % n; who[k] {
			one[k] = true
			p.call(one, "tstio_", "Res=0;\n")
		}
	default:
		p.call(who, "tstio_", "Res=0;\n")
	}
}

// FuzzMerge: the trace of any program can be merged and read back; the calls
// of each process are in their order; a task is not interrupted; with two
// processes, every call of the program is there once.
func FuzzMerge(f *testing.F) {
	f.Add(byte(0), []byte{0, 2, 6, 0, 2, 0})
	f.Add(byte(0), []byte{7, 0, 2, 11, 0, 15, 0, 3, 0})
	f.Add(byte(1), []byte{2, 6, 10, 0, 10, 6, 2, 0, 4, 31, 2, 6, 0})
	f.Add(byte(2), []byte{0, 127, 2, 6, 10, 14, 0, 255, 10, 14, 0, 63, 2})
	f.Fuzz(func(t *testing.T, n byte, code []byte) {
		if len(code) > 300 {
			return
		}
		p := newProgram(2+int(n)%3, code)
		var in [][]byte
		for i := range p.procs {
			in = append(in, trace(len(p.procs), p.procs[i].String()))
		}
		var out bytes.Buffer
		if err := merge.Merge(t.Context(), &out, sources(in...), merge.Options{}); err != nil {
			t.Fatal(err)
		}
		got := readCalls(t, "merged", out.Bytes())
		for i, text := range in {
			at := 0
			for _, c := range readCalls(t, fmt.Sprint("process ", i), text) {
				for at < len(got) && !alike(&got[at], &c) {
					at++
				}
				if at == len(got) {
					t.Fatalf("process %d: %s is not in its place in\n%s", i, c.Where(), out.Bytes())
				}
				at++
			}
		}
		depth := 0
		var have []string
		for i := range got {
			c := &got[i]
			name := fmt.Sprint(c.Line, " ", c.Func)
			have = append(have, name)
			if p.inner[name] != (depth > 0) {
				t.Fatalf("%s is inside a task: %t, want %t, in\n%s", c.Where(), depth > 0, p.inner[name], out.Bytes())
			}
			switch c.Class() {
			case libdvm.RunMachine:
				if depth != 0 {
					t.Fatalf("%s inside a task in\n%s", c.Where(), out.Bytes())
				}
				if run, err := c.RetInt("Run"); err != nil || run != 0 {
					depth++
				}
			case libdvm.StopMachine:
				depth--
			}
		}
		if len(p.procs) > 2 {
			return
		}
		left := map[string]int{}
		for _, c := range p.calls {
			left[c]++
		}
		for _, c := range have[3:] {
			if left[c]--; left[c] < 0 {
				t.Errorf("%s is there too often in\n%s", c, out.Bytes())
			}
		}
		if len(have) != 3+len(p.calls) {
			t.Errorf("%d calls, want %d in\n%s", len(have), 3+len(p.calls), out.Bytes())
		}
	})
}

// alike reports whether b of a process can be a of the merged trace.
func alike(a, b *call.Call) bool {
	return a.Func == b.Func && (a.Line == b.Line || a.Class() == libdvm.RunMachine || a.Class() == libdvm.ElementMachine)
}

// readCalls reads the calls of the program.
func readCalls(t *testing.T, name string, text []byte) []call.Call {
	r, err := ptr.NewReader(name, bytes.NewReader(text), ptr.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []call.Call
	for {
		c, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if !c.Outside {
			d := *c
			d.Args, d.Ret = *c.Args.Clone(), *c.Ret.Clone()
			list = append(list, d)
		}
	}
}

// FuzzText: whatever two traces hold, merging them ends with a trace that can
// be read or with an error that says where.
func FuzzText(f *testing.F) {
	f.Add(trace(2, at(5, 6)), trace(2, at(6)))
	f.Add(trace(2, machines("a0", "a1", "a2", 5)+task(true, "a1", 6, fmt.Sprintf(group, "c0"))), trace(2, machines("b0", "b1", "b2", 5)+task(false, "b1", 6, "")))
	f.Add(trace(2, loop(0xa000, 1, true, "", "0.1", "0.2")), trace(2, loop(0xb000, 1, true, "", "0.1", "0.2")))
	f.Add(trace(2, "call_bsynch_ 1 5\n     call_new_ TIME=0.1 LINE=7 FILE=b.c\nx=1 ARef[0]=5 y\n     ret_new_ TIME=3 LINE=7 FILE=b.c\nret_bsynch_ 1 6"), trace(2, at(5)))
	f.Add([]byte("x"), []byte{})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var out bytes.Buffer
		err := merge.Merge(t.Context(), &out, sources(a, b), merge.Options{})
		if err != nil {
			if e, ok := errors.AsType[*diag.Error](err); !ok || e.Pos.File == "" {
				t.Fatalf("error %v, want a *diag.Error with a place", err)
			}
			return
		}
		readCalls(t, "merged", out.Bytes())
	})
}
