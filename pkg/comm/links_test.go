package comm_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/options"
	"dvmtools/pkg/units"
)

// linked returns a machine of n processors of power 1 with some links.
func linked(t testing.TB, n int64, net machine.Network) *machine.Machine {
	t.Helper()
	m := &machine.Machine{Name: "linked", Root: machine.NewCluster("linked", machine.Medium{}, machine.Group{Count: n, Node: machine.NewProcessor("p", 1)}), Network: &net}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	return m
}

// Links with a latency of 5 us and 0.5 us per byte.
func ring4() machine.Network {
	n := machine.Network{ID: 1}
	for i, ends := range [][]int32{{0, 1}, {1, 2}, {2, 3}, {3, 0}} {
		n.Links = append(n.Links, machine.Link{ID: int64(i + 1), Latency: 5e-6, Speed: 0.5e-6, Ends: ends})
	}
	return n
}

func bus4() machine.Network {
	return machine.Network{ID: 1, Links: []machine.Link{{ID: 1, Latency: 5e-6, Speed: 0.5e-6, Ends: []int32{0, 1, 2, 3}}}}
}

// mpi adds 2 us to send and 3 us to receive.
func mpi(n machine.Network) machine.Network {
	n.Model = "mpi"
	n.Overheads = []machine.Overhead{{Function: "send", Cost: 2e-6}, {Function: "receive", Cost: 3e-6}}
	return n
}

// express has functions for whole operations besides.
func express(n machine.Network) machine.Network {
	n = mpi(n)
	n.Model = "express"
	n.Overheads = append(n.Overheads, machine.Overhead{Function: "exchange", Cost: 4e-6}, machine.Overhead{Function: "combine", Cost: 7e-6}, machine.Overhead{Function: "broadcast", Cost: 6e-6})
	return n
}

// pvm packs a double in 0.25 us and unpacks it in 0.5 us, a byte in 0.5 and 1
// us.
func pvm(n machine.Network) machine.Network {
	n = mpi(n)
	n.Model = "pvm"
	n.Overheads = append(n.Overheads, machine.Overhead{Function: "packdouble", Cost: 0.25e-6}, machine.Overhead{Function: "unpackdouble", Cost: 0.5e-6},
		machine.Overhead{Function: "packbyte", Cost: 0.5e-6}, machine.Overhead{Function: "unpackbyte", Cost: 1e-6}, machine.Overhead{Function: "multicast", Cost: 9e-6})
	return n
}

// Four processors in a row exchange shadow edges of 96 bytes, 12 doubles, with
// their neighbours: six messages of 5 + 48 = 53 us. A message of 8 bytes takes
// 9 us.
//
// In the ring each of the links 1, 2 and 3 carries two edges, one after the
// other: 106 us. From 2 to 0 the routes over links 2 and 1 and over links 3 and 4
// take the same time: the one with the smaller id first, from the sender on, is
// chosen.
//
//	gather:     link 1 has 1 to 0 until 9, then 2 to 0, which was on link 2
//	            until 9, until 18
//	broadcast:  link 1 has 0 to 1 until 9, then 0 to 2 until 18, which is on
//	            link 2 until 27
//
// The bus carries one message after another: 6 x 53 = 318 us, 3 x 9 = 27 us
// to gather and 27 us to broadcast.
//
// With mpi every message comes to its first link 2 us later, and its receiver
// is done 3 us after the last: 5 us for an exchange and a broadcast, twice
// that for a reduction. With express an exchange costs 4 us, a reduction 7 us
// and a broadcast 6 us instead. With pvm edges are packed in 12 x 0.25 us and
// unpacked in 12 x 0.5 us: 3 + 6 us more than with mpi. 8 bytes of results are
// packed in 4 us and unpacked in 8 us, 12 us: the gather has 5 + 12 us, the
// broadcast 9 + 12 us.
func TestLinksByHand(t *testing.T) {
	edges := comm.Messages([]int{4}, []comm.Message{{From: 0, To: 1, Bytes: 96}, {From: 1, To: 0, Bytes: 96}, {From: 1, To: 2, Bytes: 96}, {From: 2, To: 1, Bytes: 96}, {From: 2, To: 3, Bytes: 96}, {From: 3, To: 2, Bytes: 96}})
	tests := []struct {
		name                         string
		net                          machine.Network
		exchange, reduction, informs float64 // us
	}{
		{"ring", ring4(), 106, 18 + 27, 27},
		{"bus", bus4(), 318, 54, 27},
		{"ring, mpi", mpi(ring4()), 106 + 5, 45 + 10, 27 + 5},
		{"bus, mpi", mpi(bus4()), 318 + 5, 54 + 10, 27 + 5},
		{"ring, express", express(ring4()), 106 + 4, 45 + 7, 27 + 6},
		{"ring, pvm", pvm(ring4()), 106 + 5 + 9, 45 + 17 + 21, 27 + 21},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := comm.NewNetwork(linked(t, 4, tt.net), []int{4}, comm.Options{})
			all := comm.Set{ID: 1}
			check := func(what string, p comm.Placement, want float64) {
				t.Helper()
				if got := float64(p.Length()) * 1e6; math.Abs(got-want) > 1e-9 {
					t.Errorf("%s takes %v us, want %v", what, got, want)
				}
			}
			x := n.Exchange(0, all, comm.For(edges, comm.Use{Edges: true, Element: 8}))
			check("an exchange", x, tt.exchange)
			r := n.Reduce(x.End, all, &comm.Reduction{Bytes: 8, Senders: 4})
			check("a reduction", r, tt.reduction)
			b := n.Broadcast(r.End, all, 0, 8)
			check("a broadcast", b, tt.informs)
			// An exchange that begins while another one is under way finds the
			// links busy, link by link.
			x = n.Exchange(b.End, all, edges)
			y := n.Exchange(b.End+10e-6, all, edges)
			if y.End <= x.End {
				t.Errorf("an exchange that began later ends at %v, the one before at %v", y.End, x.End)
			}
			if err := n.Err(); err != nil {
				t.Error(err)
			}
		})
	}
}

// An exchange of 106 us begins at 0, another at 10 us: on every link it comes
// behind the first, until 212 us.
func TestLinksQueue(t *testing.T) {
	n := comm.NewNetwork(linked(t, 4, ring4()), []int{4}, comm.Options{})
	both := comm.Messages([]int{4}, []comm.Message{{From: 0, To: 1, Bytes: 96}, {From: 1, To: 0, Bytes: 96}})
	other := comm.Messages([]int{4}, []comm.Message{{From: 2, To: 3, Bytes: 96}})
	all := comm.Set{ID: 1}
	n.Exchange(0, all, both)
	if end := n.Exchange(10e-6, all, both).End; math.Abs(float64(end)-212e-6) > 1e-15 {
		t.Errorf("the second exchange ends at %v, want 212 us", end)
	}
	// Link 3 is free.
	if end := n.Exchange(10e-6, all, other).End; math.Abs(float64(end)-63e-6) > 1e-15 {
		t.Errorf("an exchange on a free link ends at %v, want 63 us", end)
	}
}

// A bus between all processors costs what the ethernet of a machine of media
// does, whatever is asked, but for the last bits.
func TestBusIsEthernet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	one := machine.Group{Count: 4, Node: machine.NewProcessor("p", 1)}
	ether, err := machine.New(machine.NewCluster("c", machine.Medium{Kind: machine.Ethernet, Channels: 1, TStart: 5e-6, TByte: 0.5e-6}, one))
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		opts := comm.Options{}
		if rng.IntN(2) == 0 {
			opts.Collectives = options.Tree
		}
		a, b := comm.NewNetwork(ether, []int{2, 2}, opts), comm.NewNetwork(linked(t, 4, bus4()), []int{2, 2}, opts)
		sets := []comm.Set{{ID: 1}, {ID: 2, Ranks: []int{0, 1}}, {ID: 3, Ranks: []int{2, 3}}}
		at := units.Seconds(0)
		for range 8 {
			s := sets[rng.IntN(3)]
			at += units.Seconds(rng.Float64() * 1e-4)
			bytes := units.Bytes(1 + rng.IntN(100))
			var x, y comm.Placement
			switch rng.IntN(3) {
			case 0:
				var ms []comm.Message
				ranks := s.Ranks
				if ranks == nil {
					ranks = []int{0, 1, 2, 3}
				}
				for _, p := range ranks {
					for _, q := range ranks {
						ms = append(ms, comm.Message{From: p, To: q, Bytes: units.Bytes(rng.IntN(3)) * bytes})
					}
				}
				m := comm.Messages([]int{2, 2}, ms)
				x, y = a.Exchange(at, s, m), b.Exchange(at, s, m)
			case 1:
				root := 0
				if s.Ranks != nil {
					root = s.Ranks[0]
				}
				r := comm.Reduction{Bytes: bytes, Root: root, Senders: 2, Each: func(yield func(int) bool) { _ = yield(root) && yield(root+1) }}
				x, y = a.Reduce(at, s, &r), b.Reduce(at, s, &r)
			default:
				x, y = a.Broadcast(at, s, 2, bytes), b.Broadcast(at, s, 2, bytes)
			}
			if math.Abs(float64(x.End-y.End)) > 1e-12*float64(x.End) {
				t.Fatalf("a bus as a link ends at %v, as an ethernet at %v", y.End, x.End)
			}
		}
	}
}

// On a tree of lines every pair has one route, and a faster link makes nothing
// later.
func TestFasterLinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := 2 + rng.IntN(7)
		net := machine.Network{ID: 1}
		for p := 1; p < n; p++ {
			net.Links = append(net.Links, machine.Link{ID: int64(p), Latency: units.Seconds(rng.IntN(10)), Speed: units.SecPerByte(rng.IntN(3)), Ends: []int32{int32(rng.IntN(p)), int32(p)}})
		}
		slow := linked(t, int64(n), net)
		links := append([]machine.Link{}, net.Links...)
		i := rng.IntN(len(links))
		links[i].Latency /= 2
		links[i].Speed = units.SecPerByte(rng.Float64()) * links[i].Speed
		net.Links = links
		fast := linked(t, int64(n), net)
		a, b := comm.NewNetwork(slow, []int{n}, comm.Options{}), comm.NewNetwork(fast, []int{n}, comm.Options{})
		at := [2]units.Seconds{}
		for range 5 {
			var ms []comm.Message
			for range 10 {
				ms = append(ms, comm.Message{From: rng.IntN(n), To: rng.IntN(n), Bytes: units.Bytes(1 + rng.IntN(4))})
			}
			m := comm.Messages([]int{n}, ms)
			x, y := a.Exchange(at[0], comm.Set{}, m), b.Exchange(at[1], comm.Set{}, m)
			if y.End > x.End {
				t.Fatalf("a faster link %d makes an exchange end at %v instead of %v", i+1, y.End, x.End)
			}
			// The next one meets this one half way.
			at[0], at[1] = (at[0]+x.End)/2, (at[1]+y.End)/2
		}
	}
}

func TestPathless(t *testing.T) {
	net := ring4()
	net.Links = net.Links[:2] // 3 is alone
	n := comm.NewNetwork(linked(t, 4, net), []int{4}, comm.Options{})
	n.Exchange(0, comm.Set{}, comm.Messages([]int{4}, []comm.Message{{From: 0, To: 2, Bytes: 1}}))
	if err := n.Err(); err != nil {
		t.Fatal(err)
	}
	n.Broadcast(0, comm.Set{}, 1, 1)
	var e *comm.Pathless
	if err := n.Err(); !errors.As(err, &e) || e.From != 1 || e.To != 3 {
		t.Errorf("%v, want one of processors 1 and 3", err)
	}
	n = comm.NewNetwork(linked(t, 4, net), []int{4}, comm.Options{})
	n.Link(3, 0, 1, 1)
	if err := n.Err(); !errors.As(err, &e) || e.From != 3 || e.To != 0 {
		t.Errorf("%v, want one of processors 3 and 0", err)
	}
}

// The explanation names routes, links and overheads.
func TestExplainLinks(t *testing.T) {
	n := comm.NewNetwork(linked(t, 4, mpi(ring4())), []int{4}, comm.Options{})
	n.Explain(true)
	p := n.Exchange(0, comm.Set{}, comm.Messages([]int{4}, []comm.Message{{From: 2, To: 0, Bytes: 8}}))
	const want = "2 to 0, overhead 2, link 2 (5 + 0.5 x 8), link 1 (5 + 0.5 x 8), overhead 3"
	if s := p.Steps[0].String(); !strings.Contains(s, want) {
		t.Errorf("%s\ndoes not say %q", s, want)
	}
}

// The link of a pipeline is explained as its links and overheads: those of a
// message, and with pvm those of packing and unpacking its 8-byte elements, 0.75 us
// each. A medium has neither.
func TestExplainLink(t *testing.T) {
	for _, tt := range []struct {
		net  machine.Network
		want string
	}{
		{ring4(), "link 2 (5 + 0.5 x 8), link 1 (5 + 0.5 x 8)"},
		{mpi(ring4()), "link 2 (5 + 0.5 x 8), link 1 (5 + 0.5 x 8), overheads 5"},
		{pvm(ring4()), "link 2 (5 + 0.5 x 8), link 1 (5 + 0.5 x 8), overheads (5 + 0.09375 x 8)"},
		{bus4(), "link 1 (5 + 0.5 x 8)"},
	} {
		n := comm.NewNetwork(linked(t, 4, tt.net), []int{4}, comm.Options{})
		l := n.Link(2, 0, 8, 8)
		if got := l.Route(8); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	l := network(t, bus(), 4).Link(2, 0, 8, 8)
	if got := l.Route(8); got != "" {
		t.Errorf("a medium has the route %s", got)
	}
}

// Of many messages 32 are listed, with the number of the others.
func TestExplainManyMessages(t *testing.T) {
	for size, want := range map[int]string{7: "; and 10 messages more, from", 6: ""} {
		var ms []comm.Message
		for p := range size {
			for q := range size {
				ms = append(ms, comm.Message{From: p, To: q, Bytes: 8})
			}
		}
		ends := make([]int32, size)
		for p := range ends {
			ends[p] = int32(p)
		}
		n := comm.NewNetwork(linked(t, int64(size), machine.Network{ID: 1, Links: []machine.Link{{ID: 1, Latency: 1, Ends: ends}}}), []int{size}, comm.Options{})
		n.Explain(true)
		p := n.Exchange(0, comm.Set{}, comm.Messages([]int{size}, ms))
		s := p.Steps[0].String()
		if k := strings.Count(s, " to ") - 1; k != min(32, size*(size-1)) || !strings.Contains(s, want) || (want == "") == strings.Contains(s, "more") {
			t.Errorf("%d processors: %d messages: %s", size, k, s)
		}
	}
}

// Which message a link carries first does not depend on when they come. Links take
// 1 s for a byte.
//
// Longer first: 1 to 3 and 2 to 3 meet on link 3 from the hub 0. The one of 10 bytes
// comes at 10, that of 4 at 4; the first leaves at 20, the second at 24.
//
// By sender: both have 4 bytes; that of 1 comes at 54, as link 1 has a latency of 50,
// and leaves at 58, that of 2 at 62.
//
// Earlier steps first: link 1 from 0 to 1 is the second step of the byte from 2,
// which comes at 101, as link 2 has a latency of 100, and the third step of the 10
// bytes from 4, which come at 20. The byte leaves at 102, the others at 112.
func TestOrderOnALink(t *testing.T) {
	line := func(latency units.Seconds, p, q int32) machine.Link {
		return machine.Link{Latency: latency, Speed: 1, Ends: []int32{p, q}}
	}
	for _, tt := range []struct {
		name  string
		links []machine.Link
		ms    []comm.Message
		want  units.Seconds
	}{
		{"longer first", []machine.Link{line(0, 0, 1), line(0, 0, 2), line(0, 0, 3)},
			[]comm.Message{{From: 1, To: 3, Bytes: 10}, {From: 2, To: 3, Bytes: 4}}, 24},
		{"by sender", []machine.Link{line(50, 0, 1), line(0, 0, 2), line(0, 0, 3)},
			[]comm.Message{{From: 1, To: 3, Bytes: 4}, {From: 2, To: 3, Bytes: 4}}, 62},
		{"earlier steps first", []machine.Link{line(0, 0, 1), line(100, 0, 2), line(0, 0, 3), line(0, 3, 4)},
			[]comm.Message{{From: 2, To: 1, Bytes: 1}, {From: 4, To: 1, Bytes: 10}}, 112},
	} {
		for i := range tt.links {
			tt.links[i].ID = int64(i + 1)
		}
		n := comm.NewNetwork(linked(t, 5, machine.Network{ID: 1, Links: append(tt.links, machine.Link{ID: int64(len(tt.links) + 1), Latency: 1e6, Speed: 1, Ends: []int32{0, 1, 2, 3, 4}})}), []int{5}, comm.Options{})
		if p := n.Exchange(0, comm.Set{}, comm.Messages([]int{5}, tt.ms)); p.End != tt.want {
			t.Errorf("%s: the exchange ends at %v, want %v", tt.name, p.End, tt.want)
		}
	}
}

// A route may lead over processors of the machine that the grid does not take: from
// 0 to 1 over 2, twice 5 + 8 x 0.5 us.
func TestRouteBeyondTheGrid(t *testing.T) {
	net := ring4()
	net.Links = []machine.Link{
		{ID: 1, Latency: 5e-6, Speed: 0.5e-6, Ends: []int32{0, 2}},
		{ID: 2, Latency: 5e-6, Speed: 0.5e-6, Ends: []int32{1, 2}},
	}
	n := comm.NewNetwork(linked(t, 3, net), []int{2}, comm.Options{})
	p := n.Exchange(0, comm.Set{}, comm.Messages([]int{2}, []comm.Message{{From: 0, To: 1, Bytes: 8}}))
	if err := n.Err(); err != nil || math.Abs(float64(p.End)-18e-6) > 1e-15 {
		t.Errorf("it takes %v, %v; want 18 us", p.End, err)
	}
}
