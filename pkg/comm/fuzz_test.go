package comm_test

import (
	"testing"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// FuzzExchanges reads a machine and a program of exchanges from bytes: the
// network agrees with the message by message placement, whatever they are.
// Times are whole numbers, so that no gap hangs on a rounding.
func FuzzExchanges(f *testing.F) {
	f.Add([]byte{0, 1, 0, 2, 1, 9, 0, 0, 5, 0x12, 5, 1, 3, 2, 0x12, 5, 0x20, 7})
	f.Add([]byte{2, 3, 1, 0, 0, 7, 2, 4, 3, 0x45, 9, 0x64, 9, 4, 0, 2, 0x23, 1, 0x32, 30})
	f.Fuzz(func(t *testing.T, data []byte) {
		next := func() int {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return int(b)
		}
		medium := func() machine.Medium {
			md := machine.Medium{Kind: machine.Myrinet, Channels: 1 + next()%8}
			md.TStart, md.TByte = units.Seconds(next()%4), units.SecPerByte(next()%3)
			return md
		}
		m := tree(t, level{12, medium()})
		if next()%2 == 1 {
			m = tree(t, level{4, medium()}, level{3, medium()})
		}
		grid := []int{3, 4}
		n := comm.NewNetwork(m, grid, comm.Options{})
		slow := &slowNetwork{m: m, grid: grid, busy: map[machine.Instance][][]occupied{}, ranks: systems}
		for range 20 {
			if len(data) == 0 {
				return
			}
			id := next() % len(systems)
			start := units.Seconds(next() % 64)
			var ms []comm.Message
			members := systems[id]
			for range next() % 40 {
				pair, bytes := next(), next()
				from, to := pair%16%12, pair/16%12
				if members != nil {
					from, to = members[from%len(members)], members[to%len(members)]
				}
				ms = append(ms, comm.Message{From: from, To: to, Bytes: units.Bytes(bytes % 32)})
			}
			tr := comm.Messages(grid, ms)
			var kept []comm.Message
			tr.Each(func(m comm.Message) bool { kept = append(kept, m); return true })
			want := slow.exchange(start, id, kept)
			if got := n.Exchange(start, comm.Set{ID: id, Ranks: members}, tr).End; !close12(got, want) {
				t.Fatalf("system %d from %v: ends at %v, expected %v", id, start, got, want)
			}
		}
	})
}

// FuzzPipelined compares a message over a distance with its neighbours: any
// number of portions takes at least as long.
func FuzzPipelined(f *testing.F) {
	f.Add(uint16(75), uint16(1), uint16(3), uint32(1000), uint32(7))
	f.Add(uint16(1), uint16(60000), uint16(2), uint32(1<<31), uint32(1<<30))
	f.Fuzz(func(t *testing.T, start, perByte, hops uint16, bytes, portions uint32) {
		md := machine.Medium{Kind: machine.Transputer, TStart: units.Micro(float64(start)), TByte: units.MicroPerByte(float64(perByte) / 1000)}
		got, n := comm.Pipelined(md, int(hops), units.Bytes(bytes))
		if hops == 0 || bytes == 0 {
			if got != 0 || n != 0 {
				t.Fatalf("no message takes %v", got)
			}
			return
		}
		if n < 1 || n > int64(bytes) {
			t.Fatalf("%d portions of %d bytes", n, bytes)
		}
		if hops == 1 {
			return
		}
		p := 1 + int64(portions)%int64(bytes)
		long := (int64(bytes)-1)/p + 1
		if other := float64(int64(hops)-1+p) * float64(units.Transfer(md.TStart, md.TByte, units.Bytes(long))); other < float64(got)*(1-1e-12) {
			t.Fatalf("%d portions take %v, %d only %v", n, got, p, other)
		}
	})
}
