// Tracescale multiplies the loop times of a trace and drops its start-up time.
//
//	go run ./scripts/tracescale [-loops FACTOR] [-no-startup] [FILE]
//
// It reads a .ptr trace, plain or compressed, from FILE or standard input and
// writes it to standard output. -loops multiplies the time of parallel loops: in
// their bodies, between a dopl_ that returned DoPL=1 and the next dopl_ or
// endpl_, TIME of all events and that of the call_ that ends the body.
// -no-startup makes TIME of all events before the first parallel loop at most a
// microsecond. Loops take a small fraction of the time of small programs, so
// that only scaled traces tell a good model from a bad one. Everything else is
// copied unchanged.
package main

import (
	"flag"
	"io"
	"log"
	"os"

	"dvmtools/internal/tracescale"
	"dvmtools/pkg/stream"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("tracescale: ")
	loops := flag.Float64("loops", 1, "multiply the times of loops by `FACTOR`")
	noStartup := flag.Bool("no-startup", false, "drop the time before the first loop")
	flag.Parse()
	if flag.NArg() > 1 || !(*loops >= 0) || *loops > tracescale.MaxFactor {
		log.Fatal("found several files, or a factor that is not between 0 and 1e9; see go doc ./scripts/tracescale")
	}
	in, name := io.Reader(os.Stdin), "<stdin>"
	if path := flag.Arg(0); path != "" && path != "-" {
		f, err := os.Open(path)
		if err != nil {
			log.Fatal(err)
		}
		in, name = f, path
	}
	r, err := stream.NewReader(in, name)
	if err != nil {
		log.Fatal(err)
	}
	if err := tracescale.Scale(os.Stdout, r, *loops, *noStartup); err != nil {
		log.Fatal(err)
	}
}
