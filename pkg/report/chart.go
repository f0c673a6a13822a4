package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"dvmtools/pkg/units"
)

// chart is a picture of a sheet with two axes.
type chart struct {
	title string
	// x is the axis of a parameter, nil for processors.
	x *parameterAxis
	// time says that y is a time on a logarithmic axis; otherwise it is a
	// share from 0 to 1.
	time   bool
	series []series
}

// series is a set of points of a chart.
type series struct {
	label  string
	class  string // how it looks: s0, s1, ...
	line   bool   // joined by a line
	points []chartPoint
}

// chartPoint is a point; name is what it stands for.
type chartPoint struct {
	x, y float64
	name string
}

// The dimensions of a chart, in pixels.
const (
	chartWidth, chartHeight     = 620.0, 340.0
	chartLeft, chartRight       = 88.0, 26.0
	chartTop, chartBottom       = 14.0, 46.0
	maxChartPoints          int = 3000
)

// parameterAxis is a horizontal axis of values of a parameter.
type parameterAxis struct {
	title  string
	at     []float64 // where they are
	labels []string
	even   bool // they are so far apart as their places in the list; otherwise by logarithms
}

// newParameterAxis returns the axis of a parameter: by the logarithm of its values, or
// with equal distances when they are not all positive numbers.
func newParameterAxis(a *SweepAxis) *parameterAxis {
	p := &parameterAxis{title: Clean(a.Parameter)}
	if a.Scale {
		p.title += ", times"
	}
	for _, v := range a.Values {
		x, err := strconv.ParseFloat(v, 64)
		if !(err == nil && x > 0 && x < math.MaxFloat64) {
			p.even = true
		}
		p.at, p.labels = append(p.at, x), append(p.labels, Clean(v))
	}
	if p.even {
		for i := range p.at {
			p.at[i] = float64(i + 1)
		}
	}
	return p
}

// labelled returns the values that have room for a label, in their order on the axis.
func (p *parameterAxis) labelled(x *axis) []int {
	order := make([]int, len(p.at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p.at[i], p.at[j]) })
	var list []int
	end := math.Inf(-1)
	for _, i := range order {
		const perLetter, gap = 6.5, 8
		half := float64(perLetter / 2 * float64(len(p.labels[i])))
		if at := x.at(p.at[i]); at-half >= end+gap {
			list = append(list, i)
			end = at + half
		}
	}
	return list
}

// axis maps values to pixels.
type axis struct {
	low, high float64 // of the values, or of their logarithms
	log       bool
	from, to  float64 // pixels
}

func (a *axis) at(v float64) float64 {
	if a.log {
		v = math.Log(v)
	}
	if a.high == a.low {
		return (a.from + a.to) / 2
	}
	return a.from + (a.to-a.from)*(v-a.low)/(a.high-a.low)
}

// svg draws the chart.
func (c *chart) svg() safeHTML {
	x := axis{log: c.x == nil || !c.x.even, from: chartLeft, to: chartWidth - chartRight}
	y := axis{log: c.time, low: 0, high: 1, from: chartHeight - chartBottom, to: chartTop}
	var xs, ys []float64
	for _, s := range c.series {
		for _, p := range s.points {
			if p.x > 0 && (p.y > 0 || !c.time) {
				xs, ys = append(xs, p.x), append(ys, p.y)
			}
		}
	}
	if len(xs) == 0 {
		return ""
	}
	lowX, highX := slices.Min(xs), slices.Max(xs)
	x.low, x.high = lowX, highX
	if x.log {
		x.low, x.high = math.Log(lowX), math.Log(highX)
	}
	lowY, highY := slices.Min(ys), slices.Max(ys)
	if c.time {
		y.low, y.high = math.Log(lowY)-0.1, math.Log(highY)+0.1
	} else {
		y.high = max(1, highY)
	}
	var m markup
	m.raw(`<svg class="chart lines" viewBox="0 0 620 340" role="img" aria-label="`)
	m.text(c.title + "; the table has the figures")
	m.raw(`">`)
	title := "processors"
	tick := func(v float64, label string) {
		m.tick(x.at(v), chartHeight-chartBottom, x.at(v), chartTop)
		m.axisText(x.at(v), chartHeight-chartBottom+16, "middle", label)
	}
	if c.x != nil {
		title = c.x.title
		for _, i := range c.x.labelled(&x) {
			tick(c.x.at[i], c.x.labels[i])
		}
	} else {
		for _, v := range xTicks(lowX, highX) {
			tick(v, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	m.axisText((chartLeft+chartWidth-chartRight)/2, chartHeight-8, "middle", title)
	for _, v := range c.yTicks(lowY, highY) {
		label := percent(v)
		if c.time {
			label = units.Seconds(v).Short()
		}
		if at := y.at(v); at >= chartTop-1 && at <= chartHeight-chartBottom+1 {
			m.tick(chartLeft, at, chartWidth-chartRight, at)
			m.axisText(chartLeft-6, at+4, "end", label)
		}
	}
	for _, s := range c.series {
		if s.line && len(s.points) > 1 {
			// What is not known interrupts the line.
			open := false
			for _, p := range s.points {
				if p.x <= 0 || p.y <= 0 && c.time {
					if open {
						m.raw(`"/>`)
					}
					open = false
					continue
				}
				if !open {
					m.raw(`<polyline class="` + s.class + `" points="`)
					open = true
				}
				m.raw(pixel(x.at(p.x)) + "," + pixel(y.at(p.y)) + " ")
			}
			if open {
				m.raw(`"/>`)
			}
		}
		for _, p := range s.points[:min(len(s.points), maxChartPoints)] {
			if p.name == "" || p.x <= 0 || c.time && p.y <= 0 {
				continue
			}
			m.raw(`<circle class="` + s.class + `" cx="` + pixel(x.at(p.x)) + `" cy="` + pixel(y.at(p.y)) + `" r="3.5"><title>`)
			m.text(p.name)
			m.raw(`</title></circle>`)
		}
	}
	m.raw("</svg>")
	return safeHTML(m)
}

func (m *markup) tick(x1, y1, x2, y2 float64) {
	m.raw(`<line class="tick" x1="` + pixel(x1) + `" y1="` + pixel(y1) + `" x2="` + pixel(x2) + `" y2="` + pixel(y2) + `"/>`)
}

func (m *markup) axisText(x, y float64, anchor, s string) {
	m.raw(`<text class="axis ` + anchor + `" x="` + pixel(x) + `" y="` + pixel(y) + `">`)
	m.text(s)
	m.raw("</text>")
}

func pixel(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// xTicks are powers of 2, not more than twelve; where there would be less than three,
// round numbers.
func xTicks(low, high float64) []float64 {
	for step := 2.0; ; step *= 2 {
		var list []float64
		for v := 1.0; v <= high; v *= step {
			if v >= low {
				list = append(list, v)
			}
		}
		if len(list) <= 12 {
			if round := roundTicks(low, high, 1, 8); len(list) < 3 && len(round) > len(list) {
				return round
			}
			if len(list) == 0 {
				list = []float64{low}
			}
			return list
		}
	}
}

// roundTicks are the multiples between low and high of the least 1, 2 or 5 times a power
// of ten, from least on, that has at most most of them.
func roundTicks(low, high, least float64, most int) []float64 {
	for e := math.Floor(math.Log10(least)); ; e++ {
		for _, f := range []float64{1, 2, 5} {
			step, err := strconv.ParseFloat(fmt.Sprintf("%ge%g", f, e), 64)
			if err != nil || (high-low)/step > float64(most) {
				continue
			}
			var list []float64
			for k := math.Ceil(low / step); float64(k*step) <= high; k++ {
				list = append(list, float64(k*step))
			}
			return list
		}
	}
}

// yTicks are round numbers: for times as few of a power of ten as make three
// lines or more, else multiples of a round number; for shares fifths.
func (c *chart) yTicks(low, high float64) []float64 {
	if !c.time {
		return []float64{0, 0.2, 0.4, 0.6, 0.8, 1}
	}
	var list []float64
	for _, factors := range [][]float64{{1}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 7}, {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9}} {
		list = list[:0]
		for e := math.Floor(math.Log10(low)); e <= math.Log10(high)+1; e++ {
			for _, f := range factors {
				v, err := strconv.ParseFloat(fmt.Sprintf("%ge%g", f, e), 64)
				if err == nil && v >= low && v <= high {
					list = append(list, v)
				}
			}
		}
		if len(list) >= 3 {
			return list
		}
	}
	if high > low {
		return roundTicks(low, high, (high-low)/100, 6)
	}
	return list
}

// shadeOf returns 9 for the least time, 0 for the most, between them by the
// logarithm.
func shadeOf(t, least, most units.Seconds) int {
	if t <= 0 || least <= 0 || most <= least {
		return 9
	}
	return int(math.Round(9 * math.Log(float64(most/t)) / math.Log(float64(most/least))))
}

// svg draws the map.
func (g *gridMap) svg() safeHTML {
	wide, high := 1, 1
	for _, c := range g.cells {
		wide, high = max(wide, c.x), max(high, c.y)
	}
	const side, room = 18, 34
	size := func(n int) string { return strconv.Itoa(n*side + room) }
	var m markup
	m.raw(`<svg class="chart map" viewBox="0 0 ` + size(wide) + " " + size(high) + `" width="` + size(wide) + `" role="img" aria-label="`)
	m.text(g.title + "; the table has the figures")
	m.raw(`">`)
	for n := 1; n <= max(wide, high); n *= 2 {
		at := float64(room + (n-1)*side + side/2)
		if n <= wide {
			m.axisText(at, room-10, "middle", strconv.Itoa(n))
		}
		if n <= high {
			m.axisText(room-8, at+4, "end", strconv.Itoa(n))
		}
	}
	for _, c := range g.cells {
		m.raw(`<rect class="h` + strconv.Itoa(c.shade) + `" x="` + strconv.Itoa(room+(c.x-1)*side) + `" y="` + strconv.Itoa(room+(c.y-1)*side) + `" width="17" height="17"><title>`)
		m.text(c.name)
		m.raw("</title></rect>")
	}
	m.raw("</svg>")
	return safeHTML(m)
}
