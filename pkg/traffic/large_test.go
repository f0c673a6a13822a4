package traffic_test

import (
	"testing"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/traffic"
	"dvmtools/pkg/units"
)

const side = 1024

func million() *procs.System { return &procs.System{Grid: []int{side, side}} }

// On a million processors sizes and distances are figures of the dimensions:
// 4096x4096 elements of 8 bytes in blocks of 4x4. There are 2*1023*1024
// borders, crossed both ways by 4 elements, and 1023*1023 meeting points with
// 4 corners of an element.
func TestShadowOnAMillionProcessors(t *testing.T) {
	s := million()
	got, err := traffic.NewRoot(s.Grid).Shadow(edge(axes(t, s, []int64{4 * side, 4 * side}, 8, 1, 2), 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, []comm.Size{{Bytes: 32, Count: 4 * 1023 * 1024}, {Bytes: 8, Count: 4 * 1023 * 1023}},
		[]comm.Distance{{Hops: 1, Bytes: 32}, {Hops: 2, Bytes: 8}})
}

// The rows of a 1024x1024 array on 1024 processors become columns: everybody
// sends everybody one element, over all distances.
func TestRowsToColumnsOn1024Processors(t *testing.T) {
	s := &procs.System{Grid: []int{side}}
	a, b := axes(t, s, []int64{side, side}, 8, 1), axes(t, s, []int64{side, side}, 8, 2)
	got, err := traffic.NewRoot(s.Grid).Redistribute([]object.Move{{Array: a, From: a.Map, FromSystem: s, To: b.Map, ToSystem: s}})
	if err != nil {
		t.Fatal(err)
	}
	var dists []comm.Distance
	for d := 1; d < side; d++ {
		dists = append(dists, comm.Distance{Hops: d, Bytes: 8})
	}
	expect(t, got, []comm.Size{{Bytes: 8, Count: side * (side - 1)}}, dists)
}

func bench(b *testing.B, t func() (comm.Traffic, error)) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		x, err := t()
		if err != nil {
			b.Fatal(err)
		}
		var n units.Bytes
		for _, s := range x.Sizes() {
			n += s.Bytes
		}
		for _, d := range x.Distances() {
			n += d.Bytes
		}
		if n == 0 {
			b.Fatal("no messages")
		}
	}
}

func BenchmarkShadowOnAMillionProcessors(b *testing.B) {
	s := million()
	root := traffic.NewRoot(s.Grid)
	e := edge(axes(b, s, []int64{5000, 7000}, 8, 1, 2), 1, 2)
	bench(b, func() (comm.Traffic, error) { return root.Shadow(e) })
}

func BenchmarkShadowOn64Processors(b *testing.B) {
	s := &procs.System{Grid: []int{8, 8}}
	root := traffic.NewRoot(s.Grid)
	e := edge(axes(b, s, []int64{5000, 7000}, 8, 1, 2), 1, 1)
	bench(b, func() (comm.Traffic, error) { return root.Shadow(e) })
}

func BenchmarkRedistribute(b *testing.B) {
	s := million()
	root := traffic.NewRoot(s.Grid)
	from := axes(b, s, []int64{5000, 7000}, 8, 1, 2)
	for _, c := range []struct {
		name string
		to   *layout.Mapping
	}{
		{"weights", weighted(b, s, from.Size, 8, layout.Weights{Divisor: 8}, 1, 2).Map},
		{"transposed", axes(b, s, from.Size, 8, 2, 1).Map},
		{"whole", layout.Everywhere(s.Grid, from.Size)},
	} {
		m := []object.Move{{Array: from, From: from.Map, FromSystem: s, To: c.to, ToSystem: s}}
		b.Run(c.name, func(b *testing.B) { bench(b, func() (comm.Traffic, error) { return root.Redistribute(m) }) })
	}
	line := &procs.System{Grid: []int{side * side}}
	rows, columns := axes(b, line, []int64{3 * side * side, 2*side*side + 7}, 8, 1), axes(b, line, []int64{3 * side * side, 2*side*side + 7}, 8, 2)
	m := []object.Move{{Array: rows, From: rows.Map, FromSystem: line, To: columns.Map, ToSystem: line}}
	flat := traffic.NewRoot(line.Grid)
	b.Run("rows to columns", func(b *testing.B) { bench(b, func() (comm.Traffic, error) { return flat.Redistribute(m) }) })
}
