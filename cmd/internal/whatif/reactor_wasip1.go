package main

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"time"

	"dvmtools/pkg/whatif"
)

// The memory that is shared with the worker, and the engine that was loaded.
var (
	input  []byte
	output []byte
	engine *whatif.Engine
)

// room is how many bytes memory may grow between two collections: by mostGarbage
// per cent of what a small program keeps for ever, by no more than as much again
// for a large one, as a module has four gigabytes in all.
const (
	room         = 256 << 20
	mostGarbage  = 400
	leastGarbage = 100
)

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

// load reads the packed calls in the first n bytes of the input. The answer is a
// [whatif.Answer], whose error is empty when they could be read.
//
//go:wasmexport load
func load(n int32) int32 {
	calls, err := whatif.Unpack(input[:n])
	input = nil
	a := whatif.Answer{}
	if err != nil {
		a.Error = whatif.Words(err)
	} else {
		engine = whatif.Of(calls)
	}
	// The calls stay for ever, and one thread does everything: memory is looked
	// through less often than elsewhere.
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetGCPercent(int(min(mostGarbage, max(leastGarbage, 100*room/(m.HeapAlloc+1)))))
	output, _ = json.Marshal(a)
	return int32(len(output))
}

// turn is how long a simulation goes on before the worker may stop it.
const turn = 15 * time.Millisecond

// task is the request that is being answered, began when its turn began.
var (
	task  *whatif.Task
	began time.Time
)

func over() bool { return time.Since(began) >= turn }

// ask begins with the request in the first n bytes of the input. What it returns is
// -1 as long as there is no answer: then resume is to be called.
//
//go:wasmexport ask
func ask(n int32) int32 {
	task = engine.Start(input[:n], over)
	return resume(0)
}

// resume goes on with the request, or ends it when stop is not 0.
//
//go:wasmexport resume
func resume(stop int32) int32 {
	if stop != 0 {
		return done(task.Stop())
	}
	began = time.Now()
	return done(task.Run())
}

// done returns the length of an answer.
func done(bytes []byte) int32 {
	if bytes == nil {
		return -1
	}
	output, task = bytes, nil
	return int32(len(output))
}
