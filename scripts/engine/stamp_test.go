package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dvmtools/pkg/whatif/engine"
)

// The module that is committed is that of the sources, whatever version of Go
// made it.
func TestStamp(t *testing.T) {
	stamp, err := newStamp()
	if err != nil {
		t.Fatal(err)
	}
	if sourcesOf(stamp) != sourcesOf(engine.Stamp) {
		t.Errorf("pkg/whatif/engine/engine.wasm.gz is made of other sources (%s) than there are (%s); make it again: go generate ./pkg/whatif/engine", sourcesOf(engine.Stamp), sourcesOf(stamp))
	}
	if s := sourcesOf(stamp); !strings.HasPrefix(s, "sources ") || len(s) != len("sources ")+64 {
		t.Errorf("the stamp says %q about the sources", s)
	}
}

// most is how large the simulator may be in a page: of the five megabytes that a
// page may have above its trace the rest is for scripts, figures and the growth of
// calls by their encoding.
const most = 3_500_000

// The module is WebAssembly, small enough, and has nothing that it does not need.
func TestModule(t *testing.T) {
	z, err := gzip.NewReader(strings.NewReader(engine.Module))
	if err != nil {
		t.Fatal(err)
	}
	module, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		t.Errorf("the module begins with %q", module[:8])
	}
	if n := base64.StdEncoding.EncodedLen(len(engine.Module)); n > most {
		t.Errorf("the module takes %d bytes of a page, expected at most %d", n, most)
	}
	for _, name := range leftOut {
		if bytes.Contains(module, []byte(name)) {
			t.Errorf("the module contains %s", name)
		}
	}
	if !bytes.Contains(module, []byte("dvmtools/pkg/sim.")) {
		t.Error("the module does not name its functions, so that this test sees nothing")
	}
}

// leftOut are functions that the commands have and the module does not need
// (docs/dependencies.md).
var leftOut = []string{
	"html/template.", "text/template.", "regexp.", "compress/zstd.(*Decoder).", "compress/zstd.(*Encoder).",
	"github.com/urfave/cli", "golang.org/x/term", "os/exec.", "encoding/csv.", "dvmtools/pkg/ptr.", "dvmtools/pkg/search.",
}

// Comments do not change the hash, code does.
func TestHashIsOfCode(t *testing.T) {
	code := func(text string) string {
		name := filepath.Join(t.TempDir(), "a.go")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeCode(&b, name); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	plain := code("package a\n\nfunc f(x int) int {\n\ty := x\n\treturn y\n}\n")
	if got := code("// Package a.\npackage a\n\n// f is f.\nfunc f(x int) int {\n\t// Why.\n\ty := x // what\n\n\treturn y\n}\n"); got != plain {
		t.Errorf("with comments:\n%s\nwithout:\n%s", got, plain)
	}
	if code("package a\n\nfunc f(x int) int {\n\ty := x + 1\n\treturn y\n}\n") == plain {
		t.Error("other code is the same")
	}
}
