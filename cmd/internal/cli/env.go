package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"dvmtools/pkg/stream"
)

// The names of the standard streams in messages.
const (
	stdinName  = "<stdin>"
	stdoutName = "<stdout>"
)

// An Env is the environment of a command: its command line, inputs, outputs and
// messages. Only Warn, Note and Report are safe for concurrent use.
type Env struct {
	// Ctx is cancelled when the command is to stop.
	Ctx context.Context
	// Flags holds the values of the options, by their first names.
	Flags *urfave.Context
	// Args are the operands.
	Args []string

	cmd      Command
	parsed   parsedLine
	stdin    io.Reader
	stdout   io.Writer
	talk     *talker
	progress *progress
	threads  int
	quiet    bool
	outs     outputs
	inputs   []*Input
	inFiles  []namedFile
	stdinUse bool
	reported [5]error // the first error of each exit code
}

// Threads returns how many threads the command may use, at least 1: the value
// of -T, or one per processor.
func (e *Env) Threads() int { return e.threads }

// Quiet reports whether -q was given.
func (e *Env) Quiet() bool { return e.quiet }

// Values returns the values that the option called name (its first name) was
// given on the command line, in order and byte for byte (urfave's slices trim
// blanks). Defaults are not among them.
func (e *Env) Values(name string) []string {
	var values []string
	for _, s := range e.parsed.settings {
		if s.opt.name == name {
			values = append(values, s.value)
		}
	}
	return values
}

// Warn prints a warning, unless -q was given. After the first 20 they are
// only counted. It is safe for concurrent use.
func (e *Env) Warn(err error) { e.talk.warn(err) }

// Note prints a note, on how valid input is understood, unless -q was given. It
// is safe for concurrent use.
func (e *Env) Note(err error) { e.talk.note(err) }

// Report prints an error without ending the work. The command then ends with the
// exit code of the error, but its output is committed when it returns nil. After
// the first 20, errors are only counted. It is safe for concurrent use.
func (e *Env) Report(err error) {
	if err == nil {
		return
	}
	e.talk.report(err)
	code := ExitCode(err)
	e.talk.mu.Lock()
	defer e.talk.mu.Unlock()
	if e.reported[code] == nil {
		e.reported[code] = err
	}
}

// An Input is an open input, decompressed.
type Input struct {
	*stream.Reader
	file io.Closer
}

// Close releases the input. The environment closes what is left open.
func (in *Input) Close() error {
	err := in.Reader.Close()
	if in.file != nil {
		err = errors.Join(err, in.file.Close())
		in.file = nil
	}
	return err
}

// Inputs returns the operands, or "-" when there are none.
func (e *Env) Inputs() []string {
	if len(e.Args) == 0 {
		return []string{"-"}
	}
	return e.Args
}

// Open opens a file, or standard input for "-", and decompresses it. Standard
// input that is a terminal is refused: nothing was piped. So is a
// file that is also an output. Errors of opening are [fs.PathError]s.
func (e *Env) Open(name string) (*Input, error) { return e.open(name, e.threads) }

// OpenOneOfMany is [Env.Open] for one of many inputs. It is decompressed by its
// reader alone: goroutines that work ahead have buffers of their own.
func (e *Env) OpenOneOfMany(name string) (*Input, error) { return e.open(name, 1) }

func (e *Env) open(name string, threads int) (*Input, error) {
	in := &Input{}
	src, shown := e.stdin, name
	if name == "-" {
		shown = stdinName
		if e.stdinUse {
			return nil, Usagef("standard input can be read only once")
		}
		if isTerminal(e.stdin) {
			return nil, Usagef("no input: standard input is a terminal; name a file or pipe a stream in")
		}
		e.stdinUse = true
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		src, in.file = f, f
	}
	size, err := e.checkInput(src, shown)
	if err == nil {
		e.progress.add(name, size, e.Args)
		in.Reader, err = stream.NewReader(e.progress.count(src), shown, stream.Threads(threads))
	}
	if err != nil {
		if in.file != nil {
			in.file.Close()
		}
		return nil, err
	}
	e.inputs = append(e.inputs, in)
	return in, nil
}

// checkInput returns the size of an input, -1 when it is not known, and
// refuses one that is an output too.
func (e *Env) checkInput(src io.Reader, shown string) (int64, error) {
	f, ok := src.(*os.File)
	if !ok {
		return -1, nil
	}
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return -1, nil // reading will tell
	}
	this := namedFile{shown, fi}
	e.inFiles = append(e.inFiles, this)
	if out, same := this.in(e.outs.files); same {
		return 0, sameFile(this, out)
	}
	return fi.Size(), nil
}

// closeInputs closes what the command left open.
func (e *Env) closeInputs() {
	for _, in := range e.inputs {
		in.Close() // read only: nothing can be lost
	}
	e.inputs = nil
}

// A namedFile is a regular file in use.
type namedFile struct {
	name string
	info fs.FileInfo
}

func (f namedFile) in(list []namedFile) (namedFile, bool) {
	i := slices.IndexFunc(list, func(o namedFile) bool { return os.SameFile(f.info, o.info) })
	if i < 0 {
		return namedFile{}, false
	}
	return list[i], true
}

func sameFile(in, out namedFile) error {
	return Usagef("input %q and output %q are the same file; write to another one", in.name, out.name)
}
