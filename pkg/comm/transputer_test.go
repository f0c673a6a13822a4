package comm_test

import (
	"math/rand/v2"
	"testing"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

func TestPipelinedFigures(t *testing.T) {
	md := transputer()
	free, slow := md, md
	free.TByte = 0
	slow.TStart = 0
	for _, c := range []struct {
		name  string
		md    machine.Medium
		hops  int
		bytes units.Bytes
		us    float64
		n     int64
	}{
		{"l = 0", md, 0, 1000, 0, 0},
		{"no bytes", md, 3, 0, 0, 0},
		// 75 + 200.
		{"l = 1", md, 1, 1000, 275, 1},
		// n* = sqrt(2·0.2·1000/75) = 2.3; n = 2: (2+2)·(75 + 0.2·500) = 700,
		// n = 1: 3·275 = 825, n = 3: 5·(75 + 0.2·334) = 709.
		{"l = 3, L = 1000", md, 3, 1000, 700, 2},
		// One byte cannot be divided: 3·75.2.
		{"l = 3, L = 1", md, 3, 1, 225.6, 1},
		// TB = 0: nothing is gained by portions.
		{"l = 3, TB = 0", free, 3, 1000, 225, 1},
		// Ts = 0: portions of one byte, (3-1+1000)·0.2.
		{"l = 3, Ts = 0", slow, 3, 1000, 200.4, 1000},
	} {
		got, n := comm.Pipelined(c.md, c.hops, c.bytes)
		near(t, c.name, got, units.Micro(c.us))
		if n != c.n {
			t.Errorf("%s: %d portions, expected %d", c.name, n, c.n)
		}
	}
}

// Every number of portions is tried.
func TestPipelinedIsTheMinimum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		md := machine.Medium{Kind: machine.Transputer, TStart: units.Micro(pick(r, 0.001, 0.1, 1, 75, 3000)), TByte: units.MicroPerByte(pick(r, 0.0001, 0.2, 1, 50))}
		hops, bytes := 1+r.IntN(40), units.Bytes(1+r.Int64N(1<<r.IntN(14)))
		got, n := comm.Pipelined(md, hops, bytes)
		best := units.Seconds(1e30)
		for k := int64(1); k <= int64(bytes); k++ {
			portion := units.Bytes((int64(bytes) + k - 1) / k)
			best = min(best, units.Seconds(float64(int64(hops)-1+k)*float64(units.Transfer(md.TStart, md.TByte, portion))))
			if hops == 1 {
				break
			}
		}
		if !close12(got, best) {
			t.Fatalf("T(%d, %d) on %v = %v in %d portions, expected %v", hops, bytes, md, got, n, best)
		}
		// L6: T grows with each of its operands.
		grown := md
		grown.TStart *= 1.1
		if longer, _ := comm.Pipelined(grown, hops, bytes); longer < got {
			t.Fatalf("a larger TStart shortens T(%d, %d) on %v", hops, bytes, md)
		}
		if longer, _ := comm.Pipelined(md, hops+1, bytes); longer < got {
			t.Fatalf("another hop shortens T(%d, %d) on %v", hops, bytes, md)
		}
		if longer, _ := comm.Pipelined(md, hops, bytes+1); longer < got {
			t.Fatalf("another byte shortens T(%d, %d) on %v", hops, bytes, md)
		}
	}
}

// Sizes far beyond any memory take neither long nor overflow.
func TestPipelinedOfHugeMessages(t *testing.T) {
	for _, times := range [][2]float64{{75, 0.2}, {0, 0.2}, {75, 0}, {1e-20, 1e20}, {1e20, 1e-20}} {
		md := machine.Medium{Kind: machine.Transputer, TStart: units.Micro(times[0]), TByte: units.MicroPerByte(times[1])}
		got, n := comm.Pipelined(md, 1<<30, 1<<62)
		if !(got > 0) || n < 1 || n > 1<<62 {
			t.Errorf("on %v: %v in %d portions", md, got, n)
		}
	}
}

func pick(r *rand.Rand, from ...float64) float64 { return from[r.IntN(len(from))] }
