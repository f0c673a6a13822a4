package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// measured makes the rows of a curve whose costs are x ns.
func measured(c curve) []*row {
	var rows []*row
	for _, pt := range c.points {
		rows = append(rows, &row{name: fmt.Sprintf("Cost/%s/%d", c.name, pt.x), values: map[string]float64{"calls/s": 1e9 / float64(pt.x)}})
	}
	return rows
}

// TestDraw: drawings are well-formed, hold a mark for each point inside of the
// axes, and name both axes.
func TestDraw(t *testing.T) {
	for _, c := range curves {
		ns := costs(c, measured(c))
		if len(ns) != len(c.points) {
			t.Fatalf("%s: %d costs of %d points", c.name, len(ns), len(c.points))
		}
		text := string(draw(c, ns))
		d := xml.NewDecoder(strings.NewReader(text))
		marks := 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			e, ok := token.(xml.StartElement)
			if !ok || e.Name.Local != "circle" {
				continue
			}
			marks++
			var x, y float64
			if _, err := fmt.Sscan(e.Attr[0].Value, &x); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(e.Attr[1].Value, &y); err != nil {
				t.Fatal(err)
			}
			if x < left || x > right || y < top || y > bottom {
				t.Errorf("%s: a mark at %v, %v, outside of the axes", c.name, x, y)
			}
		}
		if marks != len(c.points) {
			t.Errorf("%s: %d marks for %d points", c.name, marks, len(c.points))
		}
		for _, want := range []string{c.axis, "ns", c.title} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the drawing does not say %q", c.name, want)
			}
		}
	}
}

func TestCostsNeedAllPoints(t *testing.T) {
	c := curves[0]
	if got := costs(c, measured(c)[1:]); got != nil {
		t.Errorf("costs of a curve that lacks a point: %v", got)
	}
}

func TestTick(t *testing.T) {
	for _, c := range []struct{ most, want float64 }{{100, 20}, {240, 50}, {301, 100}, {650, 200}, {999, 200}, {1000, 200}, {4.2, 1}} {
		if got := tick(c.most); got != c.want {
			t.Errorf("tick(%v) = %v, want %v", c.most, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{1: "1", 999: "999", 1000: "1,000", 1048576: "1,048,576"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
}
