package object

import (
	"encoding/binary"

	"dvmtools/pkg/layout"
)

// memo remembers layouts, which programs compute over and over: a loop in a
// loop is mapped alike every time. Keys spell everything that a layout
// depends on.
type memo struct {
	ids   int
	dists map[string]*layout.Dist
	maps  map[string]*layout.Mapping
	loops map[string]*Loop
	// key and request are room for the next key and the next mappl_.
	key     []byte
	request loopRequest
}

// memoSize bounds what is remembered; beyond it all is forgotten.
const memoSize = 1 << 12

// distribute is [layout.Distribute], remembered.
func (m *memo) distribute(grid []int, size, axis, param []int64, weights func(a, k int) layout.Weights) (*layout.Dist, error) {
	k := layout.AppendIntsKey(m.key[:0], grid)
	for _, list := range [][]int64{size, axis, param} {
		k = layout.AppendIntsKey(k, list)
	}
	for i, a := range axis {
		if i < len(grid) && a >= 1 && a <= int64(len(size)) {
			k = weights(int(a-1), i).AppendKey(k)
		}
	}
	m.key = k
	if d, ok := m.dists[string(k)]; ok {
		return d, nil
	}
	d, err := layout.Distribute(grid, size, axis, param, weights)
	if err != nil {
		return nil, err
	}
	if m.dists == nil || len(m.dists) >= memoSize {
		m.dists = map[string]*layout.Dist{}
	}
	d.ID = m.id()
	m.dists[string(k)] = d
	return d, nil
}

// place is [layout.Place], remembered.
func (m *memo) place(d *layout.Dist, rules []layout.Rule, size []int64) (*layout.Mapping, error) {
	k := binary.AppendVarint(m.key[:0], int64(d.ID))
	k = layout.AppendRulesKey(k, rules)
	k = layout.AppendIntsKey(k, size)
	m.key = k
	if p, ok := m.maps[string(k)]; ok {
		return p, nil
	}
	p, err := layout.Place(d, rules, size)
	if err != nil {
		return nil, err
	}
	if m.maps == nil || len(m.maps) >= memoSize {
		m.maps = map[string]*layout.Mapping{}
	}
	p.ID = m.id()
	m.maps[string(k)] = p
	return p, nil
}

func (m *memo) id() int {
	m.ids++
	return m.ids
}

// keepLoop remembers l under key.
func (m *memo) keepLoop(key string, l *Loop) {
	if m.loops == nil || len(m.loops) >= memoSize {
		m.loops = map[string]*Loop{}
	}
	kept := *l
	m.loops[key] = &kept
}
