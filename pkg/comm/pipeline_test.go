package comm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// on returns an instance of a medium for hops.
func on(md machine.Medium) comm.Link {
	m, err := machine.New(machine.NewCluster("m", md, machine.Group{Count: 2, Node: machine.NewProcessor("p", 1)}))
	if err != nil {
		panic(err)
	}
	return comm.NewNetwork(m, []int{2}, comm.Options{}).Link(0, 1, 8, 8)
}

// schedule is the explicit schedule of section 9 of the model, quantum by
// quantum.
func schedule(stages []comm.Stage, q int) []comm.StageTime {
	type link struct{ arrival, message, transfer units.Seconds }
	times := make([]comm.StageTime, len(stages))
	links := make([][]link, len(stages))
	for i, s := range stages {
		times[i].End = s.Clock
		for _, h := range s.Hops {
			tb := units.Seconds(float64(h.On.TByte) * float64(h.Bytes) / float64(q))
			links[i] = append(links[i], link{message: h.On.TStart + tb, transfer: tb})
		}
	}
	for k := 1; k <= q; k++ {
		for i, s := range stages {
			e := &times[i]
			var own, transfer units.Seconds
			for j, h := range s.Hops {
				l := &links[i][j]
				l.arrival = max(times[h.From].End, l.arrival) + l.message
				own = max(own, h.On.TStart)
				transfer = max(transfer, l.transfer)
			}
			free := e.End
			if k > 1 {
				free += own
				e.Start += own
			}
			begin := free
			for _, l := range links[i] {
				begin = max(begin, l.arrival)
			}
			gap := begin - free
			if len(s.Hops) > 0 {
				shown := min(gap, transfer)
				e.Transfer += shown
				e.Hidden += transfer - shown
				gap -= shown
				if k == 1 {
					start := min(gap, own)
					e.Start += start
					gap -= start
				}
				e.Wait += gap
			}
			if s.Quanta != nil {
				e.End = begin + s.Quanta[k-1]
			} else {
				e.End = begin + s.Work/units.Seconds(q)
			}
		}
	}
	return times
}

// chain returns equal stages one behind another.
func chain(n int, md machine.Medium, work units.Seconds, bytes units.Bytes) []comm.Stage {
	at := on(md)
	stages := make([]comm.Stage, n)
	for i := range stages {
		stages[i].Work = work
		if i > 0 {
			stages[i].Hops = []comm.Hop{{From: i - 1, On: at, Bytes: bytes}}
		}
	}
	return stages
}

// 4 stages, A = 1600 us, an edge of 64 doubles: B = 0.2·512 = 102.4 us,
// loaded. K2 = 3·1702.4 = 5107.2, C = 1600 + 2·75 = 1750, sqrt(5107.2/75) =
// 8.25: T(8) = 600 + 638.4 + 1750 = 2988.4, T(9) = 675 + 567.47 + 1750.
func TestPipelineFigure(t *testing.T) {
	a := comm.Across{Work: units.Micro(1600), Transfer: units.Micro(102.4), TStart: ts, Hops: 3}
	near(t, "T(8)", a.Time(8), units.Micro(2988.4))
	if got := math.Round(float64(a.Time(9)) * 1e7); got != 29925 {
		t.Errorf("T(9) = %v us, expected 2992.5 us", got/10)
	}
	if q := a.Quanta(64, 0); q != 8 {
		t.Errorf("%d quanta, expected 8", q)
	}
	wide := myrinet(16)
	for _, c := range []struct {
		name string
		q    int64
		us   float64
	}{
		// One after another: 4·1600 + 3·(75 + 102.4).
		{"Q = 1", 1, 6932.2},
		// Tp = 800, Tb = 51.2: 800 + 3·926.2 + 875.
		{"Q = 2", 2, 4453.6},
		{"Q = 8", 8, 2988.4},
		// Tp = 25, Tb = 1.6: 25 + 3·101.6 + 63·100.
		{"Q = N = 64", 64, 6629.8},
	} {
		near(t, c.name, a.Time(c.q), units.Micro(c.us))
		near(t, c.name+" closed", equalStages(0, a.Work, a.Transfer, ts, 3, c.q).End, units.Micro(c.us))
		near(t, c.name+" stages", comm.Pipe(chain(4, wide, a.Work, 512), c.q)[3].End, units.Micro(c.us))
		near(t, c.name+" schedule", schedule(chain(4, wide, a.Work, 512), int(c.q))[3].End, units.Micro(c.us))
	}
}

// Q by the formulas, its limits and what the program prescribes.
func TestQuanta(t *testing.T) {
	us := units.Micro
	for _, c := range []struct {
		name       string
		a          comm.Across
		n          int64
		prescribed float64
		want       int64
	}{
		{"few iterations", comm.Across{Work: us(1600), Transfer: us(102.4), TStart: ts, Hops: 3}, 5, 0, 5},
		{"no iterations", comm.Across{Work: us(1600), TStart: ts, Hops: 3}, 0, 0, 1},
		{"prescribed", comm.Across{Work: us(1600), Transfer: us(102.4), TStart: ts, Hops: 3}, 64, 3.9, 3},
		{"prescribed above the iterations", comm.Across{Work: us(1600), TStart: ts, Hops: 3}, 64, 1e300, 64},
		{"less than one is not prescribed", comm.Across{Work: us(1600), Transfer: us(102.4), TStart: ts, Hops: 3}, 64, 0.5, 8},
		{"no TStart", comm.Across{Work: us(1600), Transfer: us(102.4), Hops: 3}, 64, 0, 64},
		{"little work", comm.Across{Work: us(1), Transfer: us(1), TStart: ts, Hops: 3}, 64, 0, 1},
		// Underloaded: K2 = 4·100 + 2·400 = 1200, C = 400 + 150; sqrt(16) = 4.
		{"underloaded", comm.Across{Work: us(100), Transfer: us(400), TStart: ts, Hops: 3}, 64, 0, 4},
		// K2 = 1·150 = 150 = 2·75: T(1) = 75 + 150, T(2) = 150 + 75.
		{"a tie", comm.Across{Work: us(150), TStart: ts, Hops: 1}, 64, 0, 1},
	} {
		if got := c.a.Quanta(c.n, c.prescribed); got != c.want {
			t.Errorf("%s: %d, expected %d", c.name, got, c.want)
		}
	}
}

// T(Q) is the schedule's in both regimes, and Q the best of all.
func TestQuantaAreTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 13))
	regimes := [2]int{}
	for range 500 {
		work := units.Micro(r.Float64() * 2000)
		bytes := units.Bytes(r.IntN(10000))
		md := myrinet(1 << 20)
		md.TStart = units.Micro(1 + r.Float64()*99)
		n := 2 + r.IntN(6)
		a := comm.Across{Work: work, Transfer: units.Seconds(float64(tb) * float64(bytes)), TStart: md.TStart, Hops: int64(n - 1)}
		if a.Transfer <= a.Work {
			regimes[0]++
		} else {
			regimes[1]++
		}
		most := int64(1 + r.IntN(60))
		best := units.Seconds(math.Inf(1))
		for q := int64(1); q <= most; q++ {
			want := schedule(chain(n, md, work, bytes), int(q))
			near(t, "T(Q)", a.Time(q), want[n-1].End)
			for d := range int64(n) {
				same(t, "equal stages", equalStages(0, work, a.Transfer, md.TStart, d, q), want[d], want[n-1].End)
			}
			best = min(best, a.Time(q))
		}
		if got := a.Time(a.Quanta(most, 0)); got > best*(1+1e-12) {
			t.Fatalf("Q = %d takes %v, the best is %v", a.Quanta(most, 0), got, best)
		}
	}
	if regimes[0] < 100 || regimes[1] < 100 {
		t.Errorf("%d loaded and %d underloaded pipelines", regimes[0], regimes[1])
	}
}

// same compares the times of a stage; scale is the duration of the pipeline.
func same(t *testing.T, what string, got, want comm.StageTime, scale units.Seconds) {
	t.Helper()
	near := func(a, b units.Seconds) bool {
		return math.Abs(float64(a-b)) <= 1e-11*float64(scale)
	}
	if !near(got.End, want.End) || !near(got.Start, want.Start) || !near(got.Transfer, want.Transfer) ||
		!near(got.Hidden, want.Hidden) || !near(got.Wait, want.Wait) {
		t.Fatalf("%s: %+v, expected %+v", what, got, want)
	}
}

// Random pipelines: unequal stages, clocks, media, several predecessors,
// several pipelines side by side.
func TestPipeAgainstTheSchedule(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 15))
	paces := 0
	for range 3000 {
		media := []comm.Link{}
		for range 1 + r.IntN(3) {
			md := myrinet(machine.MaxChannels)
			md.TStart, md.TByte = units.Micro(pick(r, 0, 5, 75, 200)), units.MicroPerByte(pick(r, 0, 0.2, 3))
			media = append(media, on(md))
		}
		stages := make([]comm.Stage, 1+r.IntN(12))
		for i := range stages {
			s := &stages[i]
			s.Work = units.Micro(pick(r, 0, 100, 1000, 1000, 1010, r.Float64()*2000))
			if r.IntN(3) == 0 {
				s.Clock = units.Micro(r.Float64() * 3000)
			}
			for from := max(0, i-3); from < i; from++ {
				if r.IntN(2) == 0 {
					s.Hops = append(s.Hops, comm.Hop{From: from, On: media[r.IntN(len(media))], Bytes: units.Bytes(r.IntN(3000))})
				}
			}
		}
		q := 1 + r.IntN(40)
		if r.IntN(4) == 0 {
			for i := range stages {
				ownQuanta(r, &stages[i], q)
			}
		}
		want := schedule(stages, q)
		got := comm.Pipe(stages, int64(q))
		for i := range stages {
			same(t, "stage", got[i], want[i], want[i].End+units.Micro(1))
			s := stages[i]
			if sum := s.Clock + s.Work + got[i].Start + got[i].Transfer + got[i].Wait; !close12(sum+1, got[i].End+1) {
				t.Fatalf("the parts of %+v sum to %v", got[i], sum)
			}
			if want[i].Wait > 0 && want[i].Hidden > 0 {
				paces++
			}
		}
	}
	if paces < 1000 {
		t.Errorf("only %d stages of mixed kind", paces)
	}
}

// ownQuanta gives most stages quanta of their own, some of them 0.
func ownQuanta(r *rand.Rand, s *comm.Stage, q int) {
	if r.IntN(4) == 0 {
		return
	}
	s.Work = 0
	for range q {
		w := units.Micro(pick(r, 0, 20, 20, 25, r.Float64()*500))
		s.Quanta = append(s.Quanta, w)
		s.Work += w
	}
}

// Two stages of 3 quanta, messages of 75 us, an edge of 3 doubles of which each
// quantum has 8 bytes: 1.6 us.
//
//	stage 0   ends 100, 400, 500 (quanta of 100, 300, 100)
//	stage 1   begins at 176.6, when the first message arrives: 75 its own,
//	          1.6 transfer, 100 waiting; ends 676.6 (500). Then 75: 751.6 is
//	          behind 476.6, the transfer is hidden; ends 851.6 (100). Then 75
//	          again and 200: 1126.6.
func TestPipeOfOwnQuanta(t *testing.T) {
	us := units.Micro
	stages := chain(2, myrinet(16), us(500), 24)
	stages[1].Work = us(800)
	stages[0].Quanta = []units.Seconds{us(100), us(300), us(100)}
	stages[1].Quanta = []units.Seconds{us(500), us(100), us(200)}
	got := comm.Pipe(stages, 3)
	same(t, "first", got[0], comm.StageTime{End: us(500)}, us(1000))
	same(t, "second", got[1], comm.StageTime{End: us(1126.6), Start: us(225), Transfer: us(1.6), Hidden: us(3.2), Wait: us(100)}, us(1000))
	// Two such pipelines side by side on one bus: 6 messages of 24 kB, 1675 us
	// each, after the shortest quantum of a sender and before that of a receiver.
	at := on(bus())
	both := slices.Concat(stages, stages)
	both[1].Hops = []comm.Hop{{From: 0, On: at, Bytes: 24000}}
	both[3].Hops = []comm.Hop{{From: 2, On: at, Bytes: 24000}}
	near(t, "side by side", comm.Pipe(both, 3)[3].End, us(100+6*1675+100))
}

// On one channel 3·8 messages of 75 + 12.8 us follow each other, after the
// first quantum and before the last, 200 us each: 2·200 + 24·87.8 = 2507.2 is
// less than 2988.4, but with an edge of 4 times as many elements it is 400 +
// 24·126.2 = 3428.8 where the pipeline alone takes 200 + 3·326.2 + 7·275 =
// 3103.6: every stage waits 325.2 longer.
func TestChannelsBoundAPipeline(t *testing.T) {
	work := units.Micro(1600)
	near(t, "not bound", comm.Pipe(chain(4, bus(), work, 512), 8)[3].End, units.Micro(2988.4))
	free, bound := comm.Pipe(chain(4, myrinet(24), work, 2048), 8), comm.Pipe(chain(4, bus(), work, 2048), 8)
	near(t, "free", free[3].End, units.Micro(3103.6))
	near(t, "bound", bound[3].End, units.Micro(3428.8))
	for i := range bound {
		near(t, "end", bound[i].End, free[i].End+units.Micro(325.2))
		near(t, "wait", bound[i].Wait, free[i].Wait+units.Micro(325.2))
	}
	// Two channels carry 12 messages each: 400 + 12·126.2 is less again.
	near(t, "two channels", comm.Pipe(chain(4, myrinet(2), work, 2048), 8)[3].End, units.Micro(3103.6))
	near(t, "transputer", comm.Pipe(chain(4, transputer(), work, 2048), 8)[3].End, units.Micro(3103.6))
	// Two pipelines side by side share the bus: 2·3·8 = 48 messages.
	both := append(chain(4, bus(), work, 2048), chain(4, bus(), work, 2048)...)
	for i := range both {
		for j := range both[i].Hops {
			both[i].Hops[j].On = both[1].Hops[0].On
			if i > 4 {
				both[i].Hops[j].From = i - 1
			}
		}
	}
	// 400 + 48·126.2.
	near(t, "side by side", comm.Pipe(both, 8)[7].End, units.Micro(6457.6))
}

// More quanta than a test could run one by one: their number is chosen like that
// when TStart is 0.
func TestPipeOfCountlessQuanta(t *testing.T) {
	md := myrinet(1000)
	md.TStart = 0
	stages := chain(50, md, units.Micro(1000), 512)
	stages[20].Work *= 2
	got := comm.Pipe(stages, 1<<60)
	// The pipeline fills at once; the slowest stage goes on for 2000 us.
	if !close12(got[49].End, units.Micro(2000)) || !close12(got[19].End, units.Micro(1000)) {
		t.Errorf("ends at %v and %v", got[19].End, got[49].End)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		q       int64
		extents []int64
		want    []int64
	}{
		{8, []int64{64}, []int64{8}},
		// min(8, 3) = 3, then ceil(8/3) = 3.
		{8, []int64{3, 10}, []int64{3, 3}},
		{8, []int64{10, 10}, []int64{8, 1}},
		{100, []int64{3, 10, 50}, []int64{3, 10, 4}},
		{1, nil, []int64{}},
	} {
		if got := comm.Shape(c.q, c.extents); !slices.Equal(got, c.want) {
			t.Errorf("Shape(%d, %v) = %v, expected %v", c.q, c.extents, got, c.want)
		}
	}
	for _, extents := range [][]int64{{5}, {1000}, {1001}, {math.MaxInt64}, {3, 7}, {100, 100}, {1, 1, 1}, {50, 50, 50}, {2, 2, 2, 2, 2, 2, 2}, {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}} {
		shapes := comm.Shapes(extents)
		if len(shapes) < 1 || len(shapes) > 1000 {
			t.Errorf("%v: %d shapes", extents, len(shapes))
		}
		if comm.Pieces(shapes[len(shapes)-1]) != comm.Pieces(extents) {
			t.Errorf("%v: the finest shape is %v", extents, shapes[len(shapes)-1])
		}
		seen := map[string]bool{}
		for i, s := range shapes {
			for k, v := range s {
				if v < 1 || v > extents[k] {
					t.Errorf("%v: a shape of %v", extents, s)
				}
			}
			if i > 0 && comm.Pieces(s) < comm.Pieces(shapes[i-1]) {
				t.Errorf("%v: %v behind %v", extents, s, shapes[i-1])
			}
			seen[fmt.Sprint(s)] = true
		}
		if len(seen) != len(shapes) {
			t.Errorf("%v: %d shapes, %d different ones", extents, len(shapes), len(seen))
		}
		if all := comm.Pieces(extents); len(extents) == 1 && all <= 1000 && int64(len(seen)) != all {
			t.Errorf("%v: %d shapes, expected all", extents, len(seen))
		}
	}
}

// pairs returns pipelines of two stages side by side on one medium: works of
// sender and receiver in us, and bytes.
func pairs(md machine.Medium, of ...[3]float64) []comm.Stage {
	at := on(md)
	var stages []comm.Stage
	for i, x := range of {
		stages = append(stages,
			comm.Stage{Work: units.Micro(x[0])},
			comm.Stage{Work: units.Micro(x[1]), Hops: []comm.Hop{{From: 2 * i, On: at, Bytes: units.Bytes(x[2])}}})
	}
	return stages
}

// The bound of a medium with pipelines side by side, and with unequal ones.
func TestChannelsBoundPipelinesSideBySide(t *testing.T) {
	// 3 messages of 75 + 25 us on 2 channels take 2 rounds: 200 + 2·100
	// + 200, 100 more than a pipeline alone.
	equal := comm.Pipe(pairs(myrinet(2), [3]float64{200, 200, 125}, [3]float64{200, 200, 125}, [3]float64{200, 200, 125}), 1)
	near(t, "equal", equal[1].End, units.Micro(600))
	near(t, "a sender's", equal[0].End, units.Micro(300))
	// One that stands for three is the same as the three.
	alike := pairs(myrinet(2), [3]float64{200, 200, 125})
	alike[0].Copies, alike[1].Copies = 3, 3
	for i, x := range comm.Pipe(alike, 1) {
		if x != equal[i] {
			t.Errorf("stage %d that stands for three: %+v, expected %+v", i, x, equal[i])
		}
	}
	// Messages of 400 and 300 us. Alone the second pipeline takes 200 + 400 +
	// 400 = 1000; no schedule beats the least work of a sender, 100, both
	// messages, and the least work of a receiver, 300: 1100.
	for _, unequal := range [][]comm.Stage{
		pairs(bus(), [3]float64{100, 300, 1125}, [3]float64{200, 400, 1625}),
		pairs(bus(), [3]float64{200, 400, 1625}, [3]float64{100, 300, 1125}),
	} {
		last := units.Seconds(0)
		for _, x := range comm.Pipe(unequal, 1) {
			last = max(last, x.End)
		}
		near(t, "unequal", last, units.Micro(1100))
	}
	// Another two of the second, in one: 100 + 300 + 3·400 + 300.
	more := pairs(bus(), [3]float64{100, 300, 1125}, [3]float64{200, 400, 1625})
	more[2].Copies, more[3].Copies = 3, 3
	near(t, "unequal copies", comm.Pipe(more, 1)[3].End, units.Micro(1900))
	// The time counts from the earliest clock: of the second pipeline, which
	// starts at 100 and takes 1000 alone, 1100 are through at once.
	late := pairs(bus(), [3]float64{100, 300, 1125}, [3]float64{200, 400, 1625})
	late[2].Clock, late[3].Clock = units.Micro(100), units.Micro(100)
	near(t, "late", comm.Pipe(late, 1)[3].End, units.Micro(1100))
}

// equalStages returns the times of a stage that has depth predecessors in
// a row, in a pipeline of q quanta whose stages all have the same clock, work
// and medium, and all but the first receive bytes that take transfer in all
// (docs/model.md#9-pipelined-loops, formulas 2 and 3):
//
//	End - Clock = Tp + depth·(TStart + Tb + Tp) + (Q-1)·(TStart + max(Tp, Tb))
//
// and Work for the first stage, depth 0. It is the same as [comm.Pipe] without the
// bound of channels, computed in constant time.
func equalStages(clock, work, transfer, tstart units.Seconds, depth, q int64) comm.StageTime {
	if depth == 0 {
		return comm.StageTime{End: clock + work}
	}
	tp, tb := work/units.Seconds(q), transfer/units.Seconds(q)
	hop := float64(tstart + tb + tp)
	pace := float64(tstart + max(tp, tb))
	t := comm.StageTime{
		End:      clock + tp + units.Seconds(float64(float64(depth)*hop)+float64(float64(q-1)*pace)),
		Start:    units.Seconds(float64(tstart) * float64(q)),
		Transfer: tb + units.Seconds(float64(q-1)*float64(max(tp, tb)-tp)),
		Wait:     tp + units.Seconds(float64(depth-1)*hop),
	}
	t.Hidden = max(0, transfer-t.Transfer)
	return t
}
