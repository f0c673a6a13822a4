// Tracegen writes a random valid program as a .ptr trace to standard output.
//
//	go run ./scripts/tracegen [-seed N] [-grid N1xN2...] [-steps N] [-extent N]
//
// The same options give the same trace. -grid is the grid that the program
// will be simulated on; it may be simulated on others, but a constant
// coordinate that does not exist there is an error. -steps is about how many
// statements the program has; -extent bounds the extents of its templates.
package main

import (
	"flag"
	"log"
	"os"
	"strconv"
	"strings"

	"dvmtools/internal/tracegen"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("tracegen: ")
	seed := flag.Uint64("seed", 1, "make program number `N`")
	grid := flag.String("grid", "1", "the program fits the grid `N1xN2...`")
	steps := flag.Int("steps", 20, "about `N` statements")
	extent := flag.Int("extent", 14, "extents of templates are at most `N`")
	flag.Parse()
	o := tracegen.Options{Seed: *seed, Steps: *steps, MaxExtent: *extent}
	for part := range strings.SplitSeq(*grid, "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			log.Fatalf("found grid %q, expected extents of at least 1 such as 4x4", *grid)
		}
		o.Grid = append(o.Grid, n)
	}
	if flag.NArg() > 0 || *steps < 1 || *extent < 1 {
		log.Fatal("found operands, or -steps or -extent below 1; see go doc ./scripts/tracegen")
	}
	if _, err := os.Stdout.Write(tracegen.Generate(o).Text()); err != nil {
		log.Fatal(err)
	}
}
