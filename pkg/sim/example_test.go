package sim_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/ptr"
	"dvmtools/pkg/sim"
)

// A pipelined loop on one and on four processors. What the trace holds, and how
// its figures come about, says testdata/situations/pipeline.txt.
func ExampleRun() {
	text, err := os.ReadFile("testdata/situations/channels.par")
	if err != nil {
		log.Fatal(err)
	}
	m, errs := par.Parse("channels.par", text)
	if m == nil {
		log.Fatal(errs)
	}
	for _, grid := range [][]int{{1}, {4}} {
		f, err := os.Open("testdata/situations/pipeline.ptr")
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		calls, err := ptr.NewReader(f.Name(), f, ptr.Options{})
		if err != nil {
			log.Fatal(err)
		}
		r, err := sim.Run(context.Background(), sim.Config{Machine: m, Grid: grid}, calls)
		if err != nil {
			log.Fatal(err)
		}
		main := r.Intervals()[0]
		fmt.Printf("grid %v: %.4f ms, efficiency %.2f\n", grid, main.ExecutionTime*1e3, main.Efficiency)
		err = r.Processors(0, sim.Each, func(p *interval.Processor) error {
			fmt.Printf("  processor %d: computes %.4f ms, communicates %.4f ms\n", *p.Rank, p.CPUTime*1e3, p.Communication*1e3)
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// grid [1]: 6.4000 ms, efficiency 1.00
	//   processor 0: computes 6.4000 ms, communicates 0.0000 ms
	// grid [4]: 4.4536 ms, efficiency 0.36
	//   processor 0: computes 1.6000 ms, communicates 0.0000 ms
	//   processor 1: computes 1.6000 ms, communicates 1.0012 ms
	//   processor 2: computes 1.6000 ms, communicates 1.9274 ms
	//   processor 3: computes 1.6000 ms, communicates 2.8536 ms
}
