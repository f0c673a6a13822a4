// Whatif is the simulator inside a report: a WebAssembly module that the page of
// dvmreport --what-if runs in a worker. It is a reactor, whose functions the
// worker calls; on other systems it does nothing.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
//
// The worker puts bytes into what reserve returns, then calls load with the calls
// of a program in the records of dvmtrace-parse, once, and ask with requests
// (package whatif). What they return is the length of the answer, which stands
// where answer says. Nothing in the module reads files or opens connections.
package main

func main() {}
