package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/stream"
)

// Exit codes of all commands. New ones may come: any code but 0 is a
// failure.
const (
	ExitDone     = 0
	ExitFailed   = 1 // could not do it: simulation impossible, search found nothing
	ExitUsage    = 2 // wrong command line
	ExitBadInput = 3 // an input is malformed, truncated or of another version
	ExitIO       = 4 // cannot open, read or write
)

// A UsageError is a wrong command line.
type UsageError struct{ Msg string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Msg }

// Usagef returns a [UsageError] with a formatted message.
func Usagef(format string, args ...any) error {
	return &UsageError{Msg: fmt.Sprintf(format, args...)}
}

// ExitCode returns the exit code for an error, the only place that decides
// it. Of several errors joined, the command line counts most, then bad input,
// then input and output, then the rest.
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}
	found := [5]bool{}
	classify(err, &found)
	for _, code := range []int{ExitUsage, ExitBadInput, ExitIO} {
		if found[code] {
			return code
		}
	}
	return ExitFailed
}

// classify marks the codes of all errors that are joined in err.
func classify(err error, found *[5]bool) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			classify(e, found)
		}
		return
	}
	switch e := err.(type) {
	case nil:
		return
	case *UsageError:
		found[ExitUsage] = true
		return
	case *diag.Error:
		switch {
		case errors.Is(e, diag.ErrImpossible):
			found[ExitFailed] = true
		case refusedBySystem(e.Err): // such as a file that another one includes
			found[ExitIO] = true
		default:
			found[ExitBadInput] = true
		}
		return
	case *stream.IOError, *fs.PathError, *os.LinkError, *os.SyscallError, syscall.Errno:
		found[ExitIO] = true
		return
	}
	switch err {
	case diag.ErrTruncated:
		found[ExitBadInput] = true
		return
	case fs.ErrNotExist, fs.ErrPermission, fs.ErrClosed, fs.ErrExist:
		found[ExitIO] = true
		return
	}
	if inner := errors.Unwrap(err); inner != nil {
		classify(inner, found)
		return
	}
	found[ExitFailed] = true
}

// refusedBySystem tells whether the operating system is the cause of err.
func refusedBySystem(err error) bool {
	if err == nil {
		return false
	}
	var found [5]bool
	classify(err, &found)
	return found[ExitIO]
}

// writeError is what a failed write to standard output becomes.
func writeError(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return &stream.IOError{Op: "write", Name: stdoutName, Err: err}
}
