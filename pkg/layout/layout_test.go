package layout_test

import (
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
// truncates: model section 4.
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
	// 6 3 3 3 over four coordinates, seen by two: 9 and 6; by eight: each
	// half.
	if d := cmp.Diff([]float64{9, 6}, layout.Resample([]float64{6, 3, 3, 3}, 2)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{3, 3, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5}, layout.Resample([]float64{6, 3, 3, 3}, 8)); d != "" {
		t.Error(d)
	}
	// 7 3 seen by three: 2/3 of the 7, the rest of it and 1/3 of the 3, 2/3
	// of the 3.
	if d := cmp.Diff([]float64{14. / 3, 10. / 3, 2}, layout.Resample([]float64{7, 3}, 3)); d != "" {
		t.Error(d)
	}
}

// Bounds of resampled sizes lie where the density has them, rounded down: 7 3
// on three coordinates at 7·2/3 = 4 2/3 and 7 + 3·1/3 = 8.
func TestResampleSizes(t *testing.T) {
	for _, c := range []struct {
		sizes []int64
		n     int
		want  []int64
	}{
		{[]int64{7, 3}, 3, []int64{4, 4, 2}},
		{[]int64{7, 3}, 2, []int64{7, 3}},
		{[]int64{7, 3}, 1, []int64{10}},
		{[]int64{10}, 4, []int64{2, 3, 2, 3}},
		{[]int64{1, 0, 2}, 2, []int64{1, 2}},
		{[]int64{1 << 61, 1 << 61}, 3, []int64{(1 << 62) / 3, (1 << 62) / 3, (1<<62)/3 + 1}},
	} {
		if d := cmp.Diff(c.want, layout.ResampleSizes(c.sizes, c.n)); d != "" {
			t.Errorf("%v on %d (-want +got):\n%s", c.sizes, c.n, d)
		}
	}
}

// Every bound of resampled sizes is the exact one, rounded down, as rational
// numbers give it.
func TestResampleSizesAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	for range 2000 {
		sizes := make([]int64, 1+r.IntN(9))
		total := int64(0)
		for k := range sizes {
			sizes[k] = r.Int64N(20)
			total += sizes[k]
		}
		n := 1 + r.IntN(12)
		got := layout.ResampleSizes(sizes, n)
		sum := int64(0)
		for c := range n {
			sum += got[c]
			exact := new(big.Rat)
			for k, s := range sizes {
				// Coordinate k is held up to the bound (c+1)·n'/n by this part.
				part := min(max((c+1)*len(sizes)-k*n, 0), n)
				exact.Add(exact, big.NewRat(s*int64(part), int64(n)))
			}
			if want := new(big.Int).Quo(exact.Num(), exact.Denom()).Int64(); sum != want {
				t.Fatalf("%v on %d: the bound behind coordinate %d is %d, want %d (%v)", sizes, n, c, sum, want, got)
			}
		}
		if sum != total {
			t.Fatalf("%v on %d: %v sum to %d", sizes, n, got, sum)
		}
	}
}

// place maps an index space on a template of one axis over n coordinates.
func place(t *testing.T, elements int64, n int, r layout.Rule, size int64) *layout.Mapping {
	t.Helper()
	d, err := layout.Distribute([]int{n}, []int64{elements}, []int64{1}, []int64{0}, func(int, int) layout.Weights { return layout.Weights{} })
	if err != nil {
		t.Fatal(err)
	}
	m, err := layout.Place(d, []layout.Rule{r}, []int64{size})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What each coordinate owns equals what placing every index shows.
func TestPlaceAgainstEveryIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		elements, n, size := 1+r.Int64N(40), 1+r.IntN(8), r.Int64N(20)
		a := r.Int64N(7) - 3
		if a == 0 {
			a = 1
		}
		rule := layout.Rule{Kind: layout.Linear, A: a, B: r.Int64N(50) - 10}
		m := place(t, elements, n, rule, size)
		axis, _ := layout.NewAxis(elements, n, layout.Weights{})
		for c := range n {
			box := make([]layout.Interval, 1)
			m.Owned([]int{c}, box)
			for x := range size {
				owned := axis.Owner(rule.A*x+rule.B) == c
				if in := x >= box[0].Lo && x < box[0].Hi; in != owned {
					t.Fatalf("%d elements on %d, %+v, index %d on coordinate %d: owned is %v, interval %v", elements, n, rule, x, c, owned, box[0])
				}
			}
		}
	}
}

func TestCompose(t *testing.T) {
	// The pattern lies at 2x+1 on a template of 20; the array at 3y-1 on the
	// pattern: 6y-1 on the template.
	inner := []layout.Rule{{Kind: layout.Linear, A: 2, B: 1}}
	got, err := layout.Compose([]layout.Rule{{Kind: layout.Linear, A: 3, B: -1}}, inner, []int64{8}, []int64{20})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]layout.Rule{{Kind: layout.Linear, A: 6, B: -1}}, got); d != "" {
		t.Error(d)
	}
	// A replica along the pattern is bounded to the elements 1..15 that the
	// pattern covers.
	got, err = layout.Compose([]layout.Rule{{Kind: layout.Replicated}}, inner, []int64{8}, []int64{20})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]layout.Rule{{Kind: layout.Bounded, A: 1, B: 15, Step: 2}}, got); d != "" {
		t.Error(d)
	}
	m := place(t, 20, 5, got[0], 3)
	if s := m.Spans[0]; s.First != 0 || s.Last != 3 {
		t.Errorf("a replica on elements 1..15 of blocks of 4 is on coordinates %d..%d, want 0..3", s.First, s.Last)
	}
}

func TestPlacesThatOverflowAreErrors(t *testing.T) {
	big := []layout.Rule{{Kind: layout.Linear, A: 1 << 40, B: 0}}
	if _, err := layout.Compose(big, big, []int64{8}, []int64{8}); err == nil {
		t.Error("2^40 * 2^40 is no error")
	}
	if _, _, err := layout.LoopRules(big, []layout.Iterations{{Init: 1 << 50, Last: 1 << 50, Step: 1}}); err == nil {
		t.Error("2^40 * 2^50 is no error")
	}
}

func TestIterations(t *testing.T) {
	for it, want := range map[layout.Iterations]int64{
		{Init: 1, Last: 10, Step: 1}: 10, {Init: 1, Last: 10, Step: 3}: 4, {Init: 10, Last: 1, Step: -1}: 10,
		{Init: 10, Last: 1, Step: -4}: 3, {Init: 5, Last: 4, Step: 1}: 0, {Init: 5, Last: 5, Step: 0}: 1,
	} {
		if got := it.Count(); got != want {
			t.Errorf("%+v: %d iterations, want %d", it, got, want)
		}
	}
}

// The counts of all processors, divided by how many do the same, sum to the
// total.
func TestSharesSumToTheTotal(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		grid := []int{1 + r.IntN(4), 1 + r.IntN(4)}
		tmpl := []int64{1 + r.Int64N(12), 1 + r.Int64N(12)}
		axis := []int64{r.Int64N(4) - 1, r.Int64N(4) - 1}
		d, err := layout.Distribute(grid, tmpl, clip(axis, 2), []int64{0, 0}, func(int, int) layout.Weights { return layout.Weights{} })
		if err != nil {
			t.Fatal(err)
		}
		size := []int64{r.Int64N(10), r.Int64N(10)}
		rules := make([]layout.Rule, 2)
		for j := range rules {
			switch r.IntN(4) {
			case 0:
				rules[j] = layout.Rule{Kind: layout.Replicated}
			case 1:
				rules[j] = layout.Rule{Kind: layout.Constant, B: r.Int64N(tmpl[j])}
			default:
				rules[j] = layout.Rule{Kind: layout.Linear, Dim: r.IntN(2), A: 1, B: r.Int64N(3)}
			}
		}
		m, err := layout.Place(d, rules, size)
		if err != nil {
			t.Fatal(err)
		}
		s, err := m.Share()
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for i := range grid[0] {
			for j := range grid[1] {
				box := make([]layout.Interval, 2)
				n := int64(0)
				if m.Owned([]int{i, j}, box) {
					n = box[0].Len() * box[1].Len()
				}
				got := s.Count([]int64{s.Labels[0][i], s.Labels[1][j]})
				if got != n {
					t.Fatalf("grid %v, %+v, size %v: processor %d,%d owns %d, its share is %d", grid, m.Spans, size, i, j, n, got)
				}
				sum += n
			}
		}
		if sum != s.Total*s.Same {
			t.Fatalf("grid %v, %+v, size %v: sum %d, total %d, same %d", grid, m.Spans, size, sum, s.Total, s.Same)
		}
	}
}

func clip(axis []int64, rank int64) []int64 {
	for i := range axis {
		axis[i] = min(axis[i], rank)
	}
	if len(axis) == 2 && axis[0] == axis[1] && axis[0] > 0 {
		axis[1] = 0
	}
	return axis
}
