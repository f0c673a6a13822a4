//go:build !unix

package cli

import "os"

// deadly returns the signals that end a process in ordinary life.
func deadly() []os.Signal { return []os.Signal{os.Interrupt} }

// dieBy ends the process; here a signal cannot do it.
func dieBy(os.Signal) { os.Exit(ExitFailed) }
