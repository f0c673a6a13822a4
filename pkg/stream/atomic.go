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
// file in the same directory, and a file that is already there stays as it
// is. A path that exists and is no regular file (/dev/null, a FIFO) is
// written directly. Write is for one goroutine; Commit and Abort may come
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

// Create prepares the output path. Its errors are of the operating system: a
// directory that is missing or cannot be written, a path that is a directory.
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

// tempPattern keeps the temporary name within the limit of file systems.
func tempPattern(base string) string {
	if len(base) > 200 {
		base = base[:200]
	}
	return "." + base + ".*.tmp"
}

// newFileMode returns the permissions that the umask gives to new files. They
// are read off an empty file made next to temp: asking for the umask means
// changing it for the whole process, and opening temp itself that way would
// let others open it before it is private.
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

// followLinks returns the path that symbolic links at path lead to, also when
// nothing is there yet: writing through a link keeps the link.
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

// Direct tells whether the path is no regular file: what was written there
// cannot be taken back.
func (a *AtomicFile) Direct() bool { return a.temp == "" }

// Path returns the path given to [Create].
func (a *AtomicFile) Path() string { return a.path }

// Commit makes the content durable and puts it under its name, with the
// permissions of the file it replaces, else those of any new file. When it
// fails nothing is left behind. After Abort it fails.
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

// flushDisk writes the file to the disk, where delayed allocation reports that
// the disk is full. File systems that cannot do it are left alone.
func flushDisk(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Abort removes the temporary file; what was at the path stays. After Commit
// it does nothing.
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
