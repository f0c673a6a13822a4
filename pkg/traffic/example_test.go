package traffic_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/traffic"
)

// axes distributes the dimensions of an array, from 1, along the dimensions of
// a grid: 0 replicates.
func axes(t testing.TB, s *procs.System, size []int64, elem int64, axis ...int64) *object.Array {
	t.Helper()
	return weighted(t, s, size, elem, layout.Weights{}, axis...)
}

func weighted(t testing.TB, s *procs.System, size []int64, elem int64, w layout.Weights, axis ...int64) *object.Array {
	t.Helper()
	d, err := layout.Distribute(s.Grid, size, axis, nil, func(int, int) layout.Weights { return w })
	if err != nil {
		t.Fatal(err)
	}
	rules := make([]layout.Rule, len(size))
	for i := range rules {
		rules[i] = layout.Rule{Kind: layout.Linear, Dim: i, A: 1}
	}
	m, err := layout.Place(d, rules, size)
	if err != nil {
		t.Fatal(err)
	}
	return &object.Array{Size: size, ElemSize: elem, System: s, Map: m}
}

func edge(a *object.Array, width int64, corners int) []object.Edge {
	e := object.Edge{Array: a, Corners: corners}
	for range a.Size {
		e.Lo, e.Hi = append(e.Lo, width), append(e.Hi, width)
	}
	return []object.Edge{e}
}

func messages(t comm.Traffic) []comm.Message {
	var ms []comm.Message
	t.Each(func(m comm.Message) bool { ms = append(ms, m); return true })
	return ms
}

func expect(t *testing.T, got comm.Traffic, sizes []comm.Size, dists []comm.Distance) {
	t.Helper()
	if d := cmp.Diff(sizes, got.Sizes(), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("sizes (-want +got):\n%s", d)
	}
	if d := cmp.Diff(dists, got.Distances(), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("distances (-want +got):\n%s", d)
	}
}

// An 8x8 array of 8-byte elements with edges of width 1.
func TestShadowOf8x8(t *testing.T) {
	for _, c := range []struct {
		name    string
		grid    []int
		corners int
		sizes   []comm.Size
		dists   []comm.Distance
	}{
		// 4x4 blocks: each of the 4 processors has 2 neighbours and gets
		// 4 elements = 32 bytes from each: 8 messages.
		{"2x2", []int{2, 2}, 1, []comm.Size{{Bytes: 32, Count: 8}}, []comm.Distance{{Hops: 1, Bytes: 32}}},
		// And one element from the one that is diagonally opposite: 4 more.
		{"2x2 with corners", []int{2, 2}, 2, []comm.Size{{Bytes: 32, Count: 8}, {Bytes: 8, Count: 4}}, []comm.Distance{{Hops: 1, Bytes: 32}, {Hops: 2, Bytes: 8}}},
		// 2x8 blocks: 3 borders, both ways, 8 elements = 64 bytes.
		{"4x1", []int{4, 1}, 1, []comm.Size{{Bytes: 64, Count: 6}}, []comm.Distance{{Hops: 1, Bytes: 64}}},
		// One dimension is cut: there are no corners.
		{"4x1 with corners", []int{4, 1}, 2, []comm.Size{{Bytes: 64, Count: 6}}, []comm.Distance{{Hops: 1, Bytes: 64}}},
		{"1x1", []int{1, 1}, 2, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &procs.System{Grid: c.grid}
			got, err := traffic.NewRoot(c.grid).Shadow(edge(axes(t, s, []int64{8, 8}, 8, 1, 2), 1, c.corners))
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, c.sizes, c.dists)
		})
	}
}

// Two arrays of one group, 8 and 4 bytes: each border of 4x1 carries
// 8*8 + 8*4 = 96 bytes in one message.
func TestShadowsOfAGroupAreOneMessage(t *testing.T) {
	s := &procs.System{Grid: []int{4}}
	group := append(edge(axes(t, s, []int64{8, 8}, 8, 1), 1, 1), edge(axes(t, s, []int64{8, 8}, 4, 1), 1, 1)...)
	got, err := traffic.NewRoot([]int{4}).Shadow(group)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, []comm.Size{{Bytes: 96, Count: 6}}, []comm.Distance{{Hops: 1, Bytes: 96}})
}

// Blocks of 4, 0, 5 and 1 elements: the neighbour of processor 0 is processor
// 2. The edge of width 1 on the left and none on the right: 2 gets an element
// of 0, 3 one of 2.
func TestShadowPastAnEmptyBlock(t *testing.T) {
	s := &procs.System{Grid: []int{4}}
	a := weighted(t, s, []int64{10}, 8, layout.Weights{Sizes: []int64{4, 0, 5, 1}}, 1)
	root := traffic.NewRoot([]int{4})
	got, err := root.Shadow([]object.Edge{{Array: a, Lo: []int64{1}, Hi: []int64{0}, Corners: 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := []comm.Message{{From: 0, To: 2, Bytes: 8}, {From: 2, To: 3, Bytes: 8}}
	if d := cmp.Diff(want, messages(got)); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	expect(t, got, []comm.Size{{Bytes: 8, Count: 2}}, []comm.Distance{{Hops: 1, Bytes: 8}, {Hops: 2, Bytes: 8}})

	// A right edge of width 2 is wider than the block of processor 3.
	_, err = root.Shadow([]object.Edge{{Array: a, Lo: []int64{0}, Hi: []int64{2}, Corners: 1}})
	var wide *traffic.ErrShadow
	if !errors.As(err, &wide) || *wide != (traffic.ErrShadow{Edge: 0, Dim: 0, Width: 2, Block: 1}) {
		t.Errorf("error %v, want a width of 2 on a block of 1", err)
	}
}

// Rows to columns on 4 processors: an 8x8 array of 8-byte elements. Each has
// 2 rows and needs 2 columns: 2x2 elements = 32 bytes from each of the 3
// others, 12 messages over distances 1 to 3.
func TestRealignRowsToColumns(t *testing.T) {
	s := &procs.System{Grid: []int{4}}
	rows, columns := axes(t, s, []int64{8, 8}, 8, 1), axes(t, s, []int64{8, 8}, 8, 2)
	got, err := traffic.NewRoot(s.Grid).Redistribute([]object.Move{{Array: rows, From: rows.Map, FromSystem: s, To: columns.Map, ToSystem: s}})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, []comm.Size{{Bytes: 32, Count: 12}}, []comm.Distance{{Hops: 1, Bytes: 32}, {Hops: 2, Bytes: 32}, {Hops: 3, Bytes: 32}})
	// To everywhere: each lacks the 2 rows of 64 bytes of each other.
	got, err = traffic.NewRoot(s.Grid).Redistribute([]object.Move{{Array: rows, From: rows.Map, FromSystem: s, To: layout.Everywhere(s.Grid, rows.Size), ToSystem: s}})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, []comm.Size{{Bytes: 128, Count: 12}}, []comm.Distance{{Hops: 1, Bytes: 128}, {Hops: 2, Bytes: 128}, {Hops: 3, Bytes: 128}})
	// And back: everybody has what it needs.
	got, err = traffic.NewRoot(s.Grid).Redistribute([]object.Move{{Array: rows, From: layout.Everywhere(s.Grid, rows.Size), FromSystem: s, To: columns.Map, ToSystem: s}})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, nil, nil)
	// Arrays that lay nowhere bring nothing.
	got, err = traffic.NewRoot(s.Grid).Redistribute([]object.Move{{Array: rows, To: columns.Map, ToSystem: s}})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, nil, nil)
}

// Elements 0, 2, .. 14 of an array in blocks of 4 go to elements 1 .. 8 of an
// array on weights 1, 3 (blocks 0-3 and 4-15 on processors 0 and 1, nothing on
// the others). Element 2j goes to 1+j. Processor 0 writes j = 0, 1, 2 and has
// 0 and 2: it lacks source element 4, of processor 1. Processor 1 writes j = 3
// .. 7, source elements 6 .. 14: it has 6 and lacks 8, 10 of processor 2 and
// 12, 14 of processor 3.
func TestCopyWithStrides(t *testing.T) {
	s := &procs.System{Grid: []int{4}}
	from := axes(t, s, []int64{16}, 8, 1)
	to := weighted(t, s, []int64{16}, 8, layout.Weights{Sizes: []int64{4, 12, 0, 0}}, 1)
	one := func(first, last, step int64) traffic.Section {
		return traffic.Section{First: []int64{first}, Last: []int64{last}, Step: []int64{step}}
	}
	root := traffic.NewRoot(s.Grid)
	got, share, err := root.Copy(from, one(0, 14, 2), to, one(1, 8, 0))
	if err != nil {
		t.Fatal(err)
	}
	want := []comm.Message{{From: 1, To: 0, Bytes: 8}, {From: 2, To: 1, Bytes: 16}, {From: 3, To: 1, Bytes: 16}}
	if d := cmp.Diff(want, messages(got)); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	expect(t, got, []comm.Size{{Bytes: 16, Count: 2}, {Bytes: 8, Count: 1}}, []comm.Distance{{Hops: 1, Bytes: 16}, {Hops: 2, Bytes: 16}})
	if share.Total != 8 || !slices.Equal(share.Labels[0], []int64{3, 5, 0, 0}) {
		t.Errorf("shares %v of %d, want 3, 5, 0, 0 of 8", share.Labels, share.Total)
	}
	for name, c := range map[string][2]traffic.Section{
		"source index":  {one(0, 16, 2), one(0, 8, 1)},
		"target index":  {one(0, 1, 1), one(15, 16, 1)},
		"negative":      {one(-2, 1, 1), one(0, 3, 1)},
		"counts":        {one(0, 7, 1), one(0, 8, 1)},
		"empty to some": {one(7, 0, 1), one(0, 0, 1)},
		"rank":          {traffic.All(2), one(0, 0, 1)},
	} {
		if _, _, err := root.Copy(from, c[0], to, c[1]); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	got, share, err = root.Copy(from, one(7, 0, 1), to, one(3, 2, 1))
	if err != nil || len(messages(got)) != 0 || share.Total != 0 {
		t.Errorf("empty sections: %v, share %v", err, share)
	}
	if _, _, err := root.Copy(&object.Array{Size: []int64{16}}, one(0, 0, 1), to, one(0, 0, 1)); err == nil {
		t.Error("an array that lies nowhere: no error")
	}
}

// One of the I/O processor's neighbours holds what it has not: gather and
// scatter of 16 elements in blocks of 4 send 3 messages of 32 bytes.
func TestArrayIO(t *testing.T) {
	s := &procs.System{Grid: []int{4}}
	a := axes(t, s, []int64{16}, 8, 1)
	for name, f := range map[string]func(*object.Array, traffic.Section, int) (comm.Traffic, error){
		"gather": traffic.NewRoot(s.Grid).Gather, "scatter": traffic.NewRoot(s.Grid).Scatter,
	} {
		got, err := f(a, traffic.All(1), 0)
		if err != nil {
			t.Fatal(name, err)
		}
		expect(t, got, []comm.Size{{Bytes: 32, Count: 3}}, []comm.Distance{{Hops: 1, Bytes: 32}, {Hops: 2, Bytes: 32}, {Hops: 3, Bytes: 32}})
	}
}

// A loop over I = 0..15 in blocks of 4 reads A(15-I), whose elements are in
// blocks of 4 as well: processors 0 and 3, 1 and 2 change all they have.
func TestRemoteReversed(t *testing.T) {
	s := &procs.System{Grid: []int{4}}
	a := axes(t, s, []int64{16}, 8, 1)
	l := &object.Loop{Rank: 1, Iterations: []layout.Iterations{{Init: 0, Last: 15, Step: 1}}, Counts: []int64{16}, System: s, Map: a.Map}
	b := &object.Buffer{Array: a, Loop: l, Rules: []layout.Rule{{Kind: layout.Linear, Dim: 0, A: -1, B: 15}}}
	root := traffic.NewRoot(s.Grid)
	got, err := root.Remote([]*object.Buffer{b})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, []comm.Size{{Bytes: 32, Count: 4}}, []comm.Distance{{Hops: 1, Bytes: 32}, {Hops: 3, Bytes: 32}})
	for name, bad := range map[string]*object.Buffer{
		"loop without mappl_": {Array: a, Loop: &object.Loop{Rank: 1}, Rules: b.Rules},
		"index":               {Array: a, System: s, Coords: []int64{16}},
		"coordinates":         {Array: a, System: s, Coords: []int64{1, 1}},
		"rank":                {Array: a, Loop: l},
		"array":               {Array: &object.Array{Size: []int64{3}}, System: s, Coords: []int64{1}},
	} {
		if _, err := root.Remote([]*object.Buffer{bad}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Sizes of messages that 64 bits cannot hold are an error.
func TestVolumes(t *testing.T) {
	s := &procs.System{Grid: []int{2}}
	huge := axes(t, s, []int64{1 << 31, 1 << 31, 4, 1, 1, 1, 1}, 8, 1)
	// 2^62 elements of one byte can be counted, two such arrays cannot.
	large := axes(t, s, []int64{1 << 31, 1 << 31}, 1, 1)
	root := traffic.NewRoot(s.Grid)
	for name, edges := range map[string][]object.Edge{
		"one array": edge(huge, 1, 1), "two arrays": append(edge(large, 1, 1), edge(large, 1, 1)...),
	} {
		if _, err := root.Shadow(edges); !errors.Is(err, traffic.ErrVolume) {
			t.Errorf("shadow of %s: error %v, want %v", name, err, traffic.ErrVolume)
		}
		var moves []object.Move
		for _, e := range edges {
			moves = append(moves, object.Move{Array: e.Array, From: e.Array.Map, FromSystem: s, To: layout.Everywhere(s.Grid, e.Array.Size), ToSystem: s})
		}
		if _, err := root.Redistribute(moves); !errors.Is(err, traffic.ErrVolume) {
			t.Errorf("redistribution of %s: error %v, want %v", name, err, traffic.ErrVolume)
		}
	}
	got, err := root.Gather(large, traffic.All(2), 0)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, []comm.Size{{Bytes: 1 << 61, Count: 1}}, []comm.Distance{{Hops: 1, Bytes: 1 << 61}})
	if _, err := root.Gather(huge, traffic.All(7), 0); !errors.Is(err, traffic.ErrVolume) {
		t.Errorf("gather: error %v, want %v", err, traffic.ErrVolume)
	}
	_, _, err = root.Copy(large, traffic.Section{First: []int64{0, 0}, Last: []int64{math.MaxInt64, 0}, Step: []int64{1, 1}}, large, traffic.All(2))
	if err == nil {
		t.Error("a section of 2^63 elements: no error")
	}
}

// An array of 4 elements lies on processor 0 of 2x2; the 4 iterations of a loop
// lie along both dimensions of the grid, so that processor 3 has the last two.
// It needs A(2) and A(3) of one buffer, 16 bytes, and A(0) of another, 8 bytes.
func TestRemoteOfALoopAlongTwoDimensions(t *testing.T) {
	s := &procs.System{Grid: []int{2, 2}}
	on0 := &layout.Mapping{Grid: s.Grid, Size: []int64{4}, Ranges: []layout.Ranges{{Dim: -1}, {Dim: -1}}}
	a := &object.Array{Size: []int64{4}, ElemSize: 8, System: s, Map: on0}
	halves := layout.Ranges{Dim: 0, Lo: []int64{0, 2}, Hi: []int64{2, 4}}
	l := &object.Loop{Rank: 1, Iterations: []layout.Iterations{{Init: 0, Last: 3, Step: 1}}, Counts: []int64{4}, System: s,
		Map: &layout.Mapping{Grid: s.Grid, Size: []int64{4}, Ranges: []layout.Ranges{halves, halves}}}
	got, err := traffic.NewRoot(s.Grid).Remote([]*object.Buffer{
		{Array: a, Loop: l, Rules: []layout.Rule{{Kind: layout.Linear, A: 1}}},
		{Array: a, Loop: l, Rules: []layout.Rule{{Kind: layout.Constant, B: 0}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, []comm.Size{{Bytes: 24, Count: 1}}, []comm.Distance{{Hops: 2, Bytes: 24}})
}

// The picture in closed.go: 6x6 elements of 8 bytes on 2x3, transposed. Distances
// are |c0-e0| + |c1-e1| over the pairs of the two stars. A piece of 4 elements
// has (c0,e1) of (0,0) or (1,2) and (c1,e0) of (0,0) or (2,1): (0,0)-(0,0) and
// (1,2)-(1,2) are a processor's own, (c0,c1) = (0,2) with (e0,e1) = (1,0) and
// (1,0) with (0,2) are 1 + 2 apart. Of 2 elements, (c0,e1) = (0,0) and (c1,e0) =
// (1,0) are 0 + 1 apart, (c0,e1) = (0,0) and (1,1) are 1 + 1.
func TestPictureOfATransposedArray(t *testing.T) {
	s := &procs.System{Grid: []int{2, 3}}
	before, after := axes(t, s, []int64{6, 6}, 8, 1, 2), axes(t, s, []int64{6, 6}, 8, 2, 1)
	got, err := traffic.NewRoot(s.Grid).Redistribute([]object.Move{{Array: after, From: before.Map, FromSystem: s, To: after.Map, ToSystem: s}})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, []comm.Size{{Bytes: 32, Count: 2}, {Bytes: 16, Count: 8}, {Bytes: 8, Count: 2}},
		[]comm.Distance{{Hops: 1, Bytes: 16}, {Hops: 2, Bytes: 16}, {Hops: 3, Bytes: 32}})
}

// The picture in distance.go: 6 elements of 8 bytes on 3x2, cut along the first
// dimension and then along the second. Receivers (c0,c1) lack the block of c1
// but for what e0 = c0 has of it: of 12 pairs of 2, 1, 1 and 2 elements, each for
// 3 places c0, 1 of each kind is a processor's own.
func TestPictureOfAnOpenDimension(t *testing.T) {
	s := &procs.System{Grid: []int{3, 2}}
	before, after := axes(t, s, []int64{6}, 8, 1, 0), axes(t, s, []int64{6}, 8, 0, 1)
	got, err := traffic.NewRoot(s.Grid).Redistribute([]object.Move{{Array: after, From: before.Map, FromSystem: s, To: after.Map, ToSystem: s}})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, []comm.Size{{Bytes: 16, Count: 4}, {Bytes: 8, Count: 4}},
		[]comm.Distance{{Hops: 1, Bytes: 16}, {Hops: 2, Bytes: 16}})
}
