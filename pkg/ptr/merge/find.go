package merge

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/ptr"
)

// Files is the part of a file system that finding traces needs. Names are as
// the user wrote them.
type Files interface {
	// Stat describes a file. Its error wraps fs.ErrNotExist when there is none.
	Stat(name string) (fs.FileInfo, error)
	// Same reports whether two results of Stat describe the same file.
	Same(a, b fs.FileInfo) bool
	// List returns the names of the files in a directory, without it.
	List(dir string) ([]string, error)
	// Open opens a trace and decompresses it; "-" is standard input.
	Open(name string) (io.ReadCloser, error)
}

// extensions are the ends of the names of traces, in the order of preference.
var extensions = [...]string{".ptr", ".ptr.zst", ".ptr.gz"}

// Find returns the traces that operands name:
//
//   - "-", or no operand at all: standard input;
//   - an operand with "@", which stands for any string, in the last part of
//     its path: all traces of the directory whose names it fits, with or
//     without the extension .ptr. Files without a process number in the name are
//     left out when others have one;
//   - a single operand NAME: NAME.ptr if there is one, else NAME0_0.ptr,
//     NAME1_1.ptr and so on, as many as the header of the first states
//     processes (R 2.5); each with .ptr, .ptr.zst or .ptr.gz;
//   - any other operand: that file.
//
// A file named twice is an error.
func Find(files Files, operands []string) ([]Source, error) {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	f := finder{files: files}
	for _, name := range operands {
		var err error
		switch {
		case name == "-":
			f.add(name, nil)
		case f.file(name) && (len(operands) > 1 || hasExtension(name)):
			err = f.explicit(name)
		case strings.Contains(filepath.Base(name), "@"):
			err = f.mask(name)
		case len(operands) == 1:
			err = f.program(name)
		default:
			err = f.explicit(name)
		}
		if err != nil {
			return nil, err
		}
	}
	return f.sources, f.twice()
}

type finder struct {
	files   Files
	sources []Source
	infos   []fs.FileInfo
}

func (f *finder) add(name string, info fs.FileInfo) {
	shown := name
	if name == "-" {
		shown = "<stdin>"
	}
	f.infos = append(f.infos, info)
	f.sources = append(f.sources, Source{
		Name:    shown,
		Process: processOf(name),
		Open:    func() (io.ReadCloser, error) { return f.files.Open(name) },
	})
}

// file reports whether name is a file and no directory.
func (f *finder) file(name string) bool {
	info, err := f.files.Stat(name)
	return err == nil && !info.IsDir()
}

func (f *finder) explicit(name string) error {
	info, err := f.files.Stat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return directory(name)
	}
	f.add(name, info)
	return nil
}

func directory(name string) error {
	return diag.New(diag.Pos{File: name}, "merge/directory", "this is a directory, expected the name of traces; all of its traces are %q", filepath.Join(name, "@"))
}

// stem adds the trace called stem with the first of the extensions that exists.
func (f *finder) stem(stem string) bool {
	for _, ext := range extensions {
		if info, err := f.files.Stat(stem + ext); err == nil && !info.IsDir() {
			f.add(stem+ext, info)
			return true
		}
	}
	return false
}

// program adds the traces of the program called name.
func (f *finder) program(name string) error {
	if f.stem(name) {
		return nil
	}
	first := fmt.Sprint(name, "0_0")
	if !f.stem(first) {
		info, err := f.files.Stat(name)
		switch {
		case err == nil && !info.IsDir():
			f.add(name, info)
			return nil
		case err == nil:
			return directory(name)
		}
		return f.none(name, "%s, %s and %s were looked for, the last two also with .zst or .gz",
			name, name+".ptr", first+".ptr")
	}
	n, err := f.processes(&f.sources[0])
	if err != nil {
		return err
	}
	for i := 1; i < n; i++ {
		if stem := fmt.Sprintf("%s%d_%d", name, i, i); !f.stem(stem) {
			e := diag.New(diag.Pos{File: stem + ".ptr"}, "merge/missing", "no such file, also not with .zst or .gz; the header of %s says that there were %d processes, expected a trace of each", f.sources[0].Name, n)
			e.Err = fs.ErrNotExist
			return e
		}
	}
	return nil
}

// none is the error of an operand that names no trace.
func (f *finder) none(name, format string, args ...any) error {
	e := diag.New(diag.Pos{File: name}, "merge/none", "no trace found: "+format, args...)
	e.Err = fs.ErrNotExist
	return e
}

// processes returns how many processes the header of a trace states.
func (f *finder) processes(s *Source) (int, error) {
	src, err := s.Open()
	if err != nil {
		return 0, err
	}
	defer src.Close()
	r, err := ptr.NewReader(s.Name, src, ptr.Options{})
	if err != nil {
		return 0, err
	}
	return r.Header().Runtime.Processors, nil
}

// mask adds the traces that fit a mask.
func (f *finder) mask(mask string) error {
	dir, base := filepath.Split(mask)
	list, err := f.files.List(cmp.Or(dir, "."))
	if err != nil {
		return err
	}
	slices.Sort(list)
	base = stemOf(base)
	byStem := map[string]bool{}
	numbered := false
	var fit []string
	for _, ext := range extensions {
		for _, name := range list {
			stem, ok := strings.CutSuffix(name, ext)
			if !ok || byStem[stem] || !fits(base, stem) || !f.file(dir+name) {
				continue
			}
			byStem[stem] = true
			fit = append(fit, name)
			numbered = numbered || ofProcess(name)
		}
	}
	slices.SortFunc(fit, func(a, b string) int {
		return cmp.Or(cmp.Compare(processOf(a), processOf(b)), strings.Compare(a, b))
	})
	found := len(f.sources)
	for _, name := range fit {
		if numbered && !ofProcess(name) {
			continue
		}
		info, err := f.files.Stat(dir + name)
		if err != nil {
			return err
		}
		f.add(dir+name, info)
	}
	if len(f.sources) == found {
		return f.none(mask, "of %d files in %s none fits %q with .ptr, .ptr.zst or .ptr.gz behind it; \"@\" stands for any string", len(list), cmp.Or(dir, "."), base)
	}
	return nil
}

// fits reports whether name matches mask, in which each "@" stands for any string.
func fits(mask, name string) bool {
	parts := strings.Split(mask, "@")
	last := len(parts) - 1
	if last == 0 {
		return mask == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1:last] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[last])
}

// twice returns an error when a file is named more than once.
func (f *finder) twice() error {
	for i, a := range f.infos {
		for j, b := range f.infos[:i] {
			if a == nil && b == nil || a != nil && b != nil && f.files.Same(a, b) {
				return diag.New(diag.Pos{File: f.sources[i].Name}, "merge/twice", "this is the same file as %s; give the trace of each process once", f.sources[j].Name)
			}
		}
	}
	return nil
}

func hasExtension(name string) bool {
	return stemOf(name) != name
}

// stemOf returns name without the extension of a trace.
func stemOf(name string) string {
	for _, ext := range extensions {
		if s, ok := strings.CutSuffix(name, ext); ok {
			return s
		}
	}
	return name
}

// processOf returns the process number at the end of the name of a trace, 3 for
// NAME3_3.ptr, or -1 when there is none. The program's name may itself end in
// digits: jac10_0.ptr is process 0 of jac1. Where the two numbers differ, as after
// a remapping of processors, the result is -1.
func processOf(name string) int {
	before, number, ok := numbers(name)
	if !ok || !strings.HasSuffix(before, number) {
		return -1
	}
	n, err := strconv.Atoi(number)
	if err != nil || number != strconv.Itoa(n) {
		return -1
	}
	return n
}

// ofProcess reports whether name ends in the two numbers of a process, equal
// or not.
func ofProcess(name string) bool {
	before, _, ok := numbers(name)
	return ok && before != "" && isDigit(before[len(before)-1])
}

// numbers cuts a name at its last underscore, which only digits may follow.
func numbers(name string) (before, number string, ok bool) {
	stem := stemOf(filepath.Base(name))
	at := strings.LastIndexByte(stem, '_')
	if at < 0 || at+1 == len(stem) {
		return "", "", false
	}
	for _, d := range []byte(stem[at+1:]) {
		if !isDigit(d) {
			return "", "", false
		}
	}
	return stem[:at], stem[at+1:], true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
