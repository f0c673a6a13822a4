package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"dvmtools/pkg/diag"
)

// A talker writes to standard error: whole lines, each with the program's
// name, never mixed with a line of progress.
type talker struct {
	name  string
	w     io.Writer
	quiet bool

	mu       sync.Mutex
	drawn    bool // a line of progress is on the screen
	warnings int
	errors   int
}

// say prints a message. Lines of the input within the message are indented and
// have no program name.
func (t *talker) say(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.eraseLocked()
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if shown, ok := strings.CutPrefix(line, "  "); ok {
			b.WriteString("  " + printable(shown, true) + "\n")
		} else {
			b.WriteString(t.name + ": " + printable(line, false) + "\n")
		}
	}
	io.WriteString(t.w, b.String()) // nobody is left to tell
}

// failure prints the error that ends the program.
func (t *talker) failure(err error) {
	if err == nil {
		return
	}
	text := err.Error()
	if _, ok := errors.AsType[*UsageError](err); ok {
		end := "."
		if strings.HasSuffix(text, "?") {
			end = ""
		}
		text += fmt.Sprintf("%s Try '%s --help'", end, t.name)
	}
	t.say(text)
}

// plain returns the text of a warning or note without the word "warning" or
// "note", which is printed before the position.
func plain(err error) string {
	if d, ok := err.(*diag.Error); ok {
		bare := *d
		bare.Severity = diag.SeverityError
		return bare.Error()
	}
	return err.Error()
}

// note prints a note unless none are wanted.
func (t *talker) note(err error) {
	if !t.quiet {
		t.say("note: " + plain(err))
	}
}

// warn prints a warning unless there were too many or none are wanted.
func (t *talker) warn(err error) {
	text := plain(err)
	t.mu.Lock()
	t.warnings++
	show := !t.quiet && t.warnings <= diag.MaxErrors
	t.mu.Unlock()
	if show {
		t.say("warning: " + text)
	}
}

// report prints an error that does not end the program, unless there were too
// many.
func (t *talker) report(err error) {
	t.mu.Lock()
	t.errors++
	show := t.errors <= diag.MaxErrors
	t.mu.Unlock()
	if show {
		t.say(err.Error())
	}
}

// suppressed says how many messages were left out.
func (t *talker) suppressed() {
	t.mu.Lock()
	warnings, errs := t.warnings-diag.MaxErrors, t.errors-diag.MaxErrors
	t.mu.Unlock()
	if warnings > 0 && !t.quiet {
		t.say(fmt.Sprintf("and %d more warnings", warnings))
	}
	if errs > 0 {
		t.say(fmt.Sprintf("and %d more errors", errs))
	}
}

// draw shows a line of progress in place of the last one.
func (t *talker) draw(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drawn = true
	io.WriteString(t.w, "\r"+t.name+": "+text+"\x1b[K")
}

// erase takes the line of progress off the screen.
func (t *talker) erase() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.eraseLocked()
}

func (t *talker) eraseLocked() {
	if t.drawn {
		t.drawn = false
		io.WriteString(t.w, "\r\x1b[K")
	}
}

// printable makes text safe for a terminal: file names and lines of an input
// may hold control characters. They become \xNN, or, where columns must be
// kept because a caret stands below, one "?" each; tabs stay.
func printable(text string, columns bool) string {
	clean := true
	for _, r := range text {
		if unsafe(r) || r == utf8.RuneError {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case !unsafe(r) && (r != utf8.RuneError || size > 1):
			b.WriteRune(r)
		case columns:
			b.WriteByte('?')
		default:
			for _, c := range []byte(text[i : i+size]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		}
	}
	return b.String()
}

// unsafe reports whether a terminal might interpret r as a command.
func unsafe(r rune) bool {
	return r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}
