package clock

import (
	"strconv"
	"strings"
)

// boxes describes a set of processors of a grid, given by their linear
// numbers in ascending order, as products of coordinate sets: coordinates of
// the first dimension that have the same rest share a box, and so on inwards.
// set writes a set of coordinates of dimension k.
func boxes(grid []int, ranks []int, set func(k int, coords []int) string) [][]string {
	if len(ranks) == 0 {
		return nil
	}
	return boxesFrom(0, grid, ranks, set)
}

func boxesFrom(k int, grid []int, ranks []int, set func(k int, coords []int) string) [][]string {
	if len(grid) == 1 {
		return [][]string{{set(k, ranks)}}
	}
	inner := 1
	for _, n := range grid[1:] {
		inner *= n
	}
	// The rest of each first coordinate, and the first coordinates that
	// have it, in order of appearance.
	type group struct {
		coords, rest []int
	}
	var groups []group
	byRest := map[string]int{}
	var key []byte
	for i := 0; i < len(ranks); {
		c := ranks[i] / inner
		var rest []int
		key = key[:0]
		for ; i < len(ranks) && ranks[i]/inner == c; i++ {
			rest = append(rest, ranks[i]%inner)
			key = append(strconv.AppendInt(key, int64(ranks[i]%inner), 36), ',')
		}
		g, ok := byRest[string(key)]
		if !ok {
			g = len(groups)
			groups = append(groups, group{rest: rest})
			byRest[string(key)] = g
		}
		groups[g].coords = append(groups[g].coords, c)
	}
	var out [][]string
	for _, g := range groups {
		first := set(k, g.coords)
		for _, b := range boxesFrom(k+1, grid[1:], g.rest, set) {
			out = append(out, append([]string{first}, b...))
		}
	}
	return out
}

// coordSet writes ascending numbers as "0,2-4".
func coordSet(xs []int) string {
	var b strings.Builder
	for i := 0; i < len(xs); {
		j := i
		for j+1 < len(xs) && xs[j+1] == xs[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(xs[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(xs[j]))
		}
		i = j + 1
	}
	return b.String()
}
