package sim_test

import (
	"context"
	"fmt"
	"testing"

	"dvmtools/internal/effort"
	"dvmtools/internal/testtraces"
	"dvmtools/internal/tracegen"
	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/options"
	repeats "dvmtools/pkg/program"
	"dvmtools/pkg/sim"
)

// Calls that may repeat others have halves, so that what they are about is not
// looked for again.
func TestCallsThatRepeatHaveHalves(t *testing.T) {
	for k := range libdvm.NumClasses {
		if repeats.MayRepeat(k) && !sim.Splits(k) {
			t.Errorf("calls of class %v may repeat others, and their handler has no halves", k)
		}
	}
}

// A program whose repetitions are known gives to the last bit, with the same
// warnings or the same error, what its calls give one by one.
func TestRepetitionsChangeNothing(t *testing.T) {
	programs := map[string]*call.Recording{}
	for _, name := range testtraces.Sample(t) {
		programs[name] = testtraces.Calls(t, name)
	}
	// Its steps take the handles of arrays that are no more.
	programs["f11_big"] = testtraces.Calls(t, "large/f11_big.ptr.zst")
	seeds := uint64(effort.Of(120, 300))
	if effort.Race {
		seeds = 40
	}
	for seed := range seeds {
		name := fmt.Sprint("seed ", seed)
		rec, err := call.Record(source(t, name, tracegen.Generate(tracegen.Options{Seed: seed + 1, Grid: []int{2, 2}, Steps: 6, Repeat: 5}).Text()))
		if err != nil {
			t.Fatal(err)
		}
		programs[name] = rec
	}
	machines := []string{bus, mixed, tree, transputer}
	compared, spared, n := 0, 0, 0
	blocks, withLines, inStreams := int64(0), int64(0), int64(0)
	for name, rec := range programs {
		prog := repeats.New(rec)
		for _, r := range prog.Repeats() {
			spared += r.Period * (r.Count - 3)
		}
		if len(prog.Repeats()) == 0 {
			continue
		}
		for i, grid := range [][]int{{1}, {4}, {2, 2}} {
			if prog.Len() > 100_000 && i < 2 {
				continue
			}
			cfg := sim.Config{Machine: machineOf(t, machines[(i+len(name))%len(machines)]), Grid: grid, Options: sim.Defaults()}
			n++
			cfg.Lines, cfg.POP, cfg.Lenient, cfg.Timeline = n%2 == 0, n%3 == 0, n%5 == 0, n%7 < 2
			if n%4 == 0 {
				cfg.Options.Async = options.Free
			}
			want, err := sim.Run(context.Background(), cfg, rec.Source())
			got, again := sim.Run(context.Background(), cfg, prog.Source())
			if err != nil || again != nil {
				if fmt.Sprint(err) != fmt.Sprint(again) {
					t.Errorf("%s on %v: %v, one by one %v", name, grid, again, err)
				}
				continue
			}
			if a, b := written(t, got), written(t, want); a != b {
				t.Errorf("%s on %v:\n%s\none by one:\n%s", name, grid, a, b)
			}
			read, err := sim.Run(context.Background(), cfg, testtraces.Shared(rec))
			if err != nil {
				t.Fatalf("%s on %v, as a stream: %v", name, grid, err)
			}
			if a, b := written(t, read), written(t, want); a != b {
				t.Errorf("%s on %v, as a stream:\n%s\none by one:\n%s", name, grid, a, b)
			}
			compared++
			if i == 2 {
				cfg.POP, cfg.Timeline, cfg.Options.Async = false, false, options.Synced
				passed, _ := sim.StepsInBlocks(cfg, prog.Source())
				blocks += min(passed, 1)
				if cfg.Lines {
					withLines += min(passed, 1)
				}
				passed, _ = sim.StepsInBlocks(cfg, testtraces.Shared(rec))
				inStreams += min(passed, 1)
			}
		}
	}
	t.Logf("%d simulations compared, %d calls spared in %d programs, at least %d with blocks, %d of them with lines, %d with blocks as streams", compared, spared, len(programs), blocks, withLines, inStreams)
	if compared < 30 || spared < 1000 || blocks == withLines || withLines == 0 || inStreams == 0 {
		t.Errorf("%d simulations compared, %d calls spared, %d with blocks, %d of them with lines, %d with blocks as streams", compared, spared, blocks, withLines, inStreams)
	}
}

// Time steps that repeat are passed as blocks: all of them but the first two and the
// last of a stretch. Where a step asks for more than blocks know, as operations that
// start without waiting, none is.
func TestTimeStepsPassAsBlocks(t *testing.T) {
	prog := repeats.New(testtraces.Calls(t, "compute/jac.ptr.zst"))
	want := int64(0)
	for _, r := range prog.Repeats() {
		want += int64(r.Count - 3)
	}
	for _, c := range []struct {
		async options.Async
		lines bool
		want  int64
	}{{options.Synced, false, want}, {options.Free, false, 0}, {options.Synced, true, want}} {
		cfg := sim.Config{Machine: machineOf(t, tree), Grid: []int{2, 2}, Options: sim.Defaults(), Lines: c.lines}
		cfg.Options.Async = c.async
		got, err := sim.StepsInBlocks(cfg, prog.Source())
		if err != nil || got != c.want {
			t.Errorf("%v, lines %v: %d steps in blocks, expected %d of %d; error %v", c.async, c.lines, got, c.want, want, err)
		}
	}
	if want == 0 {
		t.Error("no time step repeats")
	}
}
