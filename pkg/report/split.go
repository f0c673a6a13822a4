package report

import "dvmtools/pkg/interval"

// Part is one of the parts of Total time.
type Part struct {
	// Key names the part in the page's style sheet.
	Key string
	// Label is its name for people.
	Label string
	// Productive says whether it is productive or lost time.
	Productive bool
	// Seconds is its length, Share its share of Total time, 0 of nothing.
	Seconds, Share float64
}

// Split returns the parts of the total processor time in t in a fixed order,
// also those that are 0. They sum to Total time up to rounding
// (docs/model.md#the-laws, L3).
func Split(t *interval.Times) []Part {
	parts := []Part{
		{Key: "cpu", Label: "Productive CPU", Productive: true, Seconds: float64(t.ProductiveCPUTime)},
		{Key: "sys", Label: "Productive SYS", Productive: true, Seconds: float64(t.ProductiveSYSTime)},
		{Key: "io", Label: "I/O", Productive: true, Seconds: float64(t.IOTime)},
		{Key: "iusr", Label: "Insufficient parallelism USR", Seconds: float64(t.InsuffParallelismUSR)},
		{Key: "isys", Label: "Insufficient parallelism SYS", Seconds: float64(t.InsuffParallelismSYS)},
		{Key: "wait", Label: "Communications: real synchronization", Seconds: float64(t.CommunicationSynch)},
		{Key: "comm", Label: "Communications: exchanges", Seconds: float64(t.Communication - t.CommunicationSynch)},
		{Key: "idle", Label: "Idle time", Seconds: float64(t.Idle)},
	}
	for i := range parts {
		// A difference of equal sums may be a rounding error below zero.
		parts[i].Seconds = max(0, parts[i].Seconds)
		parts[i].Share = ratio(parts[i].Seconds, float64(t.TotalTime))
	}
	return parts
}

// stroke is a part as the bar draws it, in thousandths of the bar's width.
type stroke struct {
	Part
	X, Width float64
}

// strokes returns the parts that are wide enough to be seen, one after the
// other and never beyond the bar's end.
func strokes(parts []Part) []stroke {
	var list []stroke
	x := 0.0
	for _, p := range parts {
		width := min(float64(p.Share*1000), 1000-x)
		if width >= 0.05 {
			list = append(list, stroke{Part: p, X: x, Width: width})
		}
		x += max(0, width)
	}
	return list
}
