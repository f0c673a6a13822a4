package object

import (
	"encoding/binary"
	"math"

	"dvmtools/pkg/call"
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
	key   []byte
}

// memoSize bounds what is remembered; beyond it all is forgotten.
const memoSize = 1 << 12

// distribute is [layout.Distribute], remembered.
func (m *memo) distribute(grid []int, size, axis, param []int64, weights func(a, k int) layout.Weights) (*layout.Dist, error) {
	k := m.key[:0]
	for _, n := range grid {
		k = binary.AppendVarint(k, int64(n))
	}
	for _, list := range [][]int64{size, axis, param} {
		k = binary.AppendVarint(append(k, 0xff), int64(len(list)))
		for _, n := range list {
			k = binary.AppendVarint(k, n)
		}
	}
	for i, a := range axis {
		if i >= len(grid) || a < 1 || a > int64(len(size)) {
			continue
		}
		w := weights(int(a-1), i)
		k = binary.AppendVarint(append(k, 0xff), w.Divisor)
		for _, x := range w.Load {
			k = binary.LittleEndian.AppendUint64(append(k, 1), math.Float64bits(x))
		}
		for _, n := range w.Sizes {
			k = binary.AppendVarint(append(k, 2), n)
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
	for _, r := range rules {
		k = append(k, byte(r.Kind))
		k = binary.AppendVarint(k, int64(r.Dim))
		k = binary.AppendVarint(k, r.A)
		k = binary.AppendVarint(k, r.B)
	}
	k = append(k, 0xff)
	for _, n := range size {
		k = binary.AppendVarint(k, n)
	}
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

// loopKeys are the parameters of mappl_ that decide where a loop lies.
var loopKeys = [...]string{"AxisArray", "CoeffArray", "ConstArray", "InInitIndexArray", "InLastIndexArray", "InStepArray"}

// loopKey spells where mappl_ c puts a loop of the given rank on a pattern
// that has the mapping or distribution id; nil when that cannot be remembered.
// It is valid until the next key.
func (m *memo) loopKey(c *call.Call, rank, id int) []byte {
	if id == 0 {
		return nil
	}
	k := binary.AppendVarint(m.key[:0], int64(id))
	k = append(k, byte(rank))
	for _, key := range loopKeys {
		q := c.Args.Get(key)
		if q == nil {
			return nil
		}
		for _, e := range c.Args.Elems(q) {
			k = append(append(k, e...), ',')
		}
		k = append(k, ';')
	}
	m.key = k
	return k
}

// keepLoop remembers l under key.
func (m *memo) keepLoop(key string, l *Loop) {
	if m.loops == nil || len(m.loops) >= memoSize {
		m.loops = map[string]*Loop{}
	}
	kept := *l
	m.loops[key] = &kept
}
