package stream

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// An AtomicFile is an output file that appears under its name only when it is
// complete. Until [AtomicFile.Commit] its content is in a private temporary
// file in the same directory, and a file that already exists stays unchanged. A
// path that exists and is not a regular file (/dev/null, a FIFO) is written
// directly. Only one goroutine may call Write; Commit and Abort may be called
// from any, such as a signal handler.
type AtomicFile struct {
	path   string // as given, for messages
	target string // path with symbolic links followed
	temp   string // "" when written directly
	mode   fs.FileMode
	f      *os.File

	mu   sync.Mutex
	done bool
}

// Create prepares the output path. Its errors are those of the operating system,
// as for a directory that is missing or cannot be written.
func Create(path string) (*AtomicFile, error) {
	if path == "" {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrNotExist}
	}
	fi, err := os.Stat(path)
	if err == nil && !fi.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &AtomicFile{path: path, target: path, f: f}, nil
	}
	a := &AtomicFile{path: path, target: followLinks(path)}
	dir, base := filepath.Split(a.target)
	if dir == "" {
		dir = "."
	}
	if base == "" || base == "." || base == ".." {
		return nil, &fs.PathError{Op: "create", Path: path, Err: syscall.EISDIR}
	}
	if a.f, err = os.CreateTemp(dir, tempPattern(base)); err != nil {
		// The name of the temporary file means nothing to the user.
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err
		}
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	a.temp = a.f.Name()
	if fi != nil {
		a.mode = fi.Mode().Perm() // as writing into the file would leave it
	} else if a.mode, err = newFileMode(a.temp); err != nil {
		a.Abort()
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return a, nil
}

// tempPattern returns the pattern of the temporary name, cut to what file systems
// allow.
func tempPattern(base string) string {
	if len(base) > 200 {
		base = base[:200]
	}
	return "." + base + ".*.tmp"
}

// newFileMode returns the permissions that the umask gives to new files. It
// creates an empty file next to temp to see them: the umask can only be read by
// changing it for the whole process, and temp itself must not be created with
// these permissions, because others could then open it.
func newFileMode(temp string) (fs.FileMode, error) {
	probe := temp + ".mode"
	f, err := os.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, err
	}
	defer os.Remove(probe)
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return fi.Mode().Perm(), nil
}

// followLinks returns the path that symbolic links at path lead to, even when
// that does not exist yet: writing through a link keeps the link.
func followLinks(path string) string {
	target := path
	for range 40 { // as many as Linux follows
		to, err := os.Readlink(target)
		if err != nil {
			return target
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(target), to)
		}
		target = to
	}
	return path
}

// Write writes p to the temporary file. Its error is an [IOError] that names
// the path given to [Create].
func (a *AtomicFile) Write(p []byte) (int, error) {
	n, err := a.f.Write(p)
	if err != nil {
		return n, ioError("write", a.path, err)
	}
	return n, nil
}

// Direct reports whether the path is written directly because it is not a regular
// file: what was written cannot be undone.
func (a *AtomicFile) Direct() bool { return a.temp == "" }

// Path returns the path given to [Create].
func (a *AtomicFile) Path() string { return a.path }

// Commit writes the content to the disk and renames the file to its path, with
// the permissions of the file that it replaces or, when there is none, those of
// a new file. When it fails it removes the temporary file. After Abort it fails.
func (a *AtomicFile) Commit() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		return ioError("write", a.path, fs.ErrClosed)
	}
	a.done = true
	if a.Direct() {
		if err := a.f.Close(); err != nil {
			return ioError("write", a.path, err)
		}
		return nil
	}
	err := errors.Join(a.f.Chmod(a.mode), flushDisk(a.f))
	if cerr := a.f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = rename(a.temp, a.target)
	}
	if err != nil {
		os.Remove(a.temp)
		return ioError("write", a.path, err)
	}
	return nil
}

// rename is os.Rename with an error that does not name the temporary file.
func rename(from, to string) error {
	err := os.Rename(from, to)
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// flushDisk writes the file to the disk: with delayed allocation, a full disk is
// reported only then. File systems without this operation are accepted.
func flushDisk(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Abort removes the temporary file; a file at the path stays unchanged. After
// Commit it does nothing.
func (a *AtomicFile) Abort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		return
	}
	a.done = true
	a.f.Close()
	if !a.Direct() {
		os.Remove(a.temp)
	}
}
