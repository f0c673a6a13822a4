package call_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"dvmtools/pkg/call"
)

// A stream of calls is read record by record. What a call holds is valid until
// the next one.
func Example() {
	const stream = `{"record":"trace","version":1,"source":["jac.ptr"],"runtime":{"rts_version":2889,"processors":1,"grid":[1],"io_processor":0,"time_digits":8}}
{"record":"call","seq":1,"func":"crtda_","line":4,"file":"jac.fdv","call_time":0.25,"ret_time":0.5,"args":{"ArrayHeader":"7ffc0","Rank":2,"SizeArray":[8,8]},"ret":{"ArrayHandlePtr":"55d40"}}
{"record":"exit","time":1,"rc":0,"line":9,"file":"jac.fdv"}
{"record":"end","calls":1,"warnings":0}
`
	r, err := call.NewReader("jac.calls", strings.NewReader(stream))
	if err != nil {
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
		fmt.Printf("%s: class %s, %v s before, %v s inside\n", c.Where(), c.Class(), c.CallTime, c.RetTime)
		sizes := c.Args.Get("SizeArray")
		for _, extent := range c.Args.Elems(sizes) {
			fmt.Printf("extent %s\n", extent)
		}
	}
	fmt.Printf("exit code %d after %v s\n", r.Exit().RC, r.Exit().Time)
	// Output:
	// crtda_ (call 1, jac.fdv:4): class create-array, 0.25 s before, 0.5 s inside
	// extent 8
	// extent 8
	// exit code 0 after 1 s
}
