package comm_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// realMedium returns a medium with times as they occur, so that sums round.
func realMedium(r *rand.Rand) machine.Medium {
	md := randomMedium(r)
	md.TStart, md.TByte = units.Micro(r.Float64()*100), units.MicroPerByte(r.Float64())
	return md
}

// program runs the same random exchanges of the whole system, each from the
// end of the one before or from within it, and returns when they are over.
func program(md machine.Medium, seed uint64) units.Seconds {
	r := rand.New(rand.NewPCG(seed, 9))
	grid := []int{3, 4}
	node := machine.NewCluster("m", md, machine.Group{Count: 12, Node: machine.NewProcessor("p", 1)})
	m, err := machine.New(node)
	if err != nil {
		panic(err)
	}
	n := comm.NewNetwork(m, grid, comm.Options{})
	start, end := units.Seconds(0), units.Seconds(0)
	for range 6 {
		var p comm.Placement
		switch r.IntN(3) {
		case 0:
			p = n.Exchange(start, comm.Set{}, comm.Messages(grid, messages(r, nil)))
		case 1:
			p = n.Reduce(start, comm.Set{}, &comm.Reduction{Bytes: units.Bytes(r.IntN(50)), Senders: 1 + r.Int64N(12), Hops: r.Int64N(9)})
		case 2:
			p = n.Broadcast(start, comm.Set{}, r.IntN(12), units.Bytes(r.IntN(50)))
		}
		end = max(end, p.End)
		if r.IntN(2) == 0 {
			start = end
		}
	}
	return end
}

// Law L6, and the units of the formulas: a program without work takes no time
// on a medium without times, grows with them, and scales with both.
func TestTimesAndBandwidth(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	for seed := range uint64(500) {
		md := realMedium(r)
		was := program(md, seed)
		zero := md
		zero.TStart, zero.TByte = 0, 0
		if got := program(zero, seed); got != 0 {
			t.Fatalf("program %d takes %v without TStart and TByte", seed, got)
		}
		double := md
		double.TStart, double.TByte = 2*md.TStart, 2*md.TByte
		if got := program(double, seed); got != 2*was {
			t.Fatalf("program %d takes %v, and %v when all times double", seed, was, got)
		}
		slower := md
		slower.TStart *= units.Seconds(1 + r.Float64())
		slower.TByte *= units.SecPerByte(1 + r.Float64())
		if got := program(slower, seed); got < was*(1-1e-12) {
			t.Fatalf("program %d on %v takes %v, on %v only %v", seed, md, was, slower, got)
		}
		if md.Kind == machine.Transputer {
			continue
		}
		wider := md
		wider.Kind, wider.Channels = machine.Myrinet, md.Channels+1+r.IntN(3)
		if got := program(wider, seed); got > was*(1+1e-12) {
			t.Fatalf("program %d takes %v on %d channels, %v on %d", seed, was, md.Channels, got, wider.Channels)
		}
	}
}

// Two shadow exchanges of 2x2 processors, 8 messages of 81.4 us each, start 10
// us apart on one bus: the second waits for the first, and a reduction for
// both.
func TestAsynchronousExchangesShareAChannel(t *testing.T) {
	n := network(t, bus(), 2, 2)
	tr := shadow([]int{2, 2}, 8, false)
	near(t, "first", n.Exchange(0, comm.Set{}, tr).End, units.Micro(651.2))
	near(t, "second", n.Exchange(units.Micro(10), comm.Set{}, tr).End, units.Micro(1302.4))
	// 1302.4 + 6·76.6.
	near(t, "reduction", n.Reduce(units.Micro(20), comm.Set{}, &comm.Reduction{Bytes: 8, Senders: 4}).End, units.Micro(1762))
	// When all is over the bus is free at once.
	near(t, "later", n.Exchange(1, comm.Set{}, tr).End, units.Micro(651.2)+1)

	// On two channels the first lasts 4·81.4 = 325.6 on both. A message of
	// the second takes 75 + 0.2·1000 = 275 behind it.
	n = network(t, myrinet(2), 2, 2)
	near(t, "first of two channels", n.Exchange(0, comm.Set{}, tr).End, units.Micro(325.6))
	long := comm.Messages([]int{2, 2}, []comm.Message{{From: 0, To: 3, Bytes: 1000}})
	near(t, "second of two channels", n.Exchange(units.Micro(10), comm.Set{}, long).End, units.Micro(600.6))
	// The other channel is still free from 325.6 on: 325.6 + 81.4.
	short := comm.Messages([]int{2, 2}, []comm.Message{{From: 0, To: 3, Bytes: 32}})
	near(t, "third of two channels", n.Exchange(units.Micro(10), comm.Set{}, short).End, units.Micro(407))
}

// A transputer does not queue.
func TestTransputersDoNotQueue(t *testing.T) {
	n := network(t, transputer(), 2, 2)
	tr := shadow([]int{2, 2}, 8, false)
	near(t, "first", n.Exchange(0, comm.Set{}, tr).End, units.Micro(81.4))
	near(t, "second", n.Exchange(units.Micro(10), comm.Set{}, tr).End, units.Micro(91.4))
}

// Two tasks on disjoint halves of a bus. A message of 125 bytes takes 100 us.
func TestDisjointSystemsFillGaps(t *testing.T) {
	n := network(t, bus(), 4)
	left, right := comm.Set{ID: 1, Ranks: []int{0, 1}}, comm.Set{ID: 2, Ranks: []int{2, 3}}
	one := func(from, to int, b units.Bytes) comm.Traffic {
		return comm.Messages([]int{4}, []comm.Message{{From: from, To: to, Bytes: b}})
	}
	// The left task sends from 0 to 100, from 250 to 350 and from 450 to 550.
	for _, c := range [][2]float64{{0, 100}, {250, 350}, {450, 550}} {
		near(t, "left", n.Exchange(units.Micro(c[0]), left, one(0, 1, 125)).End, units.Micro(c[1]))
	}
	// The right one, simulated afterwards, finds 100 to 250 free, then no
	// room before 350 to 450, and goes behind: each after its last one.
	for _, c := range [][2]float64{{10, 200}, {20, 450}, {30, 650}} {
		near(t, "right", n.Exchange(units.Micro(c[0]), right, one(2, 3, 125)).End, units.Micro(c[1]))
	}
	// The left task does not go back into the gap from 200 to 250, nor does a
	// system with processors of both: 75 + 0.2·5 = 76.
	near(t, "left again", n.Exchange(0, left, one(0, 1, 5)).End, units.Micro(726))
	near(t, "middle", n.Exchange(0, comm.Set{ID: 3, Ranks: []int{1, 2}}, one(1, 2, 5)).End, units.Micro(802))
	// 5 equal messages before a busy time from 250 to 350: 2 fit in front of
	// it, and 3 go behind.
	n = network(t, bus(), 6)
	right = comm.Set{ID: 2, Ranks: []int{2, 3, 4, 5}}
	n.Exchange(units.Micro(250), left, one(0, 1, 125))
	var five []comm.Message
	for i := range 5 {
		five = append(five, comm.Message{From: 2 + i%4, To: 2 + (i+1+i/4)%4, Bytes: 125})
	}
	near(t, "around the busy time", n.Exchange(0, right, comm.Messages([]int{6}, five)).End, units.Micro(650))
}

// A gap that only rounding makes too short is long enough.
func TestGapsHaveSlack(t *testing.T) {
	n := network(t, bus(), 4)
	left, right := comm.Set{ID: 1, Ranks: []int{0, 1}}, comm.Set{ID: 2, Ranks: []int{2, 3}}
	m := comm.Messages([]int{4}, []comm.Message{{From: 0, To: 1, Bytes: 125}})
	n.Exchange(units.Micro(100*(1-5e-10)), left, m)
	if got := n.Exchange(0, right, m).End; !close12(got, units.Micro(100)) {
		t.Errorf("ends at %v, expected in the gap", got)
	}
	n.Exchange(units.Micro(300*(1-5e-9)), left, m)
	if got := n.Exchange(units.Micro(200), right, m).End; got < units.Micro(499) {
		t.Errorf("ends at %v, expected behind the gap that is too short", got)
	}
}

// A step prints all that is needed to check its duration by hand.
func TestSteps(t *testing.T) {
	show := func(n *comm.Network, f func() comm.Placement) string {
		n.Explain(true)
		var lines []string
		p := f()
		for i := range p.Steps {
			lines = append(lines, p.Steps[i].String())
		}
		return strings.Join(lines, "\n")
	}
	flat := network(t, bus(), 2, 2)
	rows := network(t, transputer(), 2, 2)
	nodes := comm.NewNetwork(tree(t, level{2, myrinet(3)}, level{2, bus()}), []int{4}, comm.Options{})
	rounds := comm.NewNetwork(tree(t, level{4, bus()}), []int{4}, comm.Options{Collectives: options.Tree})
	one := comm.Reduction{Bytes: 8, Senders: 4, Hops: 4}
	for _, c := range []struct{ got, want string }{
		{show(flat, func() comm.Placement { return flat.Exchange(0, comm.Set{}, shadow([]int{2, 2}, 8, true)) }),
			`exchange on ethernet of "a": 8 x (75 + 0.2 x 32); 4 x (75 + 0.2 x 8), from 0 to 957.6 us: 957.6 us`},
		{show(rows, func() comm.Placement { return rows.Exchange(0, comm.Set{}, shadow([]int{2, 2}, 8, true)) }),
			`exchange on transputer of "a": distance 1: 75 + 0.2 x 32; distance 2 in 1 portions: (2-1+1) x (75 + 0.2 x 8), from 0 to 153.2 us: 153.2 us`},
		{show(rows, func() comm.Placement { return rows.Reduce(0, comm.Set{}, &one) }),
			`reduction on transputer of "a": 4 x (75 + 0.2 x 8), from 0 to 306.4 us: 306.4 us`},
		{show(nodes, func() comm.Placement { return nodes.Reduce(0, comm.Set{}, &one) }),
			`gather on myrinet(3) of "a": 2 x (75 + 0.2 x 8), from 0 to 76.6 us: 76.6 us
gather on ethernet of "b" from processor 0: 1 x (75 + 0.2 x 8), from 0 to 76.6 us: 76.6 us
broadcast on myrinet(3) of "a": 2 x (75 + 0.2 x 8), from 76.6 to 153.2 us: 76.6 us
broadcast on ethernet of "b" from processor 0: 1 x (75 + 0.2 x 8), from 76.6 to 153.2 us: 76.6 us`},
		{show(rounds, func() comm.Placement { return rounds.Broadcast(0, comm.Set{}, 0, 8) }),
			`broadcast on ethernet of "a": 2 x (75 + 0.2 x 8), from 0 to 153.2 us: 153.2 us`},
	} {
		if c.got != c.want {
			t.Errorf("found\n%s\nexpected\n%s", c.got, c.want)
		}
	}
	if p := network(t, bus(), 2, 2).Exchange(0, comm.Set{}, shadow([]int{2, 2}, 8, false)); p.Steps != nil {
		t.Error("steps that nobody asked for")
	}
}
