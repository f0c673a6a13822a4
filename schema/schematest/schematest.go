// Package schematest checks streams against the schemas in tests.
package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"dvmtools/schema"
)

// Checker checks records against the schemas.
type Checker struct{ schemas map[string]*jsonschema.Schema }

// New returns a checker. A schema that is no JSON Schema (2020-12) fails the
// test. Compiling takes some milliseconds, so tests should make one checker only.
func New(t testing.TB) *Checker {
	t.Helper()
	c := &Checker{schemas: map[string]*jsonschema.Schema{}}
	compiler := jsonschema.NewCompiler()
	for _, name := range schema.Names() {
		text, err := fs.ReadFile(schema.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// The scheme keeps the directory of the test out of messages.
		if err := compiler.AddResource("schema:///"+name, doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.schemas[name], err = compiler.Compile("schema:///" + name); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return c
}

// Value returns why a record, which was read with [Decode], is not valid by the
// schema of that name; nil when it is valid.
func (c *Checker) Value(name string, record any) error { return c.schemas[name].Validate(record) }

// Stream checks every line of a stream and returns how many there are. The
// first ten that are not valid are errors of the test.
func (c *Checker) Stream(t testing.TB, name string, stream []byte) int {
	t.Helper()
	lines, bad := 0, 0
	for line := range bytes.Lines(stream) {
		lines++
		v, err := Decode(line)
		if err == nil {
			err = c.Value(name, v)
		}
		if err != nil {
			t.Errorf("line %d: %v\n%.400s", lines, err, line)
			if bad++; bad == 10 {
				t.Fatal("more lines are not looked at")
			}
		}
	}
	return lines
}

// Decode reads one JSON value, its numbers as json.Number.
func Decode(line []byte) (any, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, fmt.Errorf("found %s, expected an object", bytes.TrimSpace(line))
	}
	return v, nil
}

// Definitions returns the definitions of a schema as encoding/json reads
// them.
func Definitions(t testing.TB, name string) map[string]map[string]any {
	t.Helper()
	text, err := fs.ReadFile(schema.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s.Defs
}
