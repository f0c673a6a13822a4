package ptr_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"dvmtools/pkg/call"
	"dvmtools/pkg/ptr"
)

const trace = `RTS VERSION = 2889
 ProcCount=1;      PSRank=1;      PSSize= 1;
ret_dvm_Init               TIME=0.10000000 LINE=1      FILE=jac.fdv

call_getam_                TIME=0.25000000 LINE=2      FILE=jac.fdv
ret_getam_                 TIME=0.50000000 LINE=2      FILE=jac.fdv
AMRef=55d40;
Event_dvm_exit             TIME=1.00000000 LINE=9      FILE=jac.fdv
rc=0;
`

// A trace is read call by call. Calls of the initialisation are marked as
// outside of the program.
func ExampleReader() {
	r, err := ptr.NewReader("jac.ptr", strings.NewReader(trace), ptr.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d processor, run-time system %d\n", r.Header().Runtime.Processors, r.Header().Runtime.RTSVersion)
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s of line %d, outside of the program: %v\n", c.Func, c.Line, c.Outside)
	}
	fmt.Printf("the program ends with %d\n", r.Exit().RC)
	// Output:
	// 1 processor, run-time system 2889
	// dvm_Init of line 1, outside of the program: true
	// getam_ of line 2, outside of the program: false
	// the program ends with 0
}

// A trace that was cut is an error that says where, after its complete calls.
func ExampleReader_truncated() {
	cut := trace[:strings.Index(trace, "Event_dvm_exit")]
	r, err := ptr.NewReader("jac.ptr", strings.NewReader(cut), ptr.Options{})
	for err == nil {
		var c *call.Call
		if c, err = r.Next(); err == nil {
			fmt.Println(c.Func)
		}
	}
	fmt.Println(err)
	// Output:
	// dvm_Init
	// jac.ptr:7: the trace ends inside or right behind getam_, before Event_dvm_exit; 1 complete calls were read (was the run killed, or the trace limited by MaxTraceFileSize?)
}

// Calls can be changed and written as a trace again.
func ExampleWriter() {
	r, err := ptr.NewReader("jac.ptr", strings.NewReader(trace), ptr.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var out strings.Builder
	w := ptr.NewWriter(&out)
	if err := w.Header(r.Header()); err != nil {
		log.Fatal(err)
	}
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		c.CallTime *= 2
		if err := w.Call(c); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Exit(r.Exit()); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		fmt.Println(strings.TrimRight(line, " \n"))
	}
	// Output:
	// RTS VERSION = 2889
	//  ProcCount=1;      PSRank=1;      PSSize= 1;
	// ret_dvm_Init               TIME=0.10000000 LINE=1      FILE=jac.fdv
	//
	// call_getam_                TIME=0.50000000 LINE=2      FILE=jac.fdv
	//
	// ret_getam_                 TIME=0.50000000 LINE=2      FILE=jac.fdv
	// AMRef=55d40;
	// Event_dvm_exit             TIME=1.00000000 LINE=9      FILE=jac.fdv
	// rc=0;
}
