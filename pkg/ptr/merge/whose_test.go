package merge_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"dvmtools/pkg/ptr/merge"
)

// TestWhose: a trace states its process, so that a copy under the name of another
// process is found.
func TestWhose(t *testing.T) {
	var texts [][]byte
	for _, r := range runs(t) {
		if r.Name == "f03_async_p2x1" {
			texts = r.texts
		}
	}
	unnumbered := func(texts ...[]byte) []merge.Source {
		list := sources(texts...)
		for i := range list {
			list[i].Name, list[i].Process = string(rune('a'+i))+".ptr", -1
		}
		return list
	}
	const one = "this is the trace of process 1 by the lines before ret_dvm_Init (CentralProc=1), "
	for _, c := range []struct {
		name    string
		sources []merge.Source
		want    string // "" for none
	}{
		{"as named", sources(texts[0], texts[1]), ""},
		{"without numbers, process 0 first", unnumbered(texts[0], texts[1]), ""},
		{"process 0 copied", sources(texts[0], texts[0]), "p1_1.ptr:1: this is the trace of process 0 by the lines before ret_dvm_Init (CentralProc=0), and so is p0_0.ptr; is one a copy of the other? give the trace of each process once"},
		{"process 1 copied", sources(texts[1], texts[1]), "p0_0.ptr:1: " + one + "expected that of process 0, as the file is named; was it copied or renamed?"},
		{"exchanged", sources(texts[1], texts[0]), "p0_0.ptr:1: " + one + "expected that of process 0, as the file is named; was it copied or renamed?"},
		{"copied, without numbers", unnumbered(texts[0], texts[0]), "b.ptr:1: this is the trace of process 0 by the lines before ret_dvm_Init (CentralProc=0), and so is a.ptr; is one a copy of the other? give the trace of each process once"},
		{"without numbers, process 0 last", unnumbered(texts[1], texts[0]), "a.ptr:1: " + one + "expected that of process 0; give it first"},
		{"a trace that does not say it", sources(texts[0], bytes.Replace(texts[1], []byte("CentralProc=1  IOProc=1"), []byte("Central"), 1)), ""},
	} {
		got := ""
		if err := merge.Merge(t.Context(), io.Discard, c.sources, merge.Options{}); err != nil {
			got = err.Error()
		}
		if got != c.want && !(c.want != "" && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: error %q, want %q", c.name, got, c.want)
		}
	}
}
