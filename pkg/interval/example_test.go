package interval_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
)

// Intervals of a predicted program are written, as the command dvmsim does, and
// read again.
func ExampleReader() {
	var stream bytes.Buffer
	w := interval.NewWriter(&stream)
	err := errors.Join(
		w.Header(&interval.Header{Machine: machine.Description{Name: "small"}, Grid: []int{4}, Processors: 4, Source: []string{"jac.ptr"}}),
		w.Interval(&interval.Interval{ID: 1, Type: interval.Main, File: "jac.fdv", Line: 1, Count: 1, Processors: 4,
			Times: interval.Times{ExecutionTime: 0.5, Efficiency: 0.75}}),
		w.Interval(&interval.Interval{ID: 2, Parent: 1, Level: 1, Type: interval.Parallel, File: "jac.fdv", Line: 7, Count: 10, Processors: 4,
			Times: interval.Times{ExecutionTime: 0.25, Efficiency: 0.9}}),
		w.End(0))
	if err != nil {
		log.Fatal(err)
	}
	r, err := interval.NewReader("jac.intervals", &stream)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s on %d processors\n", r.Header().Machine.Name, r.Header().Processors)
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if v := rec.Interval; v != nil {
			fmt.Printf("interval %d in %d, %s at %s:%d: execution %.3g s, efficiency %.2f\n", v.ID, v.Parent, v.Type, v.File, v.Line, v.ExecutionTime, v.Efficiency)
		}
	}
	// Output:
	// small on 4 processors
	// interval 1 in 0, main at jac.fdv:1: execution 0.5 s, efficiency 0.75
	// interval 2 in 1, par at jac.fdv:7: execution 0.25 s, efficiency 0.90
}

// The list of characteristics says what the fields of a record are.
func ExampleCharacteristics() {
	v := interval.Times{ExecutionTime: 0.5, TotalTime: 2}
	for _, c := range interval.Characteristics()[:3] {
		fmt.Printf("%s = %g %s: %s\n", c.Name, c.Value(&v), c.Unit, c.Definition)
	}
	// Output:
	// efficiency = 0 ratio: the share of the processors' time that is productive
	// execution_time = 0.5 s: the time of the processor that took longest
	// total_time = 2 s: the time for which the processors are taken
}
