// Engine makes the simulator of reports that can be changed: it compiles
// cmd/internal/whatif to WebAssembly, compresses it, and writes it with its stamp
// to pkg/whatif/engine. What is there stays as it is while it is made of the same
// sources, comments left out, so that neither comments nor another version of Go
// make files of megabytes change.
//
//	go generate ./pkg/whatif/engine
package main

import (
	"bytes"
	"compress/gzip"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("engine: ")
	if err := run("."); err != nil {
		log.Fatal(err)
	}
}

// stampName is the name of the file that holds the stamp.
const stampName = "stamp.txt"

// run writes the module and its stamp to dir.
func run(dir string) error {
	stamp, err := newStamp()
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(filepath.Join(dir, stampName)); err == nil && sourcesOf(string(old)) == sourcesOf(stamp) {
		return nil
	}
	temp, err := os.MkdirTemp("", "engine")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	wasm := filepath.Join(temp, "engine.wasm")
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-buildmode=c-shared", "-o", wasm, source)
	c.Env = environment()
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return err
	}
	module, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(module); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "engine.wasm.gz"), b.Bytes(), 0o644); err != nil {
		return err
	}
	log.Printf("%d bytes, %d compressed", len(module), b.Len())
	return os.WriteFile(filepath.Join(dir, stampName), []byte(stamp), 0o644)
}
