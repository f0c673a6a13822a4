package procs

import (
	"slices"
	"testing"
)

// factorise against all factorisations.
func TestFactorise(t *testing.T) {
	for rank := 1; rank <= 4; rank++ {
		for n := 1; n <= 130; n++ {
			got := factorise(n, rank)
			if product(got) != n || len(got) != rank || !slices.IsSortedFunc(got, func(a, b int) int { return b - a }) {
				t.Fatalf("factorise(%d, %d) = %v", n, rank, got)
			}
			sum := 0
			for _, f := range got {
				sum += f
			}
			all(n, rank, nil, func(fs []int) {
				s, most := 0, 0
				for _, f := range fs {
					s += f
					most = max(most, f)
				}
				if s < sum || s == sum && most < got[0] {
					t.Fatalf("factorise(%d, %d) = %v, but %v is better", n, rank, got, fs)
				}
			})
		}
	}
}

func all(n, rank int, prefix []int, yield func([]int)) {
	if rank == 0 {
		if n == 1 {
			yield(prefix)
		}
		return
	}
	for f := 1; f <= n; f++ {
		if n%f == 0 {
			all(n/f, rank-1, append(prefix, f), yield)
		}
	}
}

// Sections that are disjoint in the trace stay disjoint where there are
// processors enough (model section 4, crtps_).
func TestSectionsAreScaled(t *testing.T) {
	for _, c := range []struct {
		n, traced    int64
		init, last   int64
		wantLo, want int
	}{
		{4, 2, 0, 0, 0, 1}, {4, 2, 1, 1, 2, 3},
		{8, 4, 0, 1, 0, 3}, {8, 4, 2, 3, 4, 7},
		{2, 4, 0, 1, 0, 0}, {2, 4, 2, 3, 1, 1},
		{3, 2, 0, 0, 0, 0}, {3, 2, 1, 1, 1, 2},
		{4, 1, 0, 0, 0, 3},
		// Fewer processors than sections: they share.
		{1, 2, 0, 0, 0, 0}, {1, 2, 1, 1, 0, 0},
		{5, 5, 1, 3, 1, 3},
	} {
		lo, hi := scale(c.init, c.last, c.n, c.traced)
		if lo != c.wantLo || hi != c.want {
			t.Errorf("section %d..%d of %d on %d: %d..%d, want %d..%d", c.init, c.last, c.traced, c.n, lo, hi, c.wantLo, c.want)
		}
	}
}

// A section of a view of the root is a box of it; a view in another shape is
// not.
func TestSectionRanks(t *testing.T) {
	root := &System{Grid: []int{4, 3}, Traced: []int64{4, 3}, Lower: []int{0, 0}}
	s := Section(root, []int64{1, 1}, []int64{2, 2})
	if !slices.Equal(s.Ranks, []int{4, 5, 7, 8}) || !slices.Equal(s.Lower, []int{1, 1}) {
		t.Errorf("section has ranks %v from %v", s.Ranks, s.Lower)
	}
	v := View(root, []int64{12})
	if !slices.Equal(v.Grid, []int{12}) || v.Lower != nil {
		t.Errorf("view has grid %v, lower %v", v.Grid, v.Lower)
	}
	s = Section(v, []int64{3}, []int64{5})
	if !slices.Equal(s.Ranks, []int{3, 4, 5}) || s.Lower != nil {
		t.Errorf("section of the view has ranks %v from %v", s.Ranks, s.Lower)
	}
}
