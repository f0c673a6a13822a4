package comm_test

import (
	"testing"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// An exchange of a million equal messages costs what its list of sizes costs.
func BenchmarkExchangeFlat(b *testing.B) {
	for _, md := range []machine.Medium{bus(), myrinet(512)} {
		b.Run(md.Kind.String(), func(b *testing.B) {
			n := network(b, md, 1024, 1024)
			tr := fixed{{Bytes: 4096, Count: 4_000_000}, {Bytes: 8, Count: 1_000_000}}
			start := units.Seconds(0)
			for b.Loop() {
				start = n.Exchange(start, comm.Set{}, tr).End
				n.Forget(start)
			}
		})
	}
}

// Exchanges of two tasks, simulated one after the other.
func BenchmarkExchangeTasks(b *testing.B) {
	n := network(b, myrinet(4), 2, 4)
	tr := fixed{{Bytes: 4096, Count: 100}, {Bytes: 8, Count: 10}}
	left, right := comm.Set{ID: 1, Ranks: []int{0, 1, 2, 3}}, comm.Set{ID: 2, Ranks: []int{4, 5, 6, 7}}
	now := units.Seconds(0)
	for b.Loop() {
		begin := now
		for _, s := range []comm.Set{left, right} {
			t := begin
			for range 20 {
				t = n.Exchange(t, s, tr).End + units.Micro(500)
			}
			now = max(now, t)
		}
		n.Forget(now)
	}
}

// On a tree the load is made once and used again.
func BenchmarkExchangeTree(b *testing.B) {
	n := comm.NewNetwork(tree(b, level{4096, myrinet(16)}, level{256, bus()}), []int{1024, 1024}, comm.Options{})
	var ms []comm.Message
	for p := range 1<<20 - 1024 {
		ms = append(ms, comm.Message{From: p, To: p + 1024, Bytes: 512}, comm.Message{From: p + 1024, To: p, Bytes: 512})
	}
	tr := comm.Messages([]int{1024, 1024}, ms)
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			n.Load(tr)
		}
	})
	l := n.Load(tr)
	b.Run("again", func(b *testing.B) {
		start := units.Seconds(0)
		for b.Loop() {
			start = n.Again(start, comm.Set{}, l).End
			n.Forget(start)
		}
	})
	b.Run("reduction", func(b *testing.B) {
		start := units.Seconds(0)
		for b.Loop() {
			start = n.Reduce(start, comm.Set{}, &comm.Reduction{Bytes: 8, Senders: 1 << 20}).End
			n.Forget(start)
		}
	})
}

func BenchmarkPipe(b *testing.B) {
	stages := chain(1024, bus(), units.Micro(1600), 512)
	for b.Loop() {
		comm.Pipe(stages, 1000)
	}
}

func BenchmarkPipelined(b *testing.B) {
	for b.Loop() {
		comm.Pipelined(transputer(), 30, 1_000_000)
	}
}
