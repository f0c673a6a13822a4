package measure

import (
	"slices"
)

// An Amount is a quantity with the standard deviation over the rounds of a
// measurement.
type Amount struct{ Mean, Deviation float64 }

// A Link is what a pair of processes, or several pairs of a kind, showed.
type Link struct {
	// Line is the one line for all sizes, Latency and PerByte its coefficients
	// with their deviations. The latency includes the overheads.
	Line             Line
	Latency, PerByte Amount
	// Pieces are several lines where one does not fit, else one.
	Pieces []Line
	// Send and Receive are the overheads of calls with a small message.
	Send, Receive Amount
}

// Link computes what the messages between two processes show. Of the rounds the
// median counts for each size: it is not moved by few rounds in which other work
// disturbed the messages. The deviations are those of the lines of single rounds.
func (p *Pair) Link() Link {
	points := make([]Point, len(p.Sizes))
	for i, s := range p.Sizes {
		points[i] = Point{s, medianOf(p.Times[i])}
	}
	k := Link{Line: Fit(points), Pieces: Pieces(points), Send: amount(p.Send), Receive: amount(p.Receive)}
	var latencies, perBytes []float64
	for round := range p.Times[0] {
		for i := range points {
			points[i].Seconds = p.Times[i][round]
		}
		l := Fit(points)
		latencies, perBytes = append(latencies, l.Latency), append(perBytes, l.PerByte)
	}
	k.Latency = Amount{k.Line.Latency, amount(latencies).Deviation}
	k.PerByte = Amount{k.Line.PerByte, amount(perBytes).Deviation}
	return k
}

// amount returns the median of samples, and their standard deviation without a
// few that are far from it.
func amount(samples []float64) Amount {
	var t Timing
	t.set(samples, 0)
	return Amount{medianOf(samples), t.Deviation}
}

// A Network is what was measured of the links between processes.
type Network struct {
	// Name is the name of the processors, without quotes and line ends, ID the id
	// of their type.
	Name string
	ID   int64
	// Conditions are lines for people.
	Conditions []string
	Samples    *Samples
}

// hosts returns the processes of each host, in the order of their first ones.
func (s *Samples) hosts() [][]int {
	var all [][]int
	at := map[string]int{}
	for process, name := range s.Hosts {
		i, ok := at[name]
		if !ok {
			i = len(all)
			at[name] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], process)
	}
	return all
}

// HostCount returns the number of different hosts.
func (s *Samples) HostCount() int { return len(s.hosts()) }

// typical returns the pair whose message of the middle size takes the median
// time, of those within a host or between two; nil when there is none.
func (s *Samples) typical(within bool) *Pair {
	var all []*Pair
	for _, p := range s.Pairs {
		if (s.Hosts[p.First] == s.Hosts[p.Second]) == within {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil
	}
	time := func(p *Pair) float64 { return medianOf(p.Times[len(p.Times)/2]) }
	slices.SortStableFunc(all, func(a, b *Pair) int {
		switch x, y := time(a), time(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return all[(len(all)-1)/2]
}
