package comm

import (
	"testing"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// The software overheads of a message by model, functions that are defined, and
// purpose: before the first link and after the last.
func TestOverheads(t *testing.T) {
	base := map[string]units.Seconds{"send": 1, "receive": 2}
	all := map[string]units.Seconds{"exchange": 10, "combine": 20, "broadcast": 30, "multicast": 40, "sync": 1000}
	packing := map[string]units.Seconds{"packbyte": 0.25, "unpackbyte": 0.5, "packfloat": 3, "unpackfloat": 4, "packdouble": 5, "unpackdouble": 6}
	for _, tt := range []struct {
		model         string
		defined       []map[string]units.Seconds
		purpose       purpose
		element       units.Bytes
		before, after units.Seconds
	}{
		{"", nil, ordinary, 8, 0, 0},
		{"mpi", nil, ordinary, 8, 0, 0},
		{"mpi", []map[string]units.Seconds{base}, ordinary, 8, 1, 2},
		{"mpi", []map[string]units.Seconds{base}, informAll, 8, 1, 2},
		{"mpi", []map[string]units.Seconds{{"send": 1}}, edges, 8, 1, 0},

		{"express", []map[string]units.Seconds{base}, edges, 8, 1, 2},
		{"express", []map[string]units.Seconds{base}, gather, 8, 1, 2},
		{"express", []map[string]units.Seconds{base}, result, 8, 1, 2},
		{"express", []map[string]units.Seconds{base, {"broadcast": 30}}, result, 8, 30, 0},
		{"express", []map[string]units.Seconds{base, all}, ordinary, 8, 1, 2},
		{"express", []map[string]units.Seconds{base, all}, edges, 8, 10, 0},
		{"express", []map[string]units.Seconds{base, all}, gather, 8, 20, 0},
		{"express", []map[string]units.Seconds{base, all}, result, 8, 0, 0},
		{"express", []map[string]units.Seconds{base, all}, inform, 8, 30, 0},
		{"express", []map[string]units.Seconds{base, all}, informAll, 8, 30, 0},

		{"pvm", []map[string]units.Seconds{base, all}, edges, 8, 1, 2},
		{"pvm", []map[string]units.Seconds{base, all}, gather, 8, 1, 2},
		{"pvm", []map[string]units.Seconds{base, all}, result, 8, 40, 0},
		{"pvm", []map[string]units.Seconds{base, all}, inform, 8, 40, 0},
		{"pvm", []map[string]units.Seconds{base, all}, informAll, 8, 30, 0},
		{"pvm", []map[string]units.Seconds{base, {"broadcast": 30}}, inform, 8, 30, 0},
		{"pvm", []map[string]units.Seconds{base, {"multicast": 40}}, informAll, 8, 40, 0},
		// 24 bytes: three doubles, six floats, or bytes.
		{"pvm", []map[string]units.Seconds{base, packing}, edges, 8, 1 + 3*5, 2 + 3*6},
		{"pvm", []map[string]units.Seconds{base, packing}, edges, 4, 1 + 6*3, 2 + 6*4},
		{"pvm", []map[string]units.Seconds{base, packing}, ordinary, 2, 1 + 24*0.25, 2 + 24*0.5},
		{"pvm", []map[string]units.Seconds{base, packing}, ordinary, 0, 1 + 24*0.25, 2 + 24*0.5},
		{"pvm", []map[string]units.Seconds{all, packing}, informAll, 8, 30 + 3*5, 3 * 6},
		{"mpi", []map[string]units.Seconds{base, packing}, edges, 8, 1, 2},
	} {
		n := &machine.Network{Model: tt.model}
		for _, d := range tt.defined {
			for name, cost := range d {
				n.Overheads = append(n.Overheads, machine.Overhead{Function: name, Cost: cost})
			}
		}
		o := newOverheads(n)
		if before, after := o.of(tt.purpose, 24, tt.element); before != tt.before || after != tt.after {
			t.Errorf("%s, purpose %d, elements of %d bytes, %v: %v and %v, want %v and %v", tt.model, tt.purpose, tt.element, tt.defined, before, after, tt.before, tt.after)
		}
	}
}
