package measure_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/machine/measure"
)

// TestCacheSources compares the programs of the cache section, with two groups of
// statements, with a file.
func TestCacheSources(t *testing.T) {
	var b strings.Builder
	add := func(name, first, second string) {
		fmt.Fprintf(&b, "-- %s-1.f90 --\n%s-- %[1]s-2.f90 --\n%[3]s", name, first, second)
	}
	first, second := measure.CacheSpeedSources(2)
	add("cache.speed", first, second)
	first, second = measure.CacheRatioSources(64<<20, 2)
	add("cache.speedratio", first, second)
	steps, bytes := measure.CacheSteps()
	first, second = measure.CacheStepSources(bytes[steps[0]], 2)
	add(steps[0], first, second)
	golden(t, "testdata/cache.txtar", b.String())
}

// TestCacheSpeedDiffersByOneWord: without the word that the second program
// retrieves more in each statement it is the first, to the letter.
func TestCacheSpeedDiffersByOneWord(t *testing.T) {
	first, second := measure.CacheSpeedSources(7)
	if n := strings.Count(second, "j = x(x(j))\n"); n != 7 {
		t.Errorf("%d statements retrieve a word more, want 7", n)
	}
	second = strings.NewReplacer("work2", "work1", "prepare2", "prepare1", "chain2", "chain1", "x(x(j))", "x(j)").Replace(second)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("(-first +second without it):\n%s", diff)
	}
}

// TestCacheSteps: the lengths ascend by powers of two.
func TestCacheSteps(t *testing.T) {
	names, bytes := measure.CacheSteps()
	if len(names) != 8 || names[0] != "cache.size.8192" || bytes[names[0]] != 8192 || bytes[names[7]] != 1<<20 {
		t.Errorf("%v, %v: want 8192 to 1048576", names, bytes)
	}
}

// TestCacheSize: the size is that of the longest chain before the first that is
// slower. A chain as long as the cache shares it with the rest of the program, and
// may be a little slower.
func TestCacheSize(t *testing.T) {
	points := func(times ...float64) (all []measure.Point) {
		for i, s := range times {
			all = append(all, measure.Point{Bytes: 8192 << i, Seconds: s})
		}
		return all
	}
	for _, c := range []struct {
		points []measure.Point
		want   int64
	}{
		{points(1, 1.01, 1.24, 2.2, 2.3, 3.1, 5.4, 13), 32768},
		{points(1.9, 2, 2), 4096},
		{points(1, 0.99, 3, 1), 16384},
	} {
		if got, err := measure.CacheSizeOf(c.points); err != nil || got != c.want {
			t.Errorf("%v: %d bytes, %v, want %d", c.points, got, err, c.want)
		}
	}
	for _, p := range [][]measure.Point{nil, points(1, 1, 1.3)} {
		got, err := measure.CacheSizeOf(p)
		if _, ok := errors.AsType[*measure.Unmeasured](err); !ok {
			t.Errorf("%v: %d bytes, %v, want none", p, got, err)
		}
	}
}

// TestCacheClock: on a processor of two speeds, with noise and runs that are
// preempted, words take 2 ns in a cache of 32 KB, 4.4 ns behind it and 80 ns in
// memory. While it is slow, everything takes 1.6 times as long.
func TestCacheClock(t *testing.T) {
	const words = measure.CacheGroups * 16
	o := measure.Options{Samples: 10, Processes: 6, Repeats: 6, RunTime: 0.001, Grain: 1e-6}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		m := &shared{machine: machine{grain: 1e-6, noise: 0.005, preempted: 0.05, random: random}, last: 5}
		word := func(seconds float64, words int) operation { return operation{m, seconds * float64(words), 0} }
		steps, bytes := measure.CacheSteps()
		series := map[string]*measure.Series{measure.CacheSpeed: {}, measure.CacheRatio: {}}
		for _, n := range steps {
			series[n] = &measure.Series{}
		}
		quantity := func(name string) measure.Quantity {
			switch name {
			case measure.CacheSpeed:
				return measure.Operation(measure.CacheGroups)
			case measure.CacheRatio:
				return measure.Slowdown(measure.CacheRepeats)
			}
			return measure.Slowdown(1)
		}
		names := append([]string{measure.CacheSpeed, measure.CacheRatio}, steps...)
		for round := 0; round < o.Samples*o.Processes; round++ {
			for _, n := range names {
				first, second := word(2e-9, words), word(2e-9, words)
				switch {
				case n == measure.CacheSpeed:
					first, second = word(2e-9, measure.CacheGroups), word(2e-9, 2*measure.CacheGroups)
				case n == measure.CacheRatio:
					first = word(80e-9, words)
				case bytes[n] > 32768:
					first = word(4.4e-9, words)
				}
				if series[n].Done {
					continue
				}
				if err := series[n].Step(first, second, quantity(n), o); err != nil {
					t.Fatal(err)
				}
				m.now += 0.3
			}
		}
		report := measure.Report{Name: "p"}
		for _, n := range names {
			timing, err := series[n].Timing(quantity(n), o)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, n, err)
			}
			report.Results = append(report.Results, measure.Result{Name: n, Timing: timing})
			if n == measure.CacheSpeed && (timing.Center < 1.9e-9 || timing.Center > 2.1e-9) || n == measure.CacheRatio && (timing.Center < 38 || timing.Center > 42) {
				t.Errorf("seed %d: %s is %v", seed, n, timing)
			}
		}
		if text, err := report.File(); err != nil || !strings.Contains(text, "size = 32768 // bytes of the data cache, by the times of chains of words\n") {
			t.Errorf("seed %d: %v\n%s", seed, err, text)
		}
	}
}
