package measure

import "math"

// A Point is the time of messages of one size.
type Point struct {
	Bytes   int64
	Seconds float64
}

// A Line is what messages take by T = Latency + bytes * PerByte: in seconds, and
// in seconds per byte. Neither is negative.
type Line struct {
	Latency, PerByte float64
	// From and To are the smallest and the largest size that it was fitted to.
	From, To int64
	// Median and Worst are the absolute differences of the measured times from
	// the line, relative to the measured times; WorstAt is the size of the worst.
	Median, Worst float64
	WorstAt       int64
}

// At returns the time of a message by the line.
func (l Line) At(bytes int64) float64 { return l.Latency + float64(float64(bytes)*l.PerByte) }

// off is how far a line is above a point, relative to the point.
func (l Line) off(p Point) float64 { return (l.At(p.Bytes) - p.Seconds) / p.Seconds }

// Fit returns the line with the least sum of absolute relative differences from
// the points, which must be two or more, ascending by size, with times above 0.
// Relative, as sizes and times span orders of magnitude; absolute and not
// squared, so that single times that are far too long have little weight. Of two
// such lines it is the one through the smaller sizes.
//
// Some line with the least sum passes through two points, or through one if it
// is level or starts at 0, as neither coefficient may be negative: all of them
// are tried.
func Fit(points []Point) Line {
	best, least := Line{}, math.Inf(1)
	try := func(latency, perByte float64) {
		if latency < 0 || perByte < 0 {
			return
		}
		l := Line{Latency: latency, PerByte: perByte}
		if s := l.cost(points); s < least {
			best, least = l, s
		}
	}
	for i, p := range points {
		for _, q := range points[i+1:] {
			b := (q.Seconds - p.Seconds) / float64(q.Bytes-p.Bytes)
			try(p.Seconds-float64(float64(p.Bytes)*b), b)
		}
		try(p.Seconds, 0)
		if p.Bytes > 0 {
			try(0, p.Seconds/float64(p.Bytes))
		}
	}
	best.From, best.To = points[0].Bytes, points[len(points)-1].Bytes
	var all []float64
	for _, p := range points {
		d := math.Abs(best.off(p))
		all = append(all, d)
		if d > best.Worst {
			best.Worst, best.WorstAt = d, p.Bytes
		}
	}
	best.Median = medianOf(all)
	return best
}

// cost is the sum that [Fit] makes least.
func (l Line) cost(points []Point) float64 {
	sum := 0.0
	for _, p := range points {
		sum += math.Abs(l.off(p))
	}
	return sum
}

const (
	// Tolerance is how far a time may be from its line, relative to the time.
	Tolerance = 0.2
	// maxPieces bounds how many lines describe a link, minPiece how few sizes one
	// has.
	maxPieces = 4
	minPiece  = 3
)

// fits tells whether one line describes the points: no two of them that follow
// each other are farther from it than [Tolerance] on the same side. A single
// size that was disturbed does not count.
func (l Line) fits(points []Point) bool {
	before := 0.0
	for _, p := range points {
		d := l.off(p)
		if math.Abs(d) <= Tolerance {
			d = 0
		}
		if d*before > 0 {
			return false
		}
		before = d
	}
	return true
}

// Pieces returns the fewest lines, one behind the other, that describe all points
// within [Tolerance]; of as many the ones with the least sum of differences. One
// line is the rule; more are needed where the protocol of the messages changes
// with their size, and the second then says from which size on. When four do
// not suffice, it is the four with the least sum.
func Pieces(points []Point) []Line {
	n := len(points)
	type part struct {
		cost  float64
		lines []Line
	}
	// The best description of points[:to] by a number of lines, without and with
	// the demand that each fits.
	var any, good [maxPieces + 1][]part
	for k := range any {
		any[k], good[k] = make([]part, n+1), make([]part, n+1)
		for to := range any[k] {
			any[k][to].cost, good[k][to].cost = math.Inf(1), math.Inf(1)
		}
	}
	any[0][0].cost, good[0][0].cost = 0, 0
	for from := range n {
		for to := from + minPiece; to <= n; to++ {
			l := Fit(points[from:to])
			cost, fits := l.cost(points[from:to]), l.fits(points[from:to])
			for k := range maxPieces {
				for _, best := range [][]([]part){any[:], good[:]} {
					sum := best[k][from].cost + cost
					if sum < best[k+1][to].cost && (fits || &best[0][0] == &any[0][0]) {
						best[k+1][to] = part{sum, append(append([]Line{}, best[k][from].lines...), l)}
					}
				}
			}
		}
	}
	for k := 1; k <= maxPieces; k++ {
		if p := good[k][n]; !math.IsInf(p.cost, 1) {
			return p.lines
		}
	}
	for k := maxPieces; k >= 1; k-- {
		if p := any[k][n]; !math.IsInf(p.cost, 1) {
			return p.lines
		}
	}
	return []Line{Fit(points)}
}
