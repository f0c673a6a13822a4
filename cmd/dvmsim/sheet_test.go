package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The lines of an explanation; times are in microseconds.
var (
	systemLine   = regexp.MustCompile(`^current processor system: (\S+) = (\d+) processors, clocks at (\S+) us at the latest$`)
	baseLine     = regexp.MustCompile(`^(?:user time before|time inside) the call (\S+) us: on every processor (\S+) us / power, of which \(P-1\)/P = (\d+)/(\d+) `)
	togetherLine = regexp.MustCompile(`^all processors of system \S+ wait for the latest: they start at (\S+) us `)
	stepLine     = regexp.MustCompile(`^(\w+) on (ethernet|myrinet|transputer)(?:\((\d+)\))? of "[^"]+"(?: from processor \d+)?: (.*), from (\S+) to (\S+) us: (\S+) us$`)
	wholeLine    = regexp.MustCompile(`^exchange from (\S+) us to (\S+) us: (\S+) us$`)
	waitLine     = regexp.MustCompile(`^waits for the exchange begun by .*: from (\S+) us to (\S+) us; `)
	shareLine    = regexp.MustCompile(` us \* N_i / N / power with N = (\d+), N_i = (\d+)\.\.(\d+); (?:no two processors do the same|(\d+) processors each do the same, \((\d+)-1\)/(\d+) of it)`)
	longestLine  = regexp.MustCompile(`^  the longest: (\S+) us \* (\d+) / (\d+) = (\S+) us on power 1$`)
	pipeLine     = regexp.MustCompile(`^pipeline: D = (\d+) hops, work A = (\S+) us and transfer B = (\S+) us of one processor, TStart = (\S+) us, quantised extents \[([\d ]*)\]: Q = (\d+) quanta(?:, as every dimension is cut)?$`)
	pipeTime     = regexp.MustCompile(`^  equal stages would take T\(Q\) = .* = (\S+) us with Tp = A/Q, Tb = B/Q$`)
	ioLine       = regexp.MustCompile(`^time (?:in input and output|inside the call) (\S+) us: I/O time of processor \d+ alone, whatever its power$`)
	powersLine   = regexp.MustCompile(`^powers, from processor 0 on: (.*)$`)
	stageLine    = regexp.MustCompile(`^  stage at \[[\d ]+\] \(\d+ like it\): from (\S+) us: work (\S+) us \+ TStart (\S+) us \+ transfer (\S+) us \+ waiting (\S+) us = until (\S+) us; transfer beside work (\S+) us$`)
	exportLine   = regexp.MustCompile(`^the exchange of .* begins at the common clock (\S+) us plus the longest time in the iterations that it exports: (\S+) us$`)
	partLine     = regexp.MustCompile(`^loop time (\S+) us in (exported iterations|iterations that need (?:no )?imported elements): at most (\S+) us \* (\d+) / (\d+) = (\S+) us on power 1$`)
	deferredLine = regexp.MustCompile(`^loop time \S+ us, time inside calls in the loop \S+ us: put off until the loop is over$`)
	afterLine    = regexp.MustCompile(`^clocks afterwards: (\S+) us at the latest$`)

	messages = regexp.MustCompile(`^(\d+) x \((\S+) \+ (\S+) x (\d+)\)$`)
	oneHop   = regexp.MustCompile(`^distance 1: (\S+) \+ (\S+) x (\d+)$`)
	farHop   = regexp.MustCompile(`^distance (\d+) in (\d+) portions: \((\d+)-1\+(\d+)\) x \((\S+) \+ (\S+) x (\d+)\)$`)
)

// sheet recomputes one explanation line by line, as its reader would.
type sheet struct {
	t       *testing.T
	where   string
	even    bool
	lands   landing
	figures int

	size   int64
	powers int64   // how many processors the powers are of, 0 when alike
	latest float64 // the latest clock so far
	pipe   []float64
	steps  []step
	silent bool // no message was sent
	// exported is the longest time in the iterations that an exchange waits for.
	exported float64
}

type step struct{ from, to float64 }

// recompute checks the figures of an explanation and returns how many there
// were.
func recompute(t *testing.T, m target, w wanted, text string) int {
	t.Helper()
	s := &sheet{t: t, where: w.call + " of " + w.trace + " on " + m.machine, even: m.even, lands: w.lands}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if !strings.HasPrefix(lines[0], strings.Split(w.call, "@")[0]+" at ") {
		t.Errorf("%s: begins with %q", s.where, lines[0])
	}
	for _, l := range lines[1:] {
		s.line(l)
	}
	if len(lines) < 3 || !afterLine.MatchString(lines[len(lines)-1]) {
		t.Errorf("%s: does not end with the clocks:\n%s", s.where, text)
	}
	return s.figures
}

// near compares a printed figure with a computed one; digits is how many
// significant digits the figure and the clocks it comes from are printed with.
func (s *sheet) near(what string, printed, computed, magnitude float64, digits int) {
	s.t.Helper()
	s.figures++
	if tol := 2 * math.Max(1, math.Abs(magnitude)) * math.Pow10(-digits+1); math.Abs(printed-computed) > tol {
		s.t.Errorf("%s: %s is said to be %.12g us, its operands give %.12g us", s.where, what, printed, computed)
	}
}

func (s *sheet) numbers(texts []string) []float64 {
	out := make([]float64, len(texts))
	for i, x := range texts {
		f, err := strconv.ParseFloat(x, 64)
		if err != nil && x != "" {
			s.t.Fatalf("%s: %q is no number", s.where, x)
		}
		out[i] = f
	}
	return out
}

func (s *sheet) line(l string) {
	s.t.Helper()
	if m := systemLine.FindStringSubmatch(l); m != nil {
		size := int64(1)
		for _, n := range strings.Split(m[1], "x") {
			x, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			size *= x
		}
		if m[2] != fmt.Sprint(size) {
			s.t.Errorf("%s: a grid of %s has %d processors: %s", s.where, m[1], size, l)
		}
		if s.powers != 0 && s.powers != size {
			s.t.Errorf("%s: powers of %d processors, the system has %d", s.where, s.powers, size)
		}
		s.size, s.latest = size, s.numbers(m[3:])[0]
		return
	}
	if m := baseLine.FindStringSubmatch(l); m != nil {
		n := s.numbers(m[1:])
		if n[0] != n[1] || int64(n[2]) != s.size-1 || int64(n[3]) != s.size {
			s.t.Errorf("%s: %s, but there are %d processors", s.where, l, s.size)
		}
		s.latest += n[0]
		return
	}
	if m := togetherLine.FindStringSubmatch(l); m != nil {
		start := s.numbers(m[1:])[0]
		if s.even && s.lands != unsaid {
			s.near("the common start", start, s.latest, start, 9)
		}
		s.latest = start
		return
	}
	if m := stepLine.FindStringSubmatch(l); m != nil {
		s.step(m)
		return
	}
	if l == "no message is sent" {
		s.silent = true
		return
	}
	if m := wholeLine.FindStringSubmatch(l); m != nil {
		s.whole(s.numbers(m[1:]))
		return
	}
	if m := waitLine.FindStringSubmatch(l); m != nil {
		s.latest = math.Max(s.latest, s.numbers(m[1:])[1])
		return
	}
	if m := ioLine.FindStringSubmatch(l); m != nil {
		s.latest += s.numbers(m[1:])[0]
		return
	}
	if m := powersLine.FindStringSubmatch(l); m != nil {
		n := int64(0)
		for run := range strings.SplitSeq(m[1], ", ") {
			count, _, ok := strings.Cut(run, " x ")
			x, err := strconv.ParseInt(count, 10, 64)
			if !ok || err != nil {
				s.t.Errorf("%s: %q is no run of powers", s.where, run)
			}
			n += x
		}
		s.powers = n
		return
	}
	if m := stageLine.FindStringSubmatch(l); m != nil {
		n := s.numbers(m[1:])
		s.near("the end of a stage", n[5], n[0]+n[1]+n[2]+n[3]+n[4], n[5], 9)
		s.latest = math.Max(s.latest, n[5])
		return
	}
	if m := exportLine.FindStringSubmatch(l); m != nil {
		n := s.numbers(m[1:])
		if s.exported == 0 {
			s.t.Errorf("%s: no time in exported iterations: %s", s.where, l)
		}
		if s.even {
			s.near("the start of an exchange", n[1], n[0]+s.exported, n[1], 9)
		} else if n[1] <= n[0] {
			s.t.Errorf("%s: an exchange begins before the clock it is counted from: %s", s.where, l)
		}
		s.exported = 0
		return
	}
	if m := partLine.FindStringSubmatch(l); m != nil {
		n := s.numbers([]string{m[1], m[3], m[4], m[5], m[6]})
		if n[0] != n[1] || n[2] > n[3] {
			s.t.Errorf("%s: a part of another time, or more than all of it: %s", s.where, l)
		}
		s.near("the part of the loop's time", n[4], n[1]*n[2]/n[3], n[4], 9)
		if m[2] == "exported iterations" {
			s.exported += n[4]
		} else {
			s.latest += n[4]
		}
		return
	}
	if m := shareLine.FindStringSubmatch(l); m != nil {
		if m[4] == "" {
			m[4], m[5], m[6] = "1", "1", "1"
		}
		n := s.numbers(m[1:])
		// Nobody has less than nothing or more than everything, and those
		// who do the same are counted alike everywhere.
		if n[1] > n[2] || n[2] > n[0] || n[3] != n[4] || n[3] != n[5] || n[0] > n[2]*float64(s.size)/n[3] {
			s.t.Errorf("%s: shares that cannot be: %s", s.where, l)
		}
		s.figures++
		return
	}
	if m := longestLine.FindStringSubmatch(l); m != nil {
		n := s.numbers(m[1:])
		s.near("the longest share", n[3], n[0]*n[1]/n[2], n[3], 9)
		s.latest += n[3]
		return
	}
	if m := pipeLine.FindStringSubmatch(l); m != nil {
		s.quanta(m)
		return
	}
	if m := pipeTime.FindStringSubmatch(l); m != nil {
		d, a, b, ts, q := s.pipe[0], s.pipe[1], s.pipe[2], s.pipe[3], s.pipe[4]
		tp, tb := a/q, b/q
		said := s.numbers(m[1:])[0]
		s.near("T(Q)", said, tp+d*(ts+tb+tp)+(q-1)*(ts+math.Max(tp, tb)), said, 9)
		return
	}
	if deferredLine.MatchString(l) {
		return // the pipeline, or what ends the loop, says what it comes to
	}
	if m := afterLine.FindStringSubmatch(l); m != nil {
		after := s.numbers(m[1:])[0]
		switch {
		case s.lands == unsaid:
			if s.even && after < s.latest*(1-1e-9) {
				s.t.Errorf("%s: the clocks go back from %.9g to %.9g us", s.where, s.latest, after)
			}
		case s.even:
			s.near("the latest clock afterwards", after, s.latest, after, 8)
		}
		return
	}
	s.t.Errorf("%s: a line that nobody recomputes: %q", s.where, l)
}

// step recomputes when a step on a medium ends.
func (s *sheet) step(m []string) {
	s.t.Helper()
	n := s.numbers(m[5:8])
	s.near("the length of a step", n[2], n[1]-n[0], n[1], 12)
	channels := 1
	if m[3] != "" {
		channels, _ = strconv.Atoi(m[3])
	}
	free := make([]float64, channels)
	longest := 0.0
	for _, term := range strings.Split(m[4], "; ") {
		if k := messages.FindStringSubmatch(term); k != nil {
			x := s.numbers(k[1:])
			each := x[1] + x[2]*x[3]
			if m[2] == "transputer" {
				longest += x[0] * each
				continue
			}
			for range int(x[0]) {
				first := slices.Index(free, slices.Min(free))
				free[first] += each
				longest = math.Max(longest, free[first])
			}
			continue
		}
		if k := oneHop.FindStringSubmatch(term); k != nil {
			x := s.numbers(k[1:])
			longest = math.Max(longest, x[0]+x[1]*x[2])
			continue
		}
		k := farHop.FindStringSubmatch(term)
		if k == nil {
			s.t.Errorf("%s: a term that nobody recomputes: %q", s.where, term)
			return
		}
		x := s.numbers(k[1:])
		if x[0] != x[2] || x[1] != x[3] {
			s.t.Errorf("%s: one distance and number of portions is two: %q", s.where, term)
		}
		longest = math.Max(longest, (x[2]-1+x[3])*(x[4]+x[5]*x[6]))
	}
	s.near("a step", n[2], longest, n[1], 12)
	s.steps = append(s.steps, step{n[0], n[1]})
}

// whole recomputes an exchange from its steps: those on several media run
// side by side, a broadcast begins where the gather ended.
func (s *sheet) whole(n []float64) {
	s.t.Helper()
	s.near("the length of an exchange", n[2], n[1]-n[0], n[1], 9)
	if s.silent != (len(s.steps) == 0) {
		s.t.Errorf("%s: an exchange of %d steps, and silence is %v", s.where, len(s.steps), s.silent)
	}
	s.silent = false
	end := n[0]
	for _, x := range s.steps {
		if x.from < n[0]*(1-1e-8) {
			s.t.Errorf("%s: a step begins at %.9g us, before the exchange at %.9g us", s.where, x.from, n[0])
		}
		end = math.Max(end, x.to)
	}
	s.near("the end of an exchange", n[1], end, n[1], 9)
	s.steps = nil
	switch s.lands {
	case synchronous:
		s.near("the start of an exchange", n[0], s.latest, n[0], 9)
		s.latest = n[1]
	case unsaid:
		s.latest = n[1]
	}
}

// quanta recomputes Q by the formula of the pipelined loop.
func (s *sheet) quanta(m []string) {
	s.t.Helper()
	n := s.numbers(append(slices.Clone(m[1:5]), m[6]))
	s.pipe = n
	all, d, a, b, ts := 1.0, n[0], n[1], n[2], n[3]
	for _, e := range s.numbers(strings.Fields(m[5])) {
		all *= e
	}
	k2 := d * (a + b)
	c := a + (d-1)*ts
	if b > a {
		k2, c = (d+1)*a+(d-1)*b, b+(d-1)*ts
	}
	best, least := 1.0, math.Inf(1)
	for q := 1.0; q <= all; q++ {
		if x := ts*q + k2/q + c; x < least*(1-1e-12) {
			best, least = q, x
		}
	}
	s.figures++
	// Only one dimension is quantised in these programs, so that Q is not
	// rounded to a product.
	if n[4] != best {
		s.t.Errorf("%s: Q is said to be %g, the least T(Q) of 1..%g is at %g", s.where, n[4], all, best)
	}
}
