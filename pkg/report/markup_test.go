package report

import (
	"bytes"
	"encoding/json"
	"html/template"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzEscape compares the escaping of the pieces that no template makes with
// html/template's and encoding/json's.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "jac.fdv", "<b>", "\"'`=&", "&lt;", "\x00\xff\x1b", "</script><!--", "\u2028\u2029\u007f\\", "a\xc3\x28ж😀"} {
		f.Add(s)
	}
	cell := template.Must(template.New("").Parse(`<td title="{{.}}">{{.}}</td>`))
	f.Fuzz(func(t *testing.T, s string) {
		var m markup
		m.text(s)
		if got, want := string(m), template.HTMLEscapeString(s); got != want {
			t.Errorf("text(%q) = %q, html/template has %q", s, got, want)
		}
		// In an attribute and between tags the template says the same, but for
		// the plus sign, which it writes as a reference.
		var b bytes.Buffer
		if err := cell.Execute(&b, s); err != nil {
			t.Fatal(err)
		}
		if got, want := `<td title="`+string(m)+`">`+string(m)+`</td>`, strings.ReplaceAll(b.String(), "&#43;", "+"); got != want {
			t.Errorf("%q: %q, html/template has %q", s, got, want)
		}

		m = nil
		m.quoted(s)
		var got, want string
		if err := json.Unmarshal(m, &got); err != nil {
			t.Fatalf("quoted(%q) = %s: %v", s, m, err)
		}
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("quoted(%q) reads as %q, encoding/json's as %q", s, got, want)
		}
		if strings.ContainsAny(string(m), "<>&\u2028\u2029") || !utf8.Valid(m) {
			t.Errorf("quoted(%q) = %s may end a script", s, m)
		}
	})
}
