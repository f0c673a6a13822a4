package report

import (
	"math"

	"dvmtools/pkg/units"
)

// isPrediction reports whether a is a prediction of what b measured.
func isPrediction(a, b *Tree) bool { return b.Header.Measured && !a.Header.Measured }

// predictionTable sets a prediction beside what was measured, interval by
// interval in the order of reading, with the error and the part of the time that
// explains most of it.
func predictionTable(pairs []Pair, pa, pb float64) table {
	t := table{name: "prediction", title: "Predicted and measured",
		note:    "The cause is the part of an interval's time, of the average processor, that differs most in the direction of the error, after run-time system, exchanges, waiting and idle time were set off against each other.",
		columns: []columnOf{{"interval", true}, {"predicted", false}, {"measured", false}, {"error", false}, {"most of it", true}, {"differs by", false}}}
	for _, p := range pairs {
		name := numbered(p.either())
		row := []field{{}, {}, {}, {}, {}, {}}
		switch {
		case p.A == nil:
			name += " (only measured)"
		case p.B == nil:
			name += " (only predicted)"
		default:
			off := p.A.ExecutionTime - p.B.ExecutionTime
			row[3] = ratioField(ratio(float64(off), float64(p.B.ExecutionTime))).difference()
			if label, by := explainsMost(p, pa, pb, off < 0); label != "" {
				row[4], row[5] = words(label), secondsField(by).difference()
			}
		}
		row[0] = field{text: name, depth: p.Level}
		for i, n := range []*Node{p.A, p.B} {
			if n != nil {
				row[1+i] = secondsField(n.ExecutionTime)
			}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// explainsMost returns the part of the average processor's time in an interval with
// the largest error of the prediction, and that error: of the parts predicted too
// short when short is set, else of those predicted too long; "" when there is none.
// Waiting and idle time count as one part, as a processor that waits less for others
// is idle longer at the end. Parts other than computing, input and output are set
// off against each other first (docs/model.md#prediction-beside-measurement).
func explainsMost(p Pair, pa, pb float64, short bool) (label string, by units.Seconds) {
	type part struct {
		label string
		d     float64
		fixed bool // what it is, both sides know
	}
	parts := []part{{label: "waiting and idle"}}
	for _, c := range causes {
		d := c.of(&p.A.Times)/pa - c.of(&p.B.Times)/pb
		if c.label == labelWaiting || c.label == labelIdle {
			parts[0].d += d
			continue
		}
		parts = append(parts, part{c.label, d, c.label == labelComputing || c.label == labelIO})
	}
	with, against := 0.0, 0.0
	for _, x := range parts {
		switch {
		case x.fixed:
		case (x.d < 0) == short:
			with += math.Abs(x.d)
		default:
			against += math.Abs(x.d)
		}
	}
	left := max(0, 1-ratio(against, with))
	for _, x := range parts {
		if (x.d < 0) != short {
			continue
		}
		if !x.fixed {
			x.d *= left
		}
		if math.Abs(x.d) > math.Abs(float64(by)) {
			label, by = x.label, units.Seconds(x.d)
		}
	}
	return label, by
}

// Cause returns the part of the average processor's time that explains most of
// the error of a prediction, and by how much it is predicted too long, or too
// short when it is negative; "" when there is no error.
func Cause(predicted, measured *Tree) (part string, by units.Seconds) {
	off := predicted.Root.ExecutionTime - measured.Root.ExecutionTime
	if off == 0 {
		return "", 0
	}
	p := Pair{predicted.Root, measured.Root, 0}
	return explainsMost(p, processorsOf(predicted), processorsOf(measured), off < 0)
}
