package measure

import (
	"bufio"
	_ "embed" // the program for messages
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// PingPong is a program in C with MPI that measures messages between pairs of
// its processes: the first two of each host, and the first ones of every two
// hosts. Its arguments are the numbers of rounds and of repeats, the seconds of
// a batch and the sizes of messages in bytes; [ReadSamples] reads its output.
//
//go:embed mpi/pingpong.c
var PingPong string

// Sizes returns the sizes of messages up to the largest: powers of two from 1.
func Sizes(largest int) []int {
	var all []int
	for s := 1; s <= largest; s *= 2 {
		all = append(all, s)
	}
	return all
}

// Samples are what [PingPong] measured.
type Samples struct {
	// Library is the name and version of the MPI library.
	Library string
	// Grain and Reading are the step of the clock and the time of reading it, in
	// seconds.
	Grain, Reading float64
	// Hosts has the name of the host of each process.
	Hosts []string
	Pairs []*Pair
}

// A Pair is what was measured between two processes.
type Pair struct {
	First, Second int
	// Sizes ascend; Times[i] are the seconds of messages of Sizes[i], one for each
	// round.
	Sizes []int64
	Times [][]float64
	// Send and Receive are the seconds that a call takes which sends a small
	// message, and one which receives one that has arrived, for each round.
	Send, Receive []float64
}

// Output is what [PingPong] printed, perhaps in several runs between the same
// processes: the lines before the first result, and the lines of every complete
// round.
type Output struct {
	Head   []string
	Rounds [][]string
}

// Follow reads the output of a run of [PingPong] as it comes. It calls head with the
// first lines, pair when a pair is complete in a round, with how often that happened
// and how many pairs there are, and round with the lines of each round that is
// complete and in order. It ends at the first error, also that of one of them. The
// error says too when the output is not whole.
func Follow(r io.Reader, head func(lines []string) error, pair func(done, pairs int), round func(lines []string) error) error {
	in := bufio.NewScanner(r)
	var o Output
	var lines []string
	pairs, done := 0, 0
	for in.Scan() {
		what, rest, _ := strings.Cut(in.Text(), " ")
		if what == "end" && pairs > 0 && len(lines) == 0 {
			return nil
		}
		lines = append(lines, in.Text())
		switch what {
		case "pairs":
			// No round is in order without pairs.
			if n, err := strconv.Atoi(rest); err == nil {
				pairs = n
			}
			o.Head, lines = lines, nil
			if err := head(o.Head); err != nil {
				return err
			}
		case "library", "clock", "process":
		case "message", "send":
		case "receive":
			done++
			pair(done, pairs)
			if pairs == 0 || done%pairs > 0 {
				continue
			}
			o.Rounds = [][]string{lines}
			if _, err := o.Samples(); err != nil {
				return err
			}
			if err := round(lines); err != nil {
				return err
			}
			lines = nil
		default:
			return fmt.Errorf("the program for messages printed %q: expected a result", in.Text())
		}
	}
	if err := in.Err(); err != nil {
		return err
	}
	return ErrEnded
}

// ErrEnded is the error of an output that has no end.
var ErrEnded = errors.New("the program for messages ended before its results were complete")

// Samples returns what the rounds show. The error says what is not in order.
func (o *Output) Samples() (*Samples, error) {
	var b strings.Builder
	for _, lines := range append([][]string{o.Head}, o.Rounds...) {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	return ReadSamples(strings.NewReader(b.String()+"end\n"), len(o.Rounds))
}

// SameProcesses tells whether two outputs are of the same library and processes.
// The clock may differ.
func (o *Output) SameProcesses(head []string) bool {
	without := func(lines []string) []string {
		return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.HasPrefix(l, "clock ") })
	}
	return slices.Equal(without(o.Head), without(head))
}

// ReadSamples reads the output of [PingPong] for a number of rounds. The error says
// when the output is not whole.
func ReadSamples(r io.Reader, rounds int) (*Samples, error) {
	var s Samples
	lines := bufio.NewScanner(r)
	pairs := 0
	for lines.Scan() {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		var err error
		switch what {
		case "library":
			s.Library = rest
		case "clock":
			_, err = fmt.Sscan(rest, &s.Grain, &s.Reading)
		case "process":
			number, name, _ := strings.Cut(rest, " ")
			if number != strconv.Itoa(len(s.Hosts)) || name == "" {
				err = errors.New("expected processes in order, with the names of their hosts")
			}
			s.Hosts = append(s.Hosts, name)
		case "pairs":
			_, err = fmt.Sscan(rest, &pairs)
		case "message", "send", "receive":
			err = s.add(what, rest)
		case "end":
			return &s, s.whole(rounds, pairs)
		default:
			err = errors.New("expected a result")
		}
		if err != nil {
			return nil, fmt.Errorf("the program for messages printed %q: %w", lines.Text(), err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	return nil, ErrEnded
}

// add takes a result.
func (s *Samples) add(what, text string) error {
	var round, first, second int
	var size int64
	var seconds float64
	if _, err := fmt.Sscan(text, &round, &first, &second, &size, &seconds); err != nil {
		return err
	}
	if first < 0 || first >= len(s.Hosts) || second < 0 || second >= len(s.Hosts) || size < 1 || !(seconds >= 0) || math.IsInf(seconds, 0) {
		return errors.New("expected two processes, bytes from 1 and a time")
	}
	i := slices.IndexFunc(s.Pairs, func(p *Pair) bool { return p.First == first && p.Second == second })
	if i < 0 {
		i = len(s.Pairs)
		s.Pairs = append(s.Pairs, &Pair{First: first, Second: second})
	}
	p := s.Pairs[i]
	switch what {
	case "send":
		p.Send = append(p.Send, max(0, seconds-s.Reading))
		return nil
	case "receive":
		p.Receive = append(p.Receive, max(0, seconds-s.Reading))
		return nil
	}
	if !(seconds > 0) {
		return errors.New("expected a time above 0")
	}
	at, found := slices.BinarySearch(p.Sizes, size)
	if !found {
		p.Sizes = slices.Insert(p.Sizes, at, size)
		p.Times = slices.Insert(p.Times, at, []float64(nil))
	}
	p.Times[at] = append(p.Times[at], seconds)
	return nil
}

// whole checks that all pairs have all results.
func (s *Samples) whole(rounds, pairs int) error {
	if len(s.Pairs) == 0 || len(s.Pairs) != pairs {
		return fmt.Errorf("the program for messages measured %d pairs of %d: it needs two processes or more", len(s.Pairs), pairs)
	}
	for _, p := range s.Pairs {
		complete := len(p.Send) == rounds && len(p.Receive) == rounds && len(p.Sizes) >= 2
		for _, t := range p.Times {
			complete = complete && len(t) == rounds
		}
		if !complete {
			return fmt.Errorf("the program for messages has no %d results for each size between processes %d and %d", rounds, p.First, p.Second)
		}
	}
	return nil
}

// medianOf returns the middle of numbers, which it does not sort in place.
func medianOf(all []float64) float64 { return median(slices.Sorted(slices.Values(all))) }
