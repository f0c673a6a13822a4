package main

import (
	"context"
	"fmt"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/machine/measure"
)

// sampling makes the steps of all series in turn, one of each in a round, so that
// those of a series are spread over the whole time and lie in different processes.
type sampling struct {
	*fortran
	kept  *journal
	names []string
	// programs returns what is measured under a name.
	programs func(name string) pair
}

// pair is a quantity with the texts of its two programs.
type pair struct {
	quantity measure.Quantity
	sources  func() (first, second string)
}

// run makes all steps that are left.
func (s sampling) run(ctx context.Context, e *cli.Env) error {
	if err := s.start(ctx, e); err != nil {
		return err
	}
	p := pace{options: s.options, steps: map[attempt]spent{}, built: map[string]bool{}}
	done, total := p.count(s.names, s.kept)
	bar := e.Steps(done, total)
	for open := true; open; {
		open = false
		for _, n := range s.names {
			series := s.kept.of(n)
			if series.Done {
				continue
			}
			open = true
			done, total = p.count(s.names, s.kept)
			bar.Of(total)
			bar.NextLeft(done, n, p.left(s.names, s.kept))
			if err := s.next(ctx, n, series, &p, bar); err != nil {
				return fmt.Errorf("measuring %s: %w", n, err)
			}
		}
	}
	return nil
}

// next makes a step of a series, whose programs are compiled before the first.
func (s sampling) next(ctx context.Context, name string, series *measure.Series, p *pace, bar *cli.Steps) error {
	bar.Lap()
	if !p.built[name] {
		first, second := s.programs(name).sources()
		if err := s.build(ctx, name, first, second); err != nil {
			return err
		}
		p.compiled(name, bar.Lap())
	}
	again := series.Again
	if err := s.step(ctx, name, series); err != nil {
		return err
	}
	p.stepped(attempt{name, again}, bar.Lap())
	if series.Done {
		s.remove(name)
	}
	return s.kept.keep(name)
}

// step makes a step of a series in a process of its own.
func (s sampling) step(ctx context.Context, name string, series *measure.Series) error {
	p, err := s.launch(ctx, name)
	if err != nil {
		return err
	}
	defer p.close()
	return series.Step(loop{p, 1}, loop{p, 2}, s.programs(name).quantity, s.options)
}

// pace tells how much of a sampling is done and how long the rest will take: by
// what each series took so far, as one may need ten times the time of another.
type pace struct {
	options   measure.Options
	compiling spent
	steps     map[attempt]spent
	built     map[string]bool
}

// attempt is the first attempt of a series, or the second one.
type attempt struct {
	name  string
	again bool
}

// spent is the time of a number of equal things.
type spent struct {
	seconds float64
	n       int
}

func (s spent) plus(seconds float64) spent { return spent{s.seconds + seconds, s.n + 1} }

// mean is that of one; there must be one at least.
func (s spent) mean() float64 { return s.seconds / float64(s.n) }

func (p *pace) compiled(name string, seconds float64) {
	p.compiling, p.built[name] = p.compiling.plus(seconds), true
}

func (p *pace) stepped(a attempt, seconds float64) { p.steps[a] = p.steps[a].plus(seconds) }

// count returns how many steps are done, and how many there are: more than were
// planned when a series needs a second attempt.
func (p *pace) count(names []string, kept *journal) (done, total int) {
	each := p.options.Samples * p.options.Processes
	for _, n := range names {
		s := kept.of(n)
		mine, left := len(s.Samples)*p.options.Processes+s.Steps, s.Left(p.options)
		if s.Again {
			mine += each
		}
		done += mine
		total += mine + left
	}
	return done, total
}

// left returns how many seconds the rest will take, negative when nothing was done
// yet.
func (p *pace) left(names []string, kept *journal) float64 {
	var all spent
	for _, n := range names {
		if s, ok := p.steps[attempt{n, false}]; ok {
			all = all.plus(s.mean())
		}
	}
	if p.compiling.n == 0 || all.n == 0 {
		return -1
	}
	seconds := 0.0
	for _, n := range names {
		s := kept.of(n)
		if s.Done {
			continue
		}
		if !p.built[n] {
			seconds += p.compiling.mean()
		}
		each := all.mean()
		if first, ok := p.steps[attempt{n, false}]; ok {
			each = first.mean()
		}
		if s.Again { // its runs take twice the time
			each *= 2
			if second, ok := p.steps[attempt{n, true}]; ok {
				each = second.mean()
			}
		}
		seconds += p.expected(s) * each
	}
	return seconds
}

// expected returns how many steps a series that is not done will take, in steps of
// its attempt. What takes no time has as many samples below 0 as above, so that each
// attempt ends after a few. One sample below 0 may be by chance.
func (p *pace) expected(s *measure.Series) float64 {
	o := p.options
	n, left := s.Negative(), float64(s.Left(o))
	fails := func(n int) float64 { return float64(2 * max(1, o.MaxNegative()+1-n) * o.Processes) }
	never := fails(n) + 2*fails(0) // the runs of the second attempt take twice the time
	switch {
	case s.Again:
		return min(left, fails(n))
	case n > 1:
		return never
	case n == 1:
		return (left + never) / 2
	}
	return left
}
