package sim_test

import (
	"fmt"
	"testing"
)

// renew is realn_ with NewSign=1 of the array that header and handle name,
// which gets a new handle by a nested crtda_
// (docs/trace-format.md#nested-calls).
func (p *program) renew(header, handle, fresh string, size ...int) {
	rank := len(size)
	one, zero, axis := make([]int, rank), make([]int, rank), make([]int, rank)
	for i := range size {
		one[i], axis[i] = 1, i+1
	}
	p.call("realn_", "0", fmt.Sprintf("ArrayHeader=%s; ArrayHandlePtr=%s; PatternRefPtr=10; PatternRef=a1 (AMView); NewSign=1;\n%s\n%s\n%s\n"+
		"     call_crtda_                TIME=0 LINE=7 FILE=a.fdv\nArrayHeader=%s; ExtHdrSign=1; BasePtr=0; Rank=%d; TypeSize=8; StaticSign=0; ReDistrSign=0;\n%s\n%s\n%s\n"+
		"     ret_crtda_                 TIME=0 LINE=7 FILE=a.fdv\nArrayHandlePtr=%s;",
		header, handle, vector("AxisArray", axis...), vector("CoeffArray", one...), vector("ConstArray", zero...),
		header, rank, vector("SizeArray", size...), vector("LowShdWidthArray", zero...), vector("HiShdWidthArray", zero...), fresh), "0", "IsLocal=1")
}

// An array that realn_ with NewSign=1 gave a new handle is moved by redis_ as
// long as it lives, whatever becomes of the old handle; and what had the new
// handle before is not. 20x20 doubles go from rows to columns of 4 processors:
// 12 messages of 5x5·8 = 200 bytes, 12·(75 + 0.2·200) = 1380 us, behind a loop
// of 4·1 ms on 4 processors.
func TestNewHandlesOfRealignedArrays(t *testing.T) {
	size := []int{20, 20}
	other := func(p *program, handle string) {
		p.call("crtda_", "0", "ArrayHeader=f70; ExtHdrSign=1; BasePtr=0; Rank=1; TypeSize=8; StaticSign=0; ReDistrSign=0;\n"+
			vector("SizeArray", 3)+"\n"+vector("LowShdWidthArray", 0)+"\n"+vector("HiShdWidthArray", 0), "0", "ArrayHandlePtr="+handle+";")
	}
	for _, c := range []struct {
		name  string
		extra func(p *program)
		us    float64
	}{
		{"nothing happens", func(*program) {}, 2380},
		{"a new handle", func(p *program) { p.renew("e10", "e1", "e2", size...) }, 2380},
		{"the same handle", func(p *program) { p.renew("e10", "e1", "e1", size...) }, 2380},
		{"the old handle names another array then", func(p *program) {
			p.renew("e10", "e1", "e2", size...)
			other(p, "e1")
		}, 2380},
		{"twice", func(p *program) {
			p.renew("e10", "e1", "e2", size...)
			other(p, "e1")
			p.renew("e10", "e2", "e3", size...)
			other(p, "e2")
		}, 2380},
		// Two arrays move in messages of both: 1000 + 12·(75 + 0.2·400).
		{"another array", func(p *program) { p.array("e5", size...) }, 2860},
		{"the new handle was another array's", func(p *program) {
			p.array("e5", size...)
			p.renew("e10", "e1", "e5", size...)
		}, 2380},
		{"the new handle is given away again", func(p *program) {
			p.renew("e10", "e1", "e2", size...)
			other(p, "e2")
		}, 1000},
	} {
		p := newProgram(4)
		p.template(size, []int{1}, nil)
		p.array("e1", size...)
		c.extra(p)
		p.loop(size, "0.004")
		p.call("redis_", "0", "AMViewRefPtr=10; AMViewRef=a1; PSRefPtr=NULL; PSRef=0; ParamCount=1; NewSign=0;\n"+vector("AxisArray", 2)+"\n"+vector("DistrParamArray", 0), "0", "IsLocal=1;")
		r := simulate(t, c.name, p.end(), machineOf(t, bus), []int{4})
		if got := float64(r.ExecutionTime()) * 1e6; !near(got, c.us, 1e-12) {
			t.Errorf("%s: %v us, want %v", c.name, got, c.us)
		}
	}
}
