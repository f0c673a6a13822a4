package main

import "testing"

func TestShares(t *testing.T) {
	const traces = `File: dvmsim
Type: cpu
-----------+-------------------------------------------------------
      60ms   runtime.memmove
             dvmtools/pkg/ptr.(*Reader).Next
             dvmtools/pkg/sim.Run
-----------+-------------------------------------------------------
      20ms   dvmtools/pkg/sim.(*Sim).Step
             main.main
-----------+-------------------------------------------------------
      15ms   runtime.scanobject
             runtime.gcBgMarkWorker
-----------+-------------------------------------------------------
       4ms   internal/runtime/syscall.Syscall6
             dvmtools/pkg/stream.(*Lines).Next
-----------+-------------------------------------------------------
       1ms   runtime.findRunnable
             runtime.mcall
-----------+-------------------------------------------------------
`
	const want = "`pkg/ptr` 60 %, `pkg/sim` 20 %, garbage collection 15 %, system calls 4 %, rest 1 %"
	if got := shares(traces); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
