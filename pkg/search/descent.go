package search

import (
	"context"
	"fmt"
	"slices"
)

const (
	// patience is how many steps in a row may find nothing better before the
	// neighbours of the best are tried as well, around how many of them at once.
	patience = 2
	around   = 2
	// enough is after how many grids without a better one the search ends.
	enough = 40
)

// descend tries grids that are guessed to be good, and the neighbours of the best grid,
// until many were tried in vain.
func (p *pass) descend(ctx context.Context) error {
	places := map[string]int{}
	for i, g := range p.list {
		places[g.name()] = i
	}
	// untried returns the places in the list of grids that were not tried yet.
	untried := func(all [][]int) (list []int) {
		for _, x := range all {
			if i, ok := places[fmt.Sprint(x)]; ok && p.seen[p.list[i]] == 0 && !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
		return list
	}
	idle, vain := 0, 0
	for p.best != nil && p.evaluated < p.most() && vain < enough {
		x := p.best.extents
		list := p.promising()
		if turned := untried(p.exchanged(x)); p.most()-p.evaluated <= reserve && len(turned) > 0 {
			list = p.better(turned, len(turned))
		} else if idle >= patience {
			idle = 0
			near := p.better(untried(append(neighbours(x), p.wholeNodes(x)...)), around)
			list = list[:min(1, len(list))]
			for _, g := range near {
				if !slices.Contains(list, g) {
					list = append(list, g)
				}
			}
			list = p.curious(list)
		}
		if len(list) == 0 {
			return nil
		}
		list = list[:min(len(list), p.most()-p.evaluated)]
		p.descent += len(list)
		p.end.Descent = p.descent
		improved, err := p.step(ctx, list)
		if err != nil {
			return err
		}
		if p.end.Improved = p.end.Improved || improved; improved {
			idle, vain = 0, 0
		} else {
			idle++
			vain += len(list)
		}
	}
	return nil
}

// wholeNodes returns the extents of the grids next to one, more or fewer coordinates in
// one dimension, that fill clusters of the machine: as many processors as whole
// ones have. On one more processor than that messages may take much longer.
func (p *pass) wholeNodes(x []int) (out [][]int) {
	for _, at := range p.cfg.Machine.Path(0)[1:] {
		size := at.Node.Processors()
		if size == 1 || size >= int64(p.cfg.Max) {
			continue
		}
		for k := range x {
			rest := 1
			for l, e := range x {
				if l != k {
					rest *= e
				}
			}
			for _, d := range []int{-1, 1} {
				y := slices.Clone(x)
				for y[k] += d; y[k] >= 1 && y[k]*rest <= p.cfg.Max; y[k] += d {
					if int64(y[k]*rest)%size == 0 {
						out = append(out, y)
						break
					}
				}
			}
		}
	}
	return out
}

// reserve is how many grids are left to try when those with exchanged extents are.
const reserve = 2

// exchanged returns the extents with two of them exchanged, where a machine has
// clusters, in which dimensions differ: neighbours along the last one lie together.
func (p *pass) exchanged(x []int) (out [][]int) {
	if _, flat := p.cfg.Machine.Flat(); flat {
		return nil
	}
	for k := range x {
		for l := range k {
			y := slices.Clone(x)
			y[k], y[l] = x[l], x[k]
			out = append(out, y)
		}
	}
	return out
}

// neighbours returns the extents of the grids next to one: one coordinate more or
// less in one dimension, twice or half as many, or the same number of processors
// with the next factors in two dimensions.
func neighbours(x []int) [][]int {
	var out [][]int
	for k := range x {
		for _, d := range []int{-1, 1} {
			y := slices.Clone(x)
			if y[k] += d; y[k] >= 1 {
				out = append(out, y)
			}
			z := slices.Clone(x)
			if z[k] *= 2; d < 0 {
				z[k] = x[k] / 2
			}
			if z[k] >= 1 {
				out = append(out, z)
			}
			for l := range k {
				product := x[k] * x[l]
				f := x[k] + d
				for f >= 1 && f <= product && product%f != 0 {
					f += d
				}
				if f >= 1 && f <= product {
					y := slices.Clone(x)
					y[k], y[l] = f, product/f
					out = append(out, y)
				}
			}
		}
	}
	return out
}
