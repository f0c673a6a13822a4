package layout_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/layout"
)

// ranges lists first-last of every coordinate, nil for an empty block.
func ranges(a layout.Axis) [][]int64 {
	var out [][]int64
	for c := range a.Coords() {
		lo, hi := a.Range(c)
		if lo == hi {
			out = append(out, nil)
			continue
		}
		out = append(out, []int64{lo, hi - 1})
	}
	return out
}

func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int64
		coords int
		w      layout.Weights
		want   [][]int64
	}{
		{"10 on 4", 10, 4, layout.Weights{}, [][]int64{{0, 1}, {2, 4}, {5, 6}, {7, 9}}},
		{"10 on 4 with divisor 4", 10, 4, layout.Weights{Divisor: 4}, [][]int64{{0, 3}, {4, 7}, {8, 9}, nil}},
		{"3 on 5", 3, 5, layout.Weights{}, [][]int64{{0, 0}, {1, 1}, {2, 2}, nil, nil}},
		{"sizes as given", 10, 4, layout.Weights{Sizes: []int64{4, 0, 5, 1}}, [][]int64{{0, 3}, nil, {4, 8}, {9, 9}}},
		// b = 12/4 = 3: lower bounds 0, 3, 9.
		{"weights 1 2 1", 12, 3, layout.Weights{Load: []float64{1, 2, 1}}, [][]int64{{0, 2}, {3, 8}, {9, 11}}},
		// b = max(10/4, 4) = 4, trunc(4 * (1, 2.75, 3)) = 4, 11, 12, rounded
		// down 4, 8, 12, at most 10.
		{"divisor and weights", 10, 4, layout.Weights{Divisor: 4, Load: []float64{1, 1.75, 0.25, 1}}, [][]int64{{0, 3}, {4, 7}, {8, 9}, nil}},
		{"nothing", 0, 2, layout.Weights{}, [][]int64{nil, nil}},
	} {
		a, err := layout.NewAxis(c.n, c.coords, c.w)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.want, ranges(a)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// 30/22 in float64 times 11 is a little below 15, and the run-time system
// truncates: docs/model.md#blocks.
func TestBlocksRoundAsTheRuntimeDoes(t *testing.T) {
	a, err := layout.NewAxis(30, 22, layout.Weights{})
	if err != nil {
		t.Fatal(err)
	}
	if lo, _ := a.Range(11); lo != 14 {
		t.Errorf("lower(11) = %d, want 14", lo)
	}
}

func TestBadWeights(t *testing.T) {
	for name, w := range map[string]layout.Weights{
		"sum too small": {Sizes: []int64{1, 2}},
		"sum too large": {Sizes: []int64{9, 9}},
		"negative size": {Sizes: []int64{-1, 11}},
		"count":         {Sizes: []int64{10}},
		"negative":      {Load: []float64{-1, 1}},
		"zero":          {Load: []float64{0, 0}},
	} {
		if _, err := layout.NewAxis(10, 2, w); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Every element has one owner, and its block contains it.
func TestOwner(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n, coords := r.Int64N(60), 1+r.IntN(20)
		w := layout.Weights{Divisor: r.Int64N(5)}
		if r.IntN(2) == 0 {
			w.Load = make([]float64, coords)
			for i := range w.Load {
				w.Load[i] = float64(r.IntN(4))
			}
			w.Load[r.IntN(coords)] = 1
		}
		a, err := layout.NewAxis(n, coords, w)
		if err != nil {
			t.Fatal(err)
		}
		for x := int64(-1); x <= n; x++ {
			c := a.Owner(x)
			if x < 0 || x == n {
				if c != -1 {
					t.Fatalf("element %d of %d has the owner %d", x, n, c)
				}
				continue
			}
			if lo, hi := a.Range(c); x < lo || x >= hi {
				t.Fatalf("%d on %d, %+v: element %d is not in the block %d-%d of its owner %d", n, coords, w, x, lo, hi, c)
			}
		}
	}
}

func TestCutLoads(t *testing.T) {
	for _, c := range []struct {
		loads []float64
		n     int
		want  []float64
	}{
		// The greatest load of two runs is at least 6: 1 2 3 | 3 2 1.
		{[]float64{1, 2, 3, 3, 2, 1}, 2, []float64{3, 3}},
		// Of four: 3; 1 2 | 3 | 3 | 2 1.
		{[]float64{1, 2, 3, 3, 2, 1}, 4, []float64{2, 1, 1, 2}},
		{[]float64{1, 1, 1, 1, 1, 1}, 4, []float64{1, 1, 2, 2}},
		{[]float64{5, 1}, 4, []float64{1, 1, 0, 0}},
		{[]float64{1, 2, 3}, 1, []float64{3}},
	} {
		if d := cmp.Diff(c.want, layout.CutLoads(c.loads, c.n)); d != "" {
			t.Errorf("%v into %d (-want +got):\n%s", c.loads, c.n, d)
		}
	}
}

func TestResample(t *testing.T) {
	for _, c := range []struct {
		w    []float64
		n    int
		want []float64
	}{
		// 6 3 3 3 over four coordinates, seen by two: 9 and 6; by eight: each
		// half.
		{[]float64{6, 3, 3, 3}, 2, []float64{0, 9, 15}},
		{[]float64{6, 3, 3, 3}, 8, []float64{0, 3, 6, 7.5, 9, 10.5, 12, 13.5, 15}},
		// 7 3 seen by three: 2/3 of the 7, then the rest of it and 1/3 of the 3.
		{[]float64{7, 3}, 3, []float64{0, 14. / 3, 8, 10}},
		// 1.4 + 1.8/3 is 2; the float64 of 1.4·3 + 1.8, divided by 3, is less. 1.4
		// itself is a little less as a float64.
		{[]float64{1.4, 1.8}, 3, []float64{0, 0.9333333333333332, 2, 3.2}},
		{[]float64{7, 3}, 2, []float64{0, 7, 10}},
		{[]float64{7, 3}, 1, []float64{0, 10}},
	} {
		if d := cmp.Diff(c.want, layout.Resample(c.w, c.n)); d != "" {
			t.Errorf("%v on %d (-want +got):\n%s", c.w, c.n, d)
		}
	}
}

// Block sizes on another number of coordinates lie where the density has them,
// rounded down, as rational numbers give it: 7 3 on three coordinates at
// 7·2/3 = 4 2/3 and 7 + 3·1/3 = 8.
func TestSizesOnOtherCoordinates(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	for range 2000 {
		sizes := make([]float64, 1+r.IntN(9))
		total := int64(0)
		for k := range sizes {
			s := r.Int64N(20)
			sizes[k] = float64(s)
			total += s
		}
		if total == 0 {
			continue
		}
		n := 1 + r.IntN(12)
		a, err := layout.NewAxis(total, n, layout.Weights{Sums: layout.Resample(sizes, n)})
		if err != nil {
			t.Fatal(err)
		}
		for c := range n {
			_, got := a.Range(c)
			exact := new(big.Rat)
			for k, s := range sizes {
				// Coordinate k is held up to the bound (c+1)·n'/n by this part.
				part := min(max((c+1)*len(sizes)-k*n, 0), n)
				exact.Add(exact, big.NewRat(int64(s)*int64(part), int64(n)))
			}
			if want := new(big.Int).Quo(exact.Num(), exact.Denom()).Int64(); got != want {
				t.Fatalf("%v on %d: the block of coordinate %d ends at %d, want %d", sizes, n, c, got, want)
			}
		}
	}
}

// Sums of weights that no float64 holds exactly ascend all the same.
func TestResampledSumsAscend(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 2))
	for range 5000 {
		w := make([]float64, 1+r.IntN(9))
		for k := range w {
			w[k] = math.Exp(-40 * r.Float64())
		}
		n := 1 + r.IntN(40)
		if _, err := layout.NewAxis(100, n, layout.Weights{Sums: layout.Resample(w, n)}); err != nil {
			t.Fatalf("%v on %d: %v", w, n, err)
		}
	}
}

// Sums that do not ascend from 0 or are not finite are an error.
func TestBadSums(t *testing.T) {
	for _, sums := range [][]float64{{0, 1}, {0, 2, 1}, {-1, 0, 1}, {0, 1, math.NaN()}, {0, 1, math.Inf(1)}, {0, 0, 0}} {
		if _, err := layout.NewAxis(10, 2, layout.Weights{Sums: sums}); err == nil {
			t.Errorf("sums %v: no error", sums)
		}
	}
}
