package stream

import (
	"errors"
	"io/fs"
)

// An IOError is an error of the operating system when reading or writing; what
// was read is not its cause. Op is "read" or "write"; Name is the name of the
// input or output for messages ("<stdin>").
type IOError struct {
	Op   string
	Name string
	Err  error
}

// Error returns "read NAME: reason".
func (e *IOError) Error() string { return e.Op + " " + e.Name + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *IOError) Unwrap() error { return e.Err }

// ioError wraps err. The path in an fs.PathError is left out: for standard
// input it is "/dev/stdin", which the user never typed.
func ioError(op, name string, err error) *IOError {
	if e, ok := errors.AsType[*IOError](err); ok {
		return e
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return &IOError{Op: op, Name: name, Err: err}
}
