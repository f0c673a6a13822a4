package stream

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// firstRecord agrees with encoding/json on every object that is valid, and a
// beginning of it never gives another answer than the whole.
func FuzzFirstRecord(f *testing.F) {
	f.Add([]byte(`{"record":"trace"}`))
	f.Add([]byte(`{"a":{"record":"no"},"b":["]",{}],"c":"\\\"","record":"yes"}`))
	f.Add([]byte(`{"record":[1,"x"],"n":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.TrimSpace(b)
		if len(b) == 0 || b[0] != '{' {
			return
		}
		got, decided := firstRecord(b)
		for i := range b {
			if part, sure := firstRecord(b[:i+1]); sure && (part != got || !decided) {
				t.Fatalf("%q gives %q, but its first %d bytes %q", b, got, i+1, part)
			}
		}
		if !json.Valid(b) {
			return
		}
		if !decided {
			t.Fatalf("undecided on the complete object %q", b)
		}
		if want, ok := viaJSON(b); ok && want != got {
			t.Errorf("%q: got %q, want %q", b, got, want)
		}
	})
}

// viaJSON returns the first "record" of an object; ok is false where spelling
// matters that firstRecord leaves alone (escapes, bytes that are not UTF-8).
func viaJSON(b []byte) (want string, ok bool) {
	if bytes.IndexByte(b, '\\') >= 0 || strings.ToValidUTF8(string(b), "") != string(b) {
		return "", false
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.Token()
	for d.More() {
		key, _ := d.Token()
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return "", false
		}
		if key == "record" {
			var s string
			if json.Unmarshal(v, &s) != nil {
				return "", true
			}
			return s, true
		}
	}
	return "", true
}
