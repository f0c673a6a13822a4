package density_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dvmtools/pkg/density"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/units"
)

func cost(t *testing.T, expr string) *density.Cost {
	t.Helper()
	c, err := density.ParseCost("a.fdv:1=" + expr)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// blocks maps iterations on a grid, dimension d on dimension d, in blocks.
func blocks(t *testing.T, counts []int64, grid ...int) *layout.Share {
	t.Helper()
	m := &layout.Mapping{Grid: grid, Size: counts}
	for k, n := range grid {
		r := layout.Ranges{Dim: k}
		for c := range int64(n) {
			r.Lo, r.Hi = append(r.Lo, c*counts[k]/int64(n)), append(r.Hi, (c+1)*counts[k]/int64(n))
		}
		m.Ranges = append(m.Ranges, r)
	}
	s, err := m.Share()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parts lists the parts of all processors of a grid of up to two dimensions.
func parts(s *density.Shares) []float64 {
	var out []float64
	for _, a := range s.Labels[0] {
		if len(s.Labels) == 1 {
			out = append(out, s.Of([]int64{a}))
			continue
		}
		for _, b := range s.Labels[1] {
			out = append(out, s.Of([]int64{a, b}))
		}
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-14 }

func allNear(a, b []float64) bool {
	for i := range a {
		if !near(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// Worked by hand:
//
//	1 + 2 + 3 + 4 of 36, ..., for I1 over 1..8 on two coordinates: 10 and 26
//	1, 3, 5, 7: 4 and 12 of 16
//	8, 6, 4, 2: 14 and 6 of 20
//	I1/3 over 0..5: 0 0 0 1 1 1: 0 and 3 of 3
//	(1+2, 3+4) x (1+2+3, 4+5+6) of 10 · 21
func TestSharesOfExpressions(t *testing.T) {
	for _, c := range []struct {
		expr string
		its  []layout.Iterations
		grid []int
		want []float64
	}{
		{"I1", []layout.Iterations{{Init: 1, Last: 8, Step: 1}}, []int{2}, []float64{10. / 36, 26. / 36}},
		{"I1", []layout.Iterations{{Init: 1, Last: 8, Step: 2}}, []int{2}, []float64{4. / 16, 12. / 16}},
		{"I1", []layout.Iterations{{Init: 8, Last: 1, Step: -2}}, []int{2}, []float64{14. / 20, 6. / 20}},
		{"I1/3", []layout.Iterations{{Init: 0, Last: 5, Step: 1}}, []int{2}, []float64{0, 1}},
		{"I1 > 2 && I1 < 4", []layout.Iterations{{Init: 0, Last: 5, Step: 1}}, []int{3}, []float64{0, 1, 0}},
		{"2*I1*I2", []layout.Iterations{{Init: 1, Last: 4, Step: 1}, {Init: 1, Last: 6, Step: 1}}, []int{2, 2}, []float64{18. / 210, 45. / 210, 42. / 210, 105. / 210}},
		{"I2", []layout.Iterations{{Init: 1, Last: 4, Step: 1}, {Init: 1, Last: 6, Step: 1}}, []int{2}, []float64{0.5, 0.5}},
		{"I2", []layout.Iterations{{Init: 1, Last: 4, Step: 1}, {Init: 1, Last: 6, Step: 1}}, []int{1, 2}, []float64{6. / 21, 15. / 21}},
		{"sqrt(I1)", []layout.Iterations{{Init: 0, Last: 3, Step: 1}}, []int{4}, []float64{0, 1 / (1 + math.Sqrt2 + math.Sqrt(3)), math.Sqrt2 / (1 + math.Sqrt2 + math.Sqrt(3)), math.Sqrt(3) / (1 + math.Sqrt2 + math.Sqrt(3))}},
	} {
		s, err := cost(t, c.expr).Space(c.its)
		if err != nil {
			t.Fatal(err)
		}
		var counts []int64
		for _, it := range c.its {
			counts = append(counts, it.Count())
		}
		if got := parts(s.Cover(blocks(t, counts, c.grid...)).Shares(nil)); !allNear(got, c.want) {
			t.Errorf("%s over %v on %v: parts %v, want %v", c.expr, c.its, c.grid, got, c.want)
		}
	}
}

// What is the same for all iterations is no density: iterations are counted.
func TestConstantCostsAreNone(t *testing.T) {
	its := []layout.Iterations{{Init: 3, Last: 30, Step: 3}, {Init: 7, Last: 1, Step: -2}}
	for _, text := range []string{"1", "0", "0.3", "2*3", "I1-I1+4", "I1 > 0", "(I2 < 100)*7.5", "(I1-I1+1)*(I2-I2+3)", "0*I1", "I1*(I2 > 50)"} {
		if s, err := cost(t, text).Space(its); s != nil || err != nil {
			t.Errorf("%s: space %v, error %v", text, s, err)
		}
	}
	b := density.NewBlocks([]int64{10}, [][]layout.Interval{{{Lo: 0, Hi: 3}}, nil, {{Lo: 3, Hi: 10}}})
	for _, times := range [][]units.Seconds{{0, 0, 0}, {-1, -1, -1}, {3, 1, 7}, {0.3, 0, 0.7}} {
		if d := b.Density(times); d != nil {
			t.Errorf("times %v: density %v", times, d)
		}
	}
}

// On any grid the parts sum to 1, and those of a coarser grid are sums of those
// of a finer one.
func TestPartsSumToOne(t *testing.T) {
	its := []layout.Iterations{{Init: 1, Last: 24, Step: 1}, {Init: 24, Last: 1, Step: -1}}
	counts := []int64{24, 24}
	given, err := cost(t, "(I1*I1+3)*exp(I2/7)").Space(its)
	if err != nil {
		t.Fatal(err)
	}
	var boxes [][]layout.Interval
	for i := range int64(3) {
		for j := range int64(4) {
			boxes = append(boxes, []layout.Interval{{Lo: 8 * i, Hi: 8*i + 8}, {Lo: 6 * j, Hi: 6*j + 6}})
		}
	}
	b := density.NewBlocks(counts, boxes)
	traced := b.Density([]units.Seconds{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0.5})
	for _, grid := range [][]int{{1, 1}, {2, 2}, {24, 1}, {3, 4}, {5, 7}, {24, 24}} {
		for name, s := range map[string]*density.Shares{"given": given.Cover(blocks(t, counts, grid...)).Shares(nil), "traced": b.Cover(blocks(t, counts, grid...)).Shares(traced)} {
			sum := 0.0
			for _, x := range parts(s) {
				sum += x
			}
			if !near(sum, 1) {
				t.Errorf("%s on %v: the parts sum to %v", name, grid, sum)
			}
		}
	}
	// The parts on the traced grid are those of the times.
	for p, x := range parts(b.Cover(blocks(t, counts, 3, 4)).Shares(traced)) {
		if want := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0.5}[p] / 66.5; !near(x, want) {
			t.Errorf("process %d: part %v, want %v", p, x, want)
		}
	}
}

// Four processes cut both dimensions, two processors only the first, or the second
// as columns 0 and 1..5: 1 + 2 and 3 + 4 of 10; a third of 1 + 3, and the rest.
func TestTracedOnFewerDimensions(t *testing.T) {
	var boxes [][]layout.Interval
	for i := range int64(2) {
		for j := range int64(2) {
			boxes = append(boxes, []layout.Interval{{Lo: 4 * i, Hi: 4*i + 4}, {Lo: 3 * j, Hi: 3*j + 3}})
		}
	}
	b := density.NewBlocks([]int64{8, 6}, boxes)
	d := b.Density([]units.Seconds{1, 2, 3, 4})
	if got, want := parts(b.Cover(blocks(t, []int64{8, 6}, 2)).Shares(d)), []float64{0.3, 0.7}; !allNear(got, want) {
		t.Errorf("parts %v, want %v", got, want)
	}
	m := &layout.Mapping{Grid: []int{2}, Size: []int64{8, 6}, Ranges: []layout.Ranges{{Dim: 1, Lo: []int64{0, 1}, Hi: []int64{1, 6}}}}
	share, err := m.Share()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := parts(b.Cover(share).Shares(d)), []float64{4. / 30, 26. / 30}; !allNear(got, want) {
		t.Errorf("parts %v, want %v", got, want)
	}
}

// Processes whose iterations overlap a block give it what they took for them:
// 2 s for 0..3 and 6 s for 4..9 make 1 s for each of 4, 5, 6.
func TestTracedDensityIsIntegrated(t *testing.T) {
	b := density.NewBlocks([]int64{10}, [][]layout.Interval{{{Lo: 0, Hi: 4}}, {{Lo: 4, Hi: 10}}})
	s := b.Cover(blocks(t, []int64{10}, 3)).Shares(b.Density([]units.Seconds{2, 6}))
	if got, want := parts(s), []float64{1.5 / 8, 2.5 / 8, 4. / 8}; !allNear(got, want) {
		t.Errorf("parts %v, want %v", got, want)
	}
}

// Replicated along the second dimension: each of three processors does what the
// one before it does.
func TestReplicatedIterations(t *testing.T) {
	m := &layout.Mapping{Grid: []int{2, 3}, Size: []int64{4}, Ranges: []layout.Ranges{{Dim: 0, Lo: []int64{0, 2}, Hi: []int64{2, 4}}, {Dim: -1, First: 0, Last: 2}}}
	share, err := m.Share()
	if err != nil {
		t.Fatal(err)
	}
	s, err := cost(t, "I1").Space([]layout.Iterations{{Init: 1, Last: 4, Step: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := parts(s.Cover(share).Shares(nil)), []float64{0.3, 0.3, 0.3, 0.7, 0.7, 0.7}; !allNear(got, want) {
		t.Errorf("parts %v, want %v", got, want)
	}
}

// One dimension on both dimensions of the grid: only the diagonal has any.
func TestDiagonalIterations(t *testing.T) {
	r := layout.Ranges{Dim: 0, Lo: []int64{0, 2}, Hi: []int64{2, 4}}
	m := &layout.Mapping{Grid: []int{2, 2}, Size: []int64{4}, Ranges: []layout.Ranges{r, r}}
	share, err := m.Share()
	if err != nil {
		t.Fatal(err)
	}
	s, err := cost(t, "I1").Space([]layout.Iterations{{Init: 1, Last: 4, Step: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := parts(s.Cover(share).Shares(nil)), []float64{0.3, 0, 0, 0.7}; !allNear(got, want) {
		t.Errorf("parts %v, want %v", got, want)
	}
	// And both of two along a third dimension of the grid.
	m.Grid, m.Ranges = append(m.Grid, 2), append(m.Ranges, layout.Ranges{Dim: -1, First: 0, Last: 1})
	if share, err = m.Share(); err != nil {
		t.Fatal(err)
	}
	both := s.Cover(share).Shares(nil)
	if a, b := both.Of([]int64{2, 2, 1}), both.Of([]int64{2, 2, 2}); !near(a, 0.7) || !near(b, 0.7) {
		t.Errorf("parts %v and %v, want 0.7", a, b)
	}
}

// Coordinates of equal weight are not told apart.
func TestLabels(t *testing.T) {
	b := density.NewBlocks([]int64{16}, [][]layout.Interval{{{Lo: 0, Hi: 8}}, {{Lo: 8, Hi: 16}}})
	c := b.Cover(blocks(t, []int64{16}, 8))
	if got, want := fmt.Sprint(c.Labels), "[[1 1 1 1 2 2 2 2]]"; got != want {
		t.Errorf("labels %s, want %s", got, want)
	}
}

func TestParseCostErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                `found "", expected traced, or FILE:LINE=EXPR`,
		"a.fdv":           "expected traced, or FILE:LINE=EXPR",
		"a.fdv=I1":        "expected traced, or FILE:LINE=EXPR",
		":3=I1":           "expected traced, or FILE:LINE=EXPR",
		"a.fdv:=I1":       "expected the number of a line behind a.fdv:",
		"a.fdv:0=I1":      "expected the number of a line",
		"a.fdv:x=I1":      "expected the number of a line",
		"a.fdv:3=":        "at character 1 of the expression: found the end of the expression",
		"a.fdv:3=I1+":     "at character 4 of the expression",
		"a.fdv:3=J":       "found J, expected an index I1, I2, ... of the loop",
		"a.fdv:3=2*I0":    "at character 3 of the expression: found I0",
		"a.fdv:3=I01":     "found I01, expected an index",
		"a.fdv:3=I1(2)":   "found I1(2), expected an index",
		"a.fdv:3=I1.x":    "found I1.x, expected an index",
		"a.fdv:3=I65":     "found I65, expected an index",
		"a.fdv:3=I1+I2":   "a factor of which has the indices I1 and I2, expected an expression in one index, or a product",
		"a.fdv:3=I2<=I1":  "the indices I2 and I1",
		"a.fdv:3=I1*I2/2": "the indices I1 and I2",
	} {
		if _, err := density.ParseCost(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := density.ParseCosts([]string{"a.fdv:3=I1", "traced", "a.fdv:3=I1*2"}); err == nil || !strings.Contains(err.Error(), "expected one cost for a loop") {
		t.Errorf("two costs of a loop: error %v", err)
	}
}

func TestSpaceErrors(t *testing.T) {
	its := []layout.Iterations{{Init: -2, Last: 5, Step: 1}, {Init: 1, Last: 3, Step: 1}}
	for text, want := range map[string]string{
		"I3":                        "found I3, expected an index of the loop, which has 2 of them",
		"I1":                        "found -2 for I1 = -2, expected a cost of at least 0",
		"I2*(I1-1)":                 "for I1 = -2, expected a cost of at least 0",
		"-1":                        "found -1, expected a cost of at least 0",
		"I2*-0.5":                   "found -0.5 for I2 = 1",
		"1/I1":                      "found 0 for I1 = -2",
		"10/(I2-2)":                 "found -10 for I2 = 1",
		"1/(I1*0)":                  "for I1 = -2: found 1 / 0",
		"I2**700*1.0":               "found 2 ** 700",
		"exp(I2+600.)*exp(I1+600.)": "the costs add up beyond the range of numbers",
		"1e308*I2*I2":               "",
	} {
		_, err := cost(t, text).Space(its)
		if text == "1/I1" { // C truncates: -1/2 is 0, 1/0 is the error
			want = "I1 = -1"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := cost(t, "I1").Space([]layout.Iterations{{Init: 0, Last: 1 << 40, Step: 1}}); err == nil || !strings.Contains(err.Error(), "expected at most 16777216") {
		t.Errorf("many iterations: error %v", err)
	}
	if _, err := cost(t, "I2").Space([]layout.Iterations{{Init: 0, Last: 1 << 40, Step: 1}, {Init: 0, Last: 9, Step: 1}}); err != nil {
		t.Errorf("many iterations along another dimension: %v", err)
	}
}

func TestNames(t *testing.T) {
	c := cost(t, "1")
	for place, want := range map[string]bool{"a.fdv:1": true, "/x/a.fdv:1": true, "b.fdv:1": false, "a.fdv:2": false, "aa.fdv:1": false} {
		file, line, _ := strings.Cut(place, ":")
		if got := c.Names(file, int(line[0]-'0')); got != want {
			t.Errorf("%s: %v", place, got)
		}
	}
}

// Nothing that a user writes panics; what is read is spread to parts that sum to 1.
func FuzzParseCost(f *testing.F) {
	for _, s := range []string{"traced", "a.fdv:1=I1", "a:2=I1*(I2+1)", "a:b:3=I1%3==0", "x:1=1/(I1-2)", "x:1=I2**2*I1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := density.ParseCost(text)
		if err != nil {
			return
		}
		s, err := c.Space([]layout.Iterations{{Init: 0, Last: 6, Step: 1}, {Init: 9, Last: 1, Step: -3}})
		if err != nil || s == nil {
			return
		}
		shares := s.Cover(blocks(t, []int64{7, 3}, 3, 2)).Shares(nil)
		if shares == nil {
			return
		}
		sum := 0.0
		for _, x := range parts(shares) {
			if !(x >= 0) {
				t.Errorf("%q: part %v", text, x)
			}
			sum += x
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%q: the parts sum to %v", text, sum)
		}
	})
}

// 2 s for 0..3 and 6 s for 4..9; then 10 s evenly; then 5 s all for the second.
func TestDivisionsOfTimeAddUp(t *testing.T) {
	b := density.NewBlocks([]int64{10}, [][]layout.Interval{{{Lo: 0, Hi: 4}}, {{Lo: 4, Hi: 10}}, nil})
	sum := []units.Seconds{0, 0, 0}
	for _, c := range []struct {
		t     units.Seconds
		times []units.Seconds
		want  []units.Seconds
	}{{8, []units.Seconds{1, 3, 0}, []units.Seconds{2, 6, 0}}, {10, nil, []units.Seconds{4, 6, 0}}, {5, []units.Seconds{-1, 2, 7}, []units.Seconds{0, 5, 0}}, {10, []units.Seconds{0, 0, 3}, []units.Seconds{4, 6, 0}}} {
		got := b.Spread(c.t, c.times)
		for p := range got {
			if !near(float64(got[p]), float64(c.want[p])) {
				t.Errorf("%v by %v: %v, want %v", c.t, c.times, got, c.want)
				break
			}
			sum[p] += got[p]
		}
	}
	// 10 s for 4 iterations and 23 s for 6: 5, then 5 and 3 · 23/6, then half of 23.
	if got, want := parts(b.Cover(blocks(t, []int64{10}, 5)).Shares(b.Density(sum))), []float64{5. / 33, 5. / 33, 23. / 99, 23. / 99, 23. / 99}; !allNear(got, want) {
		t.Errorf("parts %v, want %v", got, want)
	}
}
