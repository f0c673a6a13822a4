package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// source is the package that is compiled.
const source = "dvmtools/cmd/internal/whatif"

// environment is that of the compiler.
func environment() []string {
	return append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWASM=", "GOFLAGS=", "CGO_ENABLED=0")
}

// newStamp returns the stamp of the sources as they are: a line with the version
// of Go, and one with the hash of the sources.
func newStamp() (string, error) {
	sum, err := hashSources()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("go %s\nsources %s\n", strings.TrimPrefix(runtime.Version(), "go"), sum), nil
}

// sourcesOf returns the line of a stamp about the sources.
func sourcesOf(stamp string) string {
	_, s, _ := strings.Cut(stamp, "\n")
	return strings.TrimSpace(s)
}

// hashSources returns the hash of all that the module is made of outside of the
// standard library: the Go files of this module's packages without their
// comments, which do not change it, and the versions of those of others. Embedded
// files are left out: the style sheets, scripts and templates of pages, none of
// which the linker takes into the module.
func hashSources() (string, error) {
	c := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles,Module", source)
	c.Env = environment()
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	h := sha256.New()
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			Standard        bool
			GoFiles         []string
			Module          struct {
				Main    bool
				Version string
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return fmt.Sprintf("%x", h.Sum(nil)), nil
		} else if err != nil {
			return "", err
		}
		if p.Standard {
			continue
		}
		fmt.Fprintf(h, "package %s %s\n", p.ImportPath, p.Module.Version)
		if !p.Module.Main {
			continue
		}
		for _, name := range p.GoFiles {
			fmt.Fprintf(h, "file %s\n", name)
			if err := writeCode(h, filepath.Join(p.Dir, name)); err != nil {
				return "", err
			}
		}
	}
}

// writeCode writes a Go file without its comments and empty lines.
func writeCode(w io.Writer, path string) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	// The positions that the printer goes by lose the lines of comments.
	ast.SortImports(fset, f)
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		return err
	}
	for line := range bytes.Lines(b.Bytes()) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			fmt.Fprintf(w, "%s\n", line)
		}
	}
	return nil
}
