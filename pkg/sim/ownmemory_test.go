package sim_test

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/pkg/call"
	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/sim"
	"dvmtools/pkg/units"
)

// longRun is a run of many processes that calls a function again and again, with
// other times each time and on each process.
type longRun struct {
	header call.Header
	calls  int
	at     int
	own    bool
	c      call.Call
	exit   call.Exit
	heap   []uint64 // in use, at each tenth
}

func newLongRun(processes, calls int, own bool) *longRun {
	r := &longRun{calls: calls, own: own}
	r.header.Runtime.Processors, r.header.Runtime.Grid = processes, []int{processes}
	r.c = call.Call{Func: "begbl_", Row: libdvm.RowOf("begbl_"), File: "a.fdv", Line: 1, Pos: diag.Pos{File: "long", Line: 1}}
	if own {
		r.c.Own = call.Own{Call: make([]units.Seconds, processes), Ret: make([]units.Seconds, processes)}
	}
	return r
}

func (r *longRun) Header() *call.Header    { return &r.header }
func (r *longRun) Exit() *call.Exit        { return &r.exit }
func (r *longRun) Warnings() []*diag.Error { return nil }

func (r *longRun) Next() (*call.Call, error) {
	if r.at == r.calls {
		r.exit = call.Exit{Found: true, File: "a.fdv", Line: 2}
		return nil, io.EOF
	}
	if r.at++; r.at%(r.calls/10) == 0 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		r.heap = append(r.heap, m.HeapAlloc)
	}
	r.c.Seq = int64(r.at)
	for p := range r.c.Own.Call {
		r.c.Own.Call[p], r.c.Own.Ret[p] = units.Seconds(p+1)*1e-6, units.Seconds(r.at%7)*1e-6
	}
	return &r.c, nil
}

// Own times of calls are not kept: what is read ahead to find when processes
// began is bounded by the number of times, and given back. Without own times
// nothing is read ahead.
func TestMemoryOfOwnTimes(t *testing.T) {
	if effort.Race {
		t.Skip("the detector has memory of its own")
	}
	for _, c := range []struct {
		processes, calls int
		own              bool
		most             uint64 // above what is in use at the first tenth
	}{
		{1000, 3000, true, 9 << 20},
		{10, effort.Of(20_000, 60_000), true, 7 << 20},
		{10, effort.Of(20_000, 60_000), false, 1 << 20},
	} {
		r := newLongRun(c.processes, c.calls, c.own)
		m := machineOf(t, bus)
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if _, err := sim.Run(t.Context(), sim.Config{Machine: m, Grid: []int{c.processes}, Options: sim.Defaults(), OwnTimes: true}, r); err != nil {
			t.Fatal(err)
		}
		where := fmt.Sprintf("%d processes, %d calls, own %v", c.processes, c.calls, c.own)
		most := uint64(0)
		for _, h := range r.heap {
			most = max(most, h-min(h, before.HeapAlloc))
		}
		if most > c.most+2<<20 {
			t.Errorf("%s: %d bytes are in use at most, expected %d", where, most, c.most+2<<20)
		}
		if last := r.heap[len(r.heap)-1]; last > r.heap[len(r.heap)/2]+1<<19 {
			t.Errorf("%s: memory in use grows: %v", where, r.heap)
		}
	}
}
