package machine

// PowerRun is N processors, from number First on, that have the same power.
type PowerRun struct {
	First, N int64
	Power    float64
}

// PowerRuns returns the powers of processors 0 to n-1, 0 <= n <= Processors,
// as runs: in order, without gaps, adjacent runs of different powers. A subtree
// whose processors all have one power is one step, whatever its size. The running
// time is O(runs x depth) plus the size of the description, and O(n x depth) when
// the processors are not numbered as in the description.
func (m *Machine) PowerRuns(n int64) []PowerRun {
	if n == 0 {
		return nil
	}
	m.mustHave(n - 1)
	w := runWriter{uniform: map[*Node]float64{}}
	if m.Scattered() {
		for p := range n {
			w.add(1, m.Power(p))
		}
		return w.runs
	}
	w.scan(m.Root)
	w.write(m.Root, n)
	return w.runs
}

// MaxPower returns the largest power among processors 0 to n-1, 0 when n is
// 0.
func (m *Machine) MaxPower(n int64) float64 {
	largest := 0.0
	if n > 0 && m.Scattered() {
		for _, r := range m.PowerRuns(n) {
			largest = max(largest, r.Power)
		}
	} else if n > 0 {
		m.mustHave(n - 1)
		largest = maxPower(m.Root, n, map[*Node]float64{})
	}
	return largest
}

type runWriter struct {
	// uniform holds the common power of all processors of a node, 0 when they
	// differ; no processor has power 0.
	uniform map[*Node]float64
	runs    []PowerRun
}

func (w *runWriter) scan(n *Node) float64 {
	if p, ok := w.uniform[n]; ok {
		return p
	}
	p := n.Power
	for i, g := range n.Groups {
		q := w.scan(g.Node)
		if i == 0 {
			p = q
		} else if p != q {
			p = 0
		}
	}
	w.uniform[n] = p
	return p
}

// write appends the runs of the first limit processors of n.
func (w *runWriter) write(n *Node, limit int64) {
	if p := w.uniform[n]; p != 0 {
		w.add(min(limit, n.total), p)
		return
	}
	for _, g := range n.Groups {
		if limit <= 0 {
			return
		}
		if p := w.uniform[g.Node]; p != 0 {
			k := min(limit, g.Count*g.Node.total)
			w.add(k, p)
			limit -= k
			continue
		}
		for i := int64(0); i < g.Count && limit > 0; i++ {
			w.write(g.Node, limit)
			limit -= g.Node.total
		}
	}
}

func (w *runWriter) add(count int64, power float64) {
	first := int64(0)
	if k := len(w.runs); k > 0 {
		last := &w.runs[k-1]
		if last.Power == power {
			last.N += count
			return
		}
		first = last.First + last.N
	}
	w.runs = append(w.runs, PowerRun{First: first, N: count, Power: power})
}

// maxPower returns the largest power of the first limit processors of n.
// whole holds the results for nodes with all their processors.
func maxPower(n *Node, limit int64, whole map[*Node]float64) float64 {
	if n.Leaf() {
		return n.Power
	}
	if limit >= n.total {
		if p, ok := whole[n]; ok {
			return p
		}
	}
	largest, left := 0.0, limit
	for _, g := range n.Groups {
		if left <= 0 {
			break
		}
		// Copies are equal: the first one has the maximum.
		largest = max(largest, maxPower(g.Node, left, whole))
		left -= g.Count * g.Node.total
	}
	if limit >= n.total {
		whole[n] = largest
	}
	return largest
}
