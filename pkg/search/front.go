package search

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// front returns the grids that were tried and than which no grid with as many
// processors or fewer is faster, by growing processors.
func (s *state) front() []*grid {
	list := slices.DeleteFunc(slices.Clone(s.tried), func(g *grid) bool { return !g.out.known() })
	slices.SortFunc(list, func(a, b *grid) int {
		if c := cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.out.time, b.out.time)); c != 0 {
			return c
		}
		return -slices.Compare(a.extents, b.extents)
	})
	var front []*grid
	for _, g := range list {
		if len(front) == 0 || g.out.time < front[len(front)-1].out.time {
			front = append(front, g)
		}
	}
	return front
}

// GridText spells the extents of a grid as command lines do: "4x8".
func GridText(extents []int) string {
	var parts []string
	for _, n := range extents {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, "x")
}
