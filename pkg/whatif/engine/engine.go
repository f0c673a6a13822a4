// Package engine holds the simulator of reports that can be changed: the command
// cmd/internal/whatif as a WebAssembly module, compressed. It is made by go
// generate and committed, so that building the commands needs only Go.
package engine

import _ "embed"

//go:generate go run dvmtools/scripts/engine

// Module is the module, compressed with gzip.
//
//go:embed engine.wasm.gz
var Module string

// Stamp says what the module was made of: the version of Go, and the hash of
// its sources.
//
//go:embed stamp.txt
var Stamp string
