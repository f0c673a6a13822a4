package whatif

import (
	"errors"
	"strings"
)

// A CauseError is the error of a setting of which it is known what is to blame.
type CauseError struct {
	// Cause is "set NAME" or "scale NAME" for a change of the machine, "grid",
	// "order", "traced-on", or the name of an option of the model.
	Cause string
	Err   error
}

// Error returns the message of what is wrong, without its cause.
func (e *CauseError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *CauseError) Unwrap() error { return e.Err }

// because returns err with its cause, or nil.
func because(cause string, err error) error {
	if err == nil {
		return nil
	}
	return &CauseError{cause, err}
}

// causeOf returns the cause of an error, "" when it is not known.
func causeOf(err error) string {
	if c, ok := errors.AsType[*CauseError](err); ok {
		return c.Cause
	}
	return ""
}

// setCause and scaleCause return the causes that changes of Set and Scale may be.
// Names of what is scaled may have equals signs in brackets.
func setCause(text string) string {
	name, _, _ := strings.Cut(text, "=")
	return "set " + name
}

func scaleCause(text string) string {
	return "scale " + text[:max(0, strings.LastIndexByte(text, '='))]
}
