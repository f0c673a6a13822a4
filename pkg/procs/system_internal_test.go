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

func TestSectionsAreScaled(t *testing.T) {
	for _, c := range []struct {
		n, traced    int64
		init, last   int64
		wantLo, want int
	}{
		{4, 2, 0, 0, 0, 1}, {4, 2, 1, 1, 2, 3},
		{8, 4, 0, 1, 0, 3}, {8, 4, 2, 3, 4, 7},
		{2, 4, 0, 1, 0, 0}, {2, 4, 2, 3, 1, 1},
		// The bound at 1.5 is rounded up.
		{3, 2, 0, 0, 0, 1}, {3, 2, 1, 1, 2, 2},
		{4, 1, 0, 0, 0, 3},
		// 0..0 and 1..3 of 4: the bound at 0.5 of 2, at 0.75 of 3.
		{2, 4, 0, 0, 0, 0}, {2, 4, 1, 3, 1, 1},
		{3, 4, 0, 0, 0, 0}, {3, 4, 1, 3, 1, 2},
		// 0..0, 1..2, 3..3 of 4 on 3: bounds at 0.75 and 2.25.
		{3, 4, 0, 0, 0, 0}, {3, 4, 1, 2, 1, 1}, {3, 4, 3, 3, 2, 2},
		// Fewer processors than sections: they share.
		{1, 2, 0, 0, 0, 0}, {1, 2, 1, 1, 0, 0},
		// 3..3 of 8 on 2: 0.75 and 1, both 1; 0.875 lies on processor 0.
		{2, 8, 3, 3, 0, 0},
		{5, 5, 1, 3, 1, 3},
	} {
		lo, hi := scale(c.init, c.last, c.n, c.traced)
		if lo != c.wantLo || hi != c.want {
			t.Errorf("section %d..%d of %d on %d: %d..%d, want %d..%d", c.init, c.last, c.traced, c.n, lo, hi, c.wantLo, c.want)
		}
	}
}

// All partitions of up to 8 traced coordinates into sections, on 1 to 20
// simulated ones: the sections lie within, in order, and cover everything; one
// as wide as a simulated coordinate shares none with another such
// (docs/model.md#systems).
func TestPartitionsStayPartitions(t *testing.T) {
	for traced := int64(1); traced <= 8; traced++ {
		// Bit k of cuts says that a section begins at coordinate k+1.
		for cuts := range 1 << (traced - 1) {
			for n := int64(1); n <= 20; n++ {
				owner := make([]int, n) // the wide section on each coordinate
				covered := make([]bool, n)
				init, section, last := int64(0), 0, 0
				for end := int64(1); end <= traced; end++ {
					if end < traced && cuts>>(end-1)&1 == 0 {
						continue
					}
					section++
					lo, hi := scale(init, end-1, n, traced)
					if lo < last || lo > hi || hi >= int(n) {
						t.Fatalf("section %d..%d of %d on %d is %d..%d, the one before begins at %d", init, end-1, traced, n, lo, hi, last)
					}
					wide := (end-init)*n >= traced
					for c := lo; c <= hi; c++ {
						covered[c] = true
						if wide && owner[c] != 0 {
							t.Fatalf("cuts %b of %d on %d: sections %d and %d share coordinate %d", cuts, traced, n, owner[c], section, c)
						}
						if wide {
							owner[c] = section
						}
					}
					init, last = end, lo
				}
				if slices.Contains(covered, false) {
					t.Fatalf("cuts %b of %d on %d: coordinates without a section: %v", cuts, traced, n, covered)
				}
			}
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
