package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// costs returns the time per call at each point of a curve, in ns; nil when not
// all points were measured.
func costs(c curve, rows []*row) []float64 {
	var all []float64
	for _, pt := range c.points {
		name := fmt.Sprintf("Cost/%s/%d", c.name, pt.x)
		for _, r := range rows {
			if r.name == name && r.values["calls/s"] > 0 {
				all = append(all, 1e9/r.values["calls/s"])
			}
		}
	}
	if len(all) != len(c.points) {
		return nil
	}
	return all
}

// costTable returns the curves as Markdown.
func costTable(rows []*row) []byte {
	var b bytes.Buffer
	for _, c := range curves {
		y := costs(c, rows)
		if y == nil {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n| varied | ns for each call |\n| --- | --- |\n")
		}
		fmt.Fprintf(&b, "| %s |", c.axis)
		for i, pt := range c.points {
			fmt.Fprintf(&b, " %s: %.0f", number(pt.x), y[i])
			if i+1 < len(y) {
				b.WriteString(",")
			}
		}
		b.WriteString(" |\n")
	}
	return b.Bytes()
}

// plots writes a drawing of every curve that was measured to dir.
func plots(dir string, rows []*row) error {
	for _, c := range curves {
		y := costs(c, rows)
		if y == nil {
			continue
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, c.name+".svg"), draw(c, y), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// The size of a drawing and of the plot in it.
const (
	width, height            = 640, 340
	left, right, top, bottom = 70, 610, 50, 280
)

// draw returns an SVG of a curve: x is logarithmic, y begins at 0. Equal
// figures give equal bytes.
func draw(c curve, ns []float64) []byte {
	most := 0.0
	for _, v := range ns {
		most = max(most, v)
	}
	step := tick(most)
	highest := math.Ceil(most/step) * step
	lo, hi := math.Log(float64(c.points[0].x)), math.Log(float64(c.points[len(c.points)-1].x))
	x := func(i int) float64 {
		return left + 20 + (right-left-40)*(math.Log(float64(c.points[i].x))-lo)/(hi-lo)
	}
	y := func(v float64) float64 { return bottom - (bottom-top)*v/highest }

	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", c.title, width, height)
	text := func(x, y float64, attr, s string) {
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#222\"%s>%s</text>\n", x, y, attr, s)
	}
	text(left, 28, ` font-size="15"`, c.title)
	for v := 0.0; v < highest+step/2; v += step {
		fmt.Fprintf(&b, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", left, y(v), right)
		text(left-8, y(v)+4, ` text-anchor="end"`, strconv.FormatFloat(v, 'f', -1, 64))
	}
	var line strings.Builder
	for i, pt := range c.points {
		fmt.Fprintf(&b, "<path d=\"M%.1f %dv5\" stroke=\"#222\"/>\n", x(i), bottom)
		text(x(i), bottom+19, ` text-anchor="middle"`, number(pt.x))
		fmt.Fprintf(&line, "%c%.1f %.1f", "ML"[min(i, 1)], x(i), y(ns[i]))
	}
	fmt.Fprintf(&b, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#222\"/>\n", left, top, bottom, right)
	fmt.Fprintf(&b, "<path d=\"%s\" fill=\"none\" stroke=\"#06c\" stroke-width=\"2\"/>\n", line.String())
	for i, v := range ns {
		fmt.Fprintf(&b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"#06c\"/>\n", x(i), y(v))
		text(x(i), y(v)-9, ` text-anchor="middle"`, fmt.Sprintf("%.0f", v))
	}
	text((left+right)/2, height-18, ` text-anchor="middle"`, c.axis+" (logarithmic)")
	middle := float64(top+bottom) / 2
	text(18, middle, fmt.Sprintf(` text-anchor="middle" transform="rotate(-90 18 %.1f)"`, middle), "time for each call, ns")
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// tick returns a round distance of about five lines up to most.
func tick(most float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(most)))
	for _, f := range []float64{0.1, 0.2, 0.5, 1, 2} {
		if most <= 6*f*power {
			return f * power
		}
	}
	return 5 * power
}

// number writes n with a comma after each three digits.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
