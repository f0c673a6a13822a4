package measure

import (
	"fmt"
	"strconv"
	"strings"

	"dvmtools/pkg/expr"
	"dvmtools/pkg/machine/parasol"
)

// File returns a machine file of Parasol I in canonical form: the processes as
// processors of one type without timings, a link for each pair of processes of a
// host, one for each two hosts, which all their processes share, and the
// overheads as the functions of MPI. A message there takes send + latency +
// bytes * speed + receive, so that the latency of a link is that of the line
// without the two overheads, but not below 0.
func (n *Network) File() (string, error) {
	s := n.Samples
	hosts := s.hosts()
	var b strings.Builder
	b.WriteString("// Measured with messages between pairs of processes: latency in seconds, speed in\n// seconds per byte, each with its standard deviation.\n")
	n.conditions(&b)
	name := clean(n.Name)
	fmt.Fprintf(&b, "begin machine\nid = 1\nname = \"%s\"\nprocessors = 1\ntopologies = 1\n", name)
	fmt.Fprintf(&b, "begin processor\nid = %d\nname = \"%s\"\nend processor\n", n.ID, name)
	fmt.Fprintf(&b, "begin topology\nid = 1\nname = \"measured network\"\nhardware = 1\ncreation = 0.0\nprocessors = %d\nlinks = %d\nbegin procid\n", len(s.Hosts), len(s.Pairs))
	for i := range s.Hosts {
		fmt.Fprintf(&b, "p[%d] = %d\n", i+1, n.ID)
	}
	b.WriteString("end procid\nbegin linklist\n")
	var sends, receives []float64
	var calls Link // of the first pair between hosts, or of the first of all
	for i, p := range s.Pairs {
		k := p.Link()
		sends, receives = append(sends, k.Send.Mean), append(receives, k.Receive.Mean)
		if i == 0 {
			calls = k
		}
		k.words(&b, s, p)
		latency := k.Latency.Mean - k.Send.Mean - k.Receive.Mean
		if latency < 0 {
			latency = 0
			b.WriteString("// The overheads are above the latency of the line.\n")
		}
		ends := []int{p.First, p.Second}
		if s.Hosts[p.First] != s.Hosts[p.Second] {
			ends = nil
			for _, processes := range hosts {
				if h := s.Hosts[processes[0]]; h == s.Hosts[p.First] || h == s.Hosts[p.Second] {
					ends = append(ends, processes...)
				}
			}
		}
		fmt.Fprintf(&b, "begin link\nid = %d\nlatency = %s %s\nspeed = %s %s\nconnect = %d", i+1, digits(latency), digits(k.Latency.Deviation), digits(k.PerByte.Mean), digits(k.PerByte.Deviation), len(ends))
		for _, e := range ends {
			fmt.Fprintf(&b, " %d", e+1)
		}
		b.WriteString("\nend link\n")
	}
	b.WriteString("end linklist\nend topology\n")
	fmt.Fprintf(&b, "begin mpi // standard deviations between processes %d and %d: %s s, %s s\nsend = %s\nreceive = %s\nend mpi\nend machine\n",
		s.Pairs[0].First+1, s.Pairs[0].Second+1, digits(calls.Send.Deviation), digits(calls.Receive.Deviation), digits(medianOf(sends)), digits(medianOf(receives)))
	f, list := parasol.Parse("measured", []byte(b.String()))
	if err := list.Err(); err != nil {
		return "", err
	}
	return f.String(), nil
}

// Par returns the network as Predictor.par in the form of 2010 (R 2.4): hosts of
// processes, with the latency and the time of a byte of the typical pair within a
// host and of that between hosts. The latency includes the overheads, for which
// this language has no words.
func (n *Network) Par() string {
	s := n.Samples
	hosts := s.hosts()
	var b strings.Builder
	b.WriteString("// Measured with messages between pairs of processes: TStart in microseconds, TByte\n// in microseconds per byte. That messages of different pairs do not wait for each\n// other is assumed, and that all processors have power 1.\n")
	n.conditions(&b)
	node := func(name string, within bool, channels int) {
		p := s.typical(within)
		k := p.Link()
		k.words(&b, s, p)
		fmt.Fprintf(&b, "%s.CommType = myrinet(%d);\n%s.TStart = %s; // standard deviation %s\n%s.TByte = %s; // standard deviation %s\n", name, channels,
			name, digits(k.Latency.Mean*1e6), digits(k.Latency.Deviation*1e6), name, digits(k.PerByte.Mean*1e6), digits(k.PerByte.Deviation*1e6))
	}
	first := "host"
	switch {
	case len(hosts) == 1:
		fmt.Fprintf(&b, "cluster = host;\n\n")
	case s.typical(true) == nil:
		first = "process"
		fallthrough
	default:
		fmt.Fprintf(&b, "cluster = hosts;\n\nhosts = {%d x %s};\n", len(hosts), first)
		node("hosts", false, len(hosts))
		b.WriteString("\n")
	}
	if first == "host" {
		fmt.Fprintf(&b, "host = {%d x process};\n", len(hosts[0]))
		node("host", true, len(hosts[0]))
		b.WriteString("\n")
	}
	b.WriteString("process = 1;\n")
	return b.String()
}

// conditions writes under which conditions the links were measured.
func (n *Network) conditions(b *strings.Builder) {
	s := n.Samples
	lines := append([]string{"MPI: " + s.Library}, n.Conditions...)
	lines = append(lines, fmt.Sprintf("clock: steps of %s s, a reading takes %s s", digits(s.Grain), digits(s.Reading)))
	for i, processes := range s.hosts() {
		var numbers strings.Builder
		for _, p := range processes {
			numbers.WriteString(" " + strconv.Itoa(p+1))
		}
		lines = append(lines, fmt.Sprintf("host %d: %s, processors%s", i+1, s.Hosts[processes[0]], numbers.String()))
	}
	for _, l := range lines {
		fmt.Fprintf(b, "// %s\n", strings.Join(strings.Fields(l), " "))
	}
}

// words writes comments that say how well lines describe the messages of a pair.
func (k Link) words(b *strings.Builder, s *Samples, p *Pair) {
	where := "within " + s.Hosts[p.First]
	if s.Hosts[p.First] != s.Hosts[p.Second] {
		where = "between " + s.Hosts[p.First] + " and " + s.Hosts[p.Second]
	}
	fmt.Fprintf(b, "// Processors %d and %d, %s: send takes %s s, receive %s s.\n", p.First+1, p.Second+1, where, digits(k.Send.Mean), digits(k.Receive.Mean))
	fmt.Fprintf(b, "// One line for %d to %d bytes: %s s + bytes * %s s; the times differ from it by\n// %s in the median, at most by %s, at %d bytes.\n",
		k.Line.From, k.Line.To, digits(k.Line.Latency), digits(k.Line.PerByte), percent(k.Line.Median), percent(k.Line.Worst), k.Line.WorstAt)
	if len(k.Pieces) == 1 {
		return
	}
	fmt.Fprintf(b, "// One line does not fit within %s from %d bytes on. Better:\n", percent(Tolerance), k.Pieces[1].From)
	for _, l := range k.Pieces {
		fmt.Fprintf(b, "// %d to %d bytes: %s s + bytes * %s s, median difference %s, at most %s\n", l.From, l.To, digits(l.Latency), digits(l.PerByte), percent(l.Median), percent(l.Worst))
	}
}

// percent writes a relative difference for people.
func percent(f float64) string { return expr.FormatFloat(float64(int64(f*1000+0.5))/10) + " %" }

// clean makes a text one that can stand in quotes.
func clean(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '"' || c < ' ' {
			return ' '
		}
		return c
	}, text)
}
