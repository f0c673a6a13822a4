package traffic_test

import (
	"errors"
	"io"
	"maps"
	"slices"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/pkg/call"
	"dvmtools/pkg/comm"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/traffic"
)

// exchangeOf follows c and returns the exchange that it starts, nil for none.
func exchangeOf(t testing.TB, root *traffic.Root, tb *object.Table, c *call.Call) (comm.Traffic, error) {
	t.Helper()
	switch c.Class() {
	case libdvm.Redistribute:
		moves, err := tb.Redistribute(c)
		if err != nil {
			return nil, err
		}
		return root.Redistribute(moves)
	case libdvm.Realign:
		m, err := tb.Realign(c)
		if err != nil {
			return nil, err
		}
		return root.Redistribute([]object.Move{m})
	case libdvm.StartShadow, libdvm.ReceiveShadow, libdvm.ExportFirst:
		g, err := tb.ShadowGroup(c)
		if err != nil {
			return nil, err
		}
		return root.Shadow(g.Edges)
	case libdvm.LoadBuffer:
		b, err := tb.Buffer(c)
		if err != nil {
			return nil, err
		}
		return root.Remote([]*object.Buffer{b})
	case libdvm.LoadBufferGroup:
		g, err := tb.BufferGroup(c)
		if err != nil {
			return nil, err
		}
		return root.Remote(g.Buffers)
	case libdvm.CopyArray, libdvm.StartCopy:
		return copyOf(t, root, tb, c)
	}
	return nil, tb.Follow(c)
}

func copyOf(t testing.TB, root *traffic.Root, tb *object.Table, c *call.Call) (comm.Traffic, error) {
	t.Helper()
	side := func(prefix string) traffic.Section {
		var s traffic.Section
		for _, f := range []struct {
			key string
			to  *[]int64
		}{{"InitIndexArray", &s.First}, {"LastIndexArray", &s.Last}, {"StepArray", &s.Step}} {
			v, err := c.Ints(nil, prefix+f.key)
			if err != nil {
				t.Fatal(err)
			}
			*f.to = v
		}
		return s
	}
	if !object.HasArray(c, "From") {
		return nil, nil
	}
	from, err := tb.Array(c, "From")
	if err != nil {
		return nil, err
	}
	if !object.HasArray(c, "To") {
		return root.CopyToAll(from, side("From"), tb.Current())
	}
	to, err := tb.Array(c, "To")
	if err != nil {
		return nil, err
	}
	x, share, err := root.Copy(from, side("From"), to, side("To"))
	if err != nil {
		return nil, err
	}
	if res, err := c.RetInt("Res"); err == nil && res != share.Total {
		t.Errorf("%v: the program copied %d elements, the section has %d", c.Pos, res, share.Total)
	}
	return x, nil
}

// Every exchange of every real program can be worked out on every grid, and
// its three views agree. The only permitted error is an edge that is too wide.
// Those other than of shadow edges have keys, and equal keys mean equal messages.
func TestEveryTrace(t *testing.T) {
	exchanges, sending := map[libdvm.Class]int{}, map[libdvm.Class]int{}
	again := 0
	for _, path := range testtraces.Programs(t) {
		for _, grid := range [][]int{{1}, {3}, {2, 2}, {5, 3}, {2, 2, 2}} {
			known := map[string]sent{}
			each(t, path, grid, func(class libdvm.Class, x comm.Traffic) {
				exchanges[class]++
				want := sent{}
				x.Each(func(m comm.Message) bool { want[pair{m.From, m.To}] += m.Bytes; return true })
				check(t, path, 0, grid, x, want)
				if len(want) > 0 {
					sending[class]++
				}
				k, ok := x.(comm.Keyed)
				if !ok {
					if len(want) > 0 && class != libdvm.StartShadow && class != libdvm.ReceiveShadow && class != libdvm.ExportFirst {
						t.Errorf("%s on %v: an exchange of class %s has no key", path, grid, class)
					}
					return
				}
				key, _ := k.AppendKey(nil)
				if before, ok := known[string(key)]; ok {
					again++
					if !maps.Equal(before, want) {
						t.Errorf("%s on %v: two exchanges with the key %x send %v and %v", path, grid, key, before, want)
					}
				}
				known[string(key)] = want
			})
		}
	}
	for _, class := range []libdvm.Class{libdvm.Redistribute, libdvm.Realign, libdvm.StartShadow, libdvm.ExportFirst, libdvm.LoadBuffer, libdvm.CopyArray, libdvm.StartCopy} {
		t.Logf("%s: %d exchanges, %d with messages", class, exchanges[class], sending[class])
		if sending[class] == 0 {
			t.Errorf("no exchange of class %s sent anything", class)
		}
	}
	if again < 50 {
		t.Errorf("only %d exchanges had the key of an earlier one", again)
	}
}

// each calls f for every exchange of a trace.
func each(t testing.TB, path string, grid []int, f func(libdvm.Class, comm.Traffic)) {
	t.Helper()
	r := testtraces.Calls(t, path).Source()
	tb := object.New(object.Config{Grid: slices.Clone(grid), Traced: r.Header().Runtime.Root()})
	root := traffic.NewRoot(grid)
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Outside {
			continue
		}
		x, err := exchangeOf(t, root, tb, c)
		var wide *traffic.ErrShadow
		if errors.As(err, &wide) {
			continue
		}
		if err != nil {
			t.Fatalf("%v on %v: %v", c.Pos, grid, err)
		}
		if x != nil {
			f(c.Class(), x)
		}
	}
}
