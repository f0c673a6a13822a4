package main

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime/debug"

	"dvmtools/pkg/whatif"
)

// The memory that is shared with the worker, and the engine that was loaded.
var (
	input  []byte
	output []byte
	engine = whatif.Of(nil)
)

// garbage is by how much memory may grow between two collections, in per cent.
const garbage = 400

// reserve returns where the worker puts n bytes of input.
//
//go:wasmexport reserve
func reserve(n int32) *byte {
	input = make([]byte, max(1, n))
	return &input[0]
}

// answer returns where the last answer stands.
//
//go:wasmexport answer
func answer() *byte { return &output[0] }

// load reads the calls in the first n bytes of the input. The answer is a
// [whatif.Answer], whose error is empty when they could be read.
//
//go:wasmexport load
func load(n int32) int32 {
	// The calls stay for ever, and one thread does everything: memory is looked
	// through less often than elsewhere.
	debug.SetGCPercent(garbage)
	e, err := whatif.New("", bytes.NewReader(input[:n]))
	input = nil
	a := whatif.Answer{}
	if err != nil {
		a.Error = whatif.Words(err)
	} else {
		engine = e
	}
	output, _ = json.Marshal(a)
	return int32(len(output))
}

// ask answers the request in the first n bytes of the input.
//
//go:wasmexport ask
func ask(n int32) int32 {
	output = engine.Answer(context.Background(), input[:n])
	return int32(len(output))
}
