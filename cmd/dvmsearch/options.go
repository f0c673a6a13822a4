package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/search"
	"dvmtools/pkg/units"
)

// configure reads the options of a search on the machine of cfg.
func configure(e *cli.Env, cfg *search.Config) error {
	var err error
	if cfg.Mode, err = modeOf(e, cfg.Machine.Search); err != nil {
		return err
	}
	cfg.Objective = search.Objective(e.Flags.String("objective"))
	if !slices.Contains(search.Objectives(), cfg.Objective) {
		return cli.Usagef("--objective: found %q, expected time, efficiency or cost", cfg.Objective)
	}
	if cfg.WholeNodes = e.Flags.Bool("whole-nodes"); cfg.WholeNodes && cfg.Objective != search.Cost {
		return cli.Usagef("--whole-nodes says how cost is counted, expected --objective cost beside it")
	}
	if cfg.Threshold, err = share(e, "threshold"); err != nil {
		return err
	}
	if cfg.Threshold >= 1 {
		return cli.Usagef("--threshold: found %s, expected less than 100%%", e.Flags.String("threshold"))
	}
	if e.Flags.IsSet("min-efficiency") {
		if cfg.Limits.Efficiency, err = share(e, "min-efficiency"); err != nil {
			return err
		}
	}
	if e.Flags.IsSet("deadline") {
		d := e.Flags.Duration("deadline")
		if d <= 0 {
			return cli.Usagef("--deadline: found %s, expected a time above 0", d)
		}
		cfg.Limits.Deadline = units.Seconds(d.Seconds())
	}
	if e.Flags.IsSet("rank") {
		if cfg.Rank = e.Flags.Int("rank"); cfg.Rank < 1 {
			return cli.Usagef("--rank: found %d, expected at least 1", cfg.Rank)
		}
	}
	if d := e.Flags.Duration("time-limit"); e.Flags.IsSet("time-limit") && d <= 0 {
		return cli.Usagef("--time-limit: found %s, expected a time above 0", d)
	}
	cfg.Explain = e.Flags.Bool("explain")
	cfg.Lenient, cfg.Strict = e.Flags.Bool("lenient"), e.Flags.Bool("strict")
	return nil
}

// modeOf returns the search mode. file is that of the machine file, 0 when it
// states none.
func modeOf(e *cli.Env, file int) (int, error) {
	modes := []int{search.Heuristic, search.NotBad, search.All, search.Compare}
	if e.Flags.IsSet("mode") {
		file = e.Flags.Int("mode")
		if !slices.Contains(modes, file) {
			return 0, cli.Usagef("--mode: found %d, expected 1 (heuristic), 2 (grids that are not bad), 3 (all grids) or 5 (1 and 2, compared)", file)
		}
	}
	if !slices.Contains(modes, file) {
		return search.Heuristic, nil
	}
	return file, nil
}

// limit returns what ends each search of a run: the time limit, if there is one,
// and the end of stopped.
func limit(e *cli.Env, stopped context.Context) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		own, cancel := context.WithCancel(ctx)
		if after := e.Flags.Duration("time-limit"); after > 0 {
			own, cancel = context.WithTimeout(ctx, after)
		}
		context.AfterFunc(stopped, cancel)
		return own, cancel
	}
}

// progress returns a function that shows the progress of a search.
func progress(e *cli.Env) func(tried, most int, best *search.Best) {
	var steps *cli.Steps
	return func(tried, most int, best *search.Best) {
		if steps == nil {
			steps = e.Steps(0, most)
		}
		steps.Of(most)
		steps.Next(tried, fmt.Sprintf("best grid %s: %s", search.GridText(best.Grid), best.ExecutionTime.Short()))
	}
}

// share reads an option that is a number from 0 to 1, or one with a per cent
// sign.
func share(e *cli.Env, name string) (float64, error) {
	text := e.Flags.String(name)
	digits, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, cli.Usagef("--%s: found %q, expected a share such as 0.05 or 5%%", name, text)
	}
	return x, nil
}
