package open

import (
	"dvmtools/cmd/internal/cli"
	"dvmtools/pkg/diag"
)

// strict reports whether the command treats warnings as errors.
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

// WarnOfTrace is [Warn] for the warnings of a trace that is simulated. Those about
// unknown functions are left out: the simulation warns how it treats them, and
// how many times they are called.
func WarnOfTrace(e *cli.Env, list []*diag.Error) (int, error) {
	var kept []*diag.Error
	for _, w := range list {
		if w.Code != "ptr/unknown-function" {
			kept = append(kept, w)
		}
	}
	return Warn(e, kept)
}
