package open

import (
	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
)

// strict tells whether the command takes warnings for errors.
func strict(e *cli.Env) bool { return e.Flags.Bool("strict") }

// Warn shows the warnings about an input and returns how many there are; with
// --strict the first is returned as an error instead.
func Warn(e *cli.Env, list []*diag.Error) (int, error) {
	for _, w := range list {
		if strict(e) {
			refused := *w
			refused.Severity = diag.SeverityError
			return 0, &refused
		}
		e.Warn(w)
	}
	return len(list), nil
}

// WarnOfTrace is [Warn] for what was noticed in a trace that is simulated.
// Functions outside the table are left out: the simulation says what it takes
// them for, and how many times they are called.
func WarnOfTrace(e *cli.Env, list []*diag.Error) (int, error) {
	var kept []*diag.Error
	for _, w := range list {
		if w.Code != "ptr/unknown-function" {
			kept = append(kept, w)
		}
	}
	return Warn(e, kept)
}
