//go:build !wasip1

// Package whatif is the simulator inside a report: a WebAssembly module that the
// page of dvmreport --what-if runs in a worker. It is a program for wasip1 only,
// and nothing but this text on other systems, where building all commands would
// make one that does nothing. The module is a reactor, whose functions the worker
// calls.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
//
// The worker puts bytes into what reserve returns, then calls load with the calls
// of a program as they are packed, once, and ask with requests
// (dvmtools/pkg/whatif). What they return is the length of the answer, which
// stands where answer says. A simulation that takes long returns -1 in between, so
// that the worker can read its messages; it goes on, or ends, with resume. Nothing in the module reads files or opens
// connections.
package whatif
