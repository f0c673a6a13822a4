package parasol_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine/parasol"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// bad are inputs that are refused, by what is wrong with them. A text without
// "begin machine" stands inside a machine that has one processor type and one
// topology before it.
var bad = []struct{ name, text string }{
	{"undefined type", "begin topology\nid = 2\nname = \"u\"\nprocessors = 1\nlinks = 0\nbegin procid\np[1] = 2\nend procid\nend topology"},
	{"duplicate id", "begin processor\nid = 1\nname = \"again\"\nend processor"},
	{"wrong count", "begin topology\nid = 2\nname = \"u\"\nprocessors = 3\nlinks = 2\nbegin procid\np[1] = 1\np[2] = 1\nend procid\nbegin linklist\nbegin link\nid = 1\nconnect = 2 1 2\nend link\nend linklist\nend topology"},
	{"wrong count of ends", "begin topology\nid = 2\nname = \"u\"\nprocessors = 2\nlinks = 1\nbegin procid\np[1] = 1\np[2] = 1\nend procid\nbegin linklist\nbegin link\nid = 1\nconnect = 3 1 2\nend link\nend linklist\nend topology"},
	{"negative time", "begin processor\nid = 2\nname = \"q\"\nbegin timings\nila = -1.0e-7\ngoto = 1.0 - 2.0\nend timings\nend processor"},
	{"unknown timing", "begin processor\nid = 2\nname = \"q\"\nbegin timings\nlia = 1.0e-7\nadd = 1.0\nPCALL = 1.0\nsize = 4\nend timings\nend processor"},
	{"type error in an expression", "begin mpi\nsend = pt(1).ila % 2\nreceive = ~tl(1)(1).speed\nend mpi"},
	{"overflow", "begin mpi\nsend = 9223372036854775807 + ma.id\nreceive = 2 ** 1000.0 ** 2\nend mpi"},
	{"integer overflow in a field", "begin processor\nid = 99999999999999999999\nname = \"q\"\nend processor"},
	{"undefined reference", "begin mpi\nsend = pt(1).sinr + pt(2).ila\nreceive = tl(1)(2).speed\nend mpi"},
	{"unknown reference", "begin mpi\nsend = pt(1).ilx2\nreceive = tx(1).speed\nend mpi"},
	{"circle", "begin mpi\nsend = 1 + mp.receive\nreceive = 2 * mp.send\nend mpi"},
	{"division by zero", "begin mpi\nsend = 1 / (ma.id - 7)\nend mpi"},
	{"domain", "begin mpi\nsend = sqrt(-pt(1).ila)\nend mpi"},
	{"unclosed section", "begin processor\nid = 2\nname = \"q\"\nbegin timings\nila = 1.0"},
	{"wrong end", "begin processor\nid = 2\nname = \"q\"\nbegin timings\nila = 1.0\nend processor"},
	{"unknown section", "begin procesor\nid = 2\nend procesor\nbegin link\nid = 1\nend link"},
	{"field in the wrong section", "latency = 1.0\nbegin processor\nid = 2\nhardware = 1\nend processor"},
	{"missing equals", "begin processor\nid 2\nname = \"q\"\nend processor"},
	{"broken expression", "begin mpi\nsend = (1 + 2\nreceive = 3 +* 4\nend mpi"},
	{"bad numbers", "begin processor\nid = 0x\nname = \"q\"\nsmallloopspeedup = 1.5e\nbegin cache\nsize = 1.5\nspeed = 1..2\nend cache\nend processor"},
	{"several errors", "begin processor\nid = \nname = q\nspeed = 1\nend processor\nbegin topology\nid = 2\nbegin procid\np(1) = 1\np[x] = 1\nend procid\nend topology\nnonsense"},
	{"no id", "begin processor\nname = \"q\"\nend processor\nbegin topology\nprocessors = 0\nend topology"},
	{"empty file", "\n// begin machine\n"},
	{"another language", "cluster = mvs;\nmvs = {512 x mvsP2}; // begin machine\n"},
	{"no end", "begin machine\nid = 1\n"},
	{"text after the end", "begin machine\nid = 1\nend machine\nbegin machine\nend machine\n"},
}

// TestBadInput writes what is said about each of them to a golden file that a
// person reads: go test -update, then git diff.
func TestBadInput(t *testing.T) {
	var b strings.Builder
	for _, c := range bad {
		text := c.text
		if !strings.Contains(text, "begin machine") {
			text = mach(proc + bus + text)
		}
		f, list := parasol.Parse("bad.mach", []byte(text))
		if f != nil {
			list = f.Machine().Check()
		}
		if list.Err() == nil {
			t.Errorf("%s: no error", c.name)
		}
		b.WriteString("== " + c.name + "\n")
		for _, e := range list {
			if e.Severity == diag.SeverityError {
				b.WriteString(e.Error() + "\n")
			}
			if e.Pos.Line < 1 || e.Pos.Col < 1 {
				t.Errorf("%s: no position: %v", c.name, e)
			}
		}
		b.WriteByte('\n')
	}
	const golden = "testdata/bad.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(read(t, golden)), b.String()); diff != "" {
		t.Errorf("what is said has changed (-golden +now):\n%s", diff)
	}
}
