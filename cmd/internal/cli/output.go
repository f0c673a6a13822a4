package cli

import (
	"errors"
	"io"
	"os"
	"strings"

	"dvmtools/pkg/stream"
)

// outputs are the files that a command writes, committed together.
type outputs struct {
	env   *Env
	path  string // of -o, "" for standard output
	zstd  bool
	level int

	main  *stream.Writer
	all   []*output
	files []namedFile // outputs that exist already
	guard *signalGuard
}

// An output is a file or standard output being written.
type output struct {
	w    *stream.Writer
	file *stream.AtomicFile // nil for standard output
}

// lasting reports whether what was written cannot be undone.
func (o *output) lasting() bool { return o.file == nil || o.file.Direct() }

// expect notes which file the output will replace, so that it is not read.
func (o *outputs) expect() {
	if o.path != "" && o.path != "-" {
		o.note(o.path)
		return
	}
	if f, ok := o.env.stdout.(*os.File); ok {
		if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() {
			o.files = append(o.files, namedFile{stdoutName, fi})
		}
	}
}

func (o *outputs) note(path string) {
	if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
		o.files = append(o.files, namedFile{path, fi})
	}
}

// Out returns the output of the command: standard output, or the file of -o,
// compressed on request. The first call opens it; the environment flushes and
// closes it. Compressed output to a terminal is refused unless "-o -" insists.
func (e *Env) Out() (*stream.Writer, error) {
	o := &e.outs
	if o.main != nil {
		return o.main, nil
	}
	var err error
	if o.path != "" && o.path != "-" {
		o.main, err = o.create(o.path)
		return o.main, err
	}
	if o.zstd && o.path == "" && isTerminal(e.stdout) {
		return nil, Usagef("compressed output is not for a terminal; use -o FILE, or -o - to insist")
	}
	o.main, err = o.add(e.stdout, stdoutName, o.zstd, nil)
	return o.main, err
}

// Colour reports whether the output may contain escape sequences for colours: it
// is a terminal that supports them, and NO_COLOR is not set in the environment.
func (e *Env) Colour() bool {
	return e.outs.path == "" && !e.outs.zstd && isTerminal(e.stdout) && !dumbTerminal() && os.Getenv("NO_COLOR") == ""
}

// Create opens a further output file, besides that of [Env.Out]: like a file
// given with -o it is compressed on request, appears only when the command
// succeeds, and may not be an input.
func (e *Env) Create(path string) (*stream.Writer, error) {
	n := len(e.outs.files)
	e.outs.note(path)
	for _, f := range e.outs.files[n:] {
		if in, same := f.in(e.inFiles); same {
			return nil, sameFile(in, f)
		}
	}
	return e.outs.create(path)
}

func (o *outputs) create(path string) (*stream.Writer, error) {
	file, err := o.open(path)
	if err != nil {
		return nil, err
	}
	w, err := o.add(file, path, o.zstd || strings.HasSuffix(path, ".zst"), file)
	if err != nil {
		file.Abort()
		return nil, err
	}
	return w, nil
}

// open creates the file. Signals are guarded against, unless the file is written
// directly: then there is no temporary file, and opening a FIFO can take long.
func (o *outputs) open(path string) (*stream.AtomicFile, error) {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return stream.Create(path)
	}
	return o.watched().create(path)
}

// watched returns the guard, which is made when it is first needed.
func (o *outputs) watched() *signalGuard {
	if o.guard == nil {
		o.guard = newSignalGuard()
	}
	return o.guard
}

func (o *outputs) add(dst io.Writer, name string, zstd bool, file *stream.AtomicFile) (*stream.Writer, error) {
	w, err := stream.NewWriter(dst, stream.WriterOptions{
		Name: name, Zstd: zstd, Level: o.level, Threads: o.env.threads,
	})
	if err != nil {
		return nil, err
	}
	o.all = append(o.all, &output{w, file})
	return w, nil
}

// finish commits everything when err is nil. Otherwise files stay unchanged, but
// what was written to standard output is flushed: the reader gets the complete
// records before the error. It returns err, joined with errors of its own.
func (o *outputs) finish(err error) error {
	for _, out := range o.all {
		if err != nil && !out.lasting() {
			continue
		}
		if werr := out.w.Close(); werr != nil && !errors.Is(err, werr) {
			err = errors.Join(err, werr)
		}
	}
	for _, out := range o.all {
		if out.file == nil {
			continue
		}
		if err != nil {
			out.file.Abort()
		} else {
			err = out.file.Commit()
		}
	}
	o.guard.stop()
	return err
}

// abort removes all temporary files.
func (o *outputs) abort() {
	for _, out := range o.all {
		if out.file != nil {
			out.file.Abort()
		}
	}
	o.guard.stop()
}
