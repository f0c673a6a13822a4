// Package diag holds positions in inputs and the errors that carry them.
//
// Every complaint about an input says where it is, what was found, what was
// expected and what to do: "file:line:col: message". Errors are values; the
// package prints nothing.
package diag

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Sentinels that commands branch on with [errors.Is]. An [Error] that wraps
// none of them is a malformed input.
var (
	// ErrTruncated marks an input that ended before its end record or its
	// program end.
	ErrTruncated = errors.New("truncated input")
	// ErrImpossible marks an input that is well formed but cannot be
	// simulated as asked, such as a shadow edge wider than a block.
	ErrImpossible = errors.New("cannot be simulated")
)

// Pos is a place in an input. Line and Col count from 1, Col in bytes; 0
// means that the part is not known. File is a name for people ("<stdin>").
type Pos struct {
	File string
	Line int
	Col  int
}

// String returns "file:line:col" without the parts that are not known.
func (p Pos) String() string {
	s := p.File
	if s == "" {
		s = "<input>"
	}
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
		if p.Col > 0 {
			s += ":" + strconv.Itoa(p.Col)
		}
	}
	return s
}

// Severity says whether a diagnostic stops the work.
type Severity uint8

const (
	// SeverityError is a fault: the command fails.
	SeverityError Severity = iota
	// SeverityWarning is a remark on what may be wrong: the command goes on.
	SeverityWarning
	// SeverityNote is a remark on how something is read that is in order:
	// nothing counts it.
	SeverityNote
)

// Error is a diagnostic with a position. Code is stable and names the kind
// of fault ("ptr/time", "par/undefined"); Msg is one line in lower case
// without a full stop. Source, when set, is the line of the input at Pos and
// is shown under the message with a caret at Pos.Col.
type Error struct {
	Pos      Pos
	Code     string
	Msg      string
	Severity Severity
	Source   string
	Err      error
}

// New returns an error at pos with a formatted message.
func New(pos Pos, code, format string, args ...any) *Error {
	return &Error{Pos: pos, Code: code, Msg: fmt.Sprintf(format, args...)}
}

// Truncated returns an error at pos that wraps [ErrTruncated].
func Truncated(pos Pos, code, format string, args ...any) *Error {
	e := New(pos, code, format, args...)
	e.Err = ErrTruncated
	return e
}

// Impossible returns an error at pos that wraps [ErrImpossible].
func Impossible(pos Pos, code, format string, args ...any) *Error {
	e := New(pos, code, format, args...)
	e.Err = ErrImpossible
	return e
}

// Warn returns a warning at pos with a formatted message.
func Warn(pos Pos, code, format string, args ...any) *Error {
	e := New(pos, code, format, args...)
	e.Severity = SeverityWarning
	return e
}

// Note returns a note at pos with a formatted message.
func Note(pos Pos, code, format string, args ...any) *Error {
	e := New(pos, code, format, args...)
	e.Severity = SeverityNote
	return e
}

// Error returns "file:line:col: message", with "warning: " or "note: " before
// the message of one, and below it the source line with a caret when it is known.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Pos.String())
	b.WriteString(": ")
	switch e.Severity {
	case SeverityError:
	case SeverityWarning:
		b.WriteString("warning: ")
	case SeverityNote:
		b.WriteString("note: ")
	}
	b.WriteString(e.Msg)
	if e.Source != "" {
		b.WriteString("\n  " + e.Source)
		if e.Pos.Col > 0 {
			b.WriteString("\n  " + caret(e.Source, e.Pos.Col))
		}
	}
	return b.String()
}

// Unwrap returns the sentinel or cause.
func (e *Error) Unwrap() error { return e.Err }

// caret returns blanks up to column col of line, keeping tabs, and a caret.
func caret(line string, col int) string {
	var b strings.Builder
	for i, r := range line {
		if i >= col-1 {
			break
		}
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	b.WriteByte('^')
	return b.String()
}

// MaxErrors is how many errors of one input are worth showing.
const MaxErrors = 20

// List collects diagnostics of one input.
type List []*Error

// Add appends e.
func (l *List) Add(e *Error) { *l = append(*l, e) }

// Sort orders by file, line and column, stably.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b *Error) int {
		if c := strings.Compare(a.Pos.File, b.Pos.File); c != 0 {
			return c
		}
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Col - b.Pos.Col
	})
}

// Err returns nil when l holds no error (warnings and notes do not count), and
// otherwise an error that prints at most [MaxErrors] of them, one after the
// other, and the number left out.
func (l List) Err() error {
	var errs []error
	n := 0
	for _, e := range l {
		if e.Severity != SeverityError {
			continue
		}
		n++
		if n <= MaxErrors {
			errs = append(errs, e)
		}
	}
	if n > MaxErrors {
		errs = append(errs, fmt.Errorf("and %d more errors", n-MaxErrors))
	}
	return errors.Join(errs...)
}

// Warnings returns the warnings of l in order.
func (l List) Warnings() []*Error { return l.only(SeverityWarning) }

// Notes returns the notes of l in order.
func (l List) Notes() []*Error { return l.only(SeverityNote) }

func (l List) only(s Severity) []*Error {
	var found []*Error
	for _, e := range l {
		if e.Severity == s {
			found = append(found, e)
		}
	}
	return found
}

// Suggest returns the entry of known nearest to name when it is near enough
// to be a misspelling (at most a third of its letters wrong), else "".
func Suggest(name string, known []string) string {
	best, bestDist := "", len(name)/3+2
	for _, k := range known {
		if strings.EqualFold(k, name) {
			return k
		}
		if d := distance(name, k); d < bestDist {
			best, bestDist = k, d
		}
	}
	return best
}

// DidYouMean returns `; did you mean "x"?` for the nearest entry of known, or
// "" when none is near.
func DidYouMean(name string, known []string) string {
	if s := Suggest(name, known); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

// distance is the optimal string alignment distance (insertions, deletions,
// substitutions, exchanges of neighbours).
func distance(a, b string) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
