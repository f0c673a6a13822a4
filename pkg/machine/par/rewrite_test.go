package par_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
)

var comment = regexp.MustCompile(`//[^\n]*`)

// commentsOf returns the comments of a text.
func commentsOf(text string) []string {
	list := comment.FindAllString(text, -1)
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// checkRewrite checks what holds of any text that describes m: its canonical form
// describes m and is its own canonical form, and it has the same comments in the
// same order.
func checkRewrite(t *testing.T, src []byte, m *machine.Machine) {
	t.Helper()
	text := par.Rewrite(par.Source{Name: "a.par", Text: src}, m)
	again, list := par.Parse("b.par", []byte(text))
	if list.Err() != nil || !again.Equal(m) {
		t.Fatalf("the text\n%s\nbecame\n%s\nwhich is another machine: %v", src, text, list.Err())
	}
	if twice := par.Rewrite(par.Source{Name: "b.par", Text: []byte(text)}, m); twice != text {
		t.Errorf("the text\n%s\nbecomes\n%s", text, twice)
	}
	if before, after := commentsOf(string(src)), commentsOf(text); !slices.Equal(before, after) {
		t.Errorf("the comments %q became %q", before, after)
	}
}

const commented = `// The cluster of the first floor.


cluster=c;   // simulated
// nodes
c = { 2xnode, // in front
	old };
c.CommType = node.CommType; c.TStart = 7; // both
node = {2 x p};
node.CommType = Myrinet ( 4 );
node.TStart = 1.0;
node.TByte = .5;

p = 2.50;
old = 1;
spare = {3xp, old};   // not used
spare.CommType = node.CommType;
// end`

// A text keeps its statements, their order and its comments; only what a change
// changes is different.
func TestRewrite(t *testing.T) {
	for _, tt := range []struct {
		name, changes, want string
	}{
		{"nothing is changed", "", `// The cluster of the first floor.

cluster = c; // simulated
// nodes
// in front
c = {2 x node, old};
c.CommType = node.CommType;
c.TStart = 7; // both
node = {2 x p};
node.CommType = myrinet(4);
node.TStart = 1;
node.TByte = 0.5;

p = 2.5;
old = 1;
spare = {3 x p, old}; // not used
spare.CommType = node.CommType;
// end
`},
		{"a power and a time", "p=3 c.TStart=8", `// The cluster of the first floor.

cluster = c; // simulated
// nodes
// in front
c = {2 x node, old};
c.CommType = myrinet(4);
c.TByte = 0.5;
c.TStart = 8; // both
node = {2 x p};
node.CommType = myrinet(4);
node.TStart = 1;
node.TByte = 0.5;

p = 3;
old = 1;
spare = {3 x p, old}; // not used
spare.CommType = node.CommType;
// end
`},
		{"a medium that another takes", "node.TByte=1", `// The cluster of the first floor.

cluster = c; // simulated
// nodes
// in front
c = {2 x node, old};
c.CommType = myrinet(4);
c.TByte = 0.5;
c.TStart = 7; // both
node = {2 x p};
node.CommType = myrinet(4);
node.TStart = 1;
node.TByte = 1;

p = 2.5;
old = 1;
spare = {3 x p, old}; // not used
spare.CommType = node.CommType;
// end
`},
	} {
		m, list := par.Parse("a.par", []byte(commented))
		if list.Err() != nil {
			t.Fatal(list.Err())
		}
		if tt.changes == "" {
			checkRewrite(t, []byte(commented), m)
		}
		for s := range strings.FieldsSeq(tt.changes) {
			c, err := machine.ParseSet(s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Apply(c); err != nil {
				t.Fatal(err)
			}
		}
		got := par.Rewrite(par.Source{Name: "a.par", Text: []byte(commented)}, m)
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
		again, list := par.Parse("b.par", []byte(got))
		if list.Err() != nil || !again.Equal(m) {
			t.Errorf("%s: read again it is another machine: %v", tt.name, list.Err())
		}
	}
}

// The 2000 form is kept too, as long as it can express the machine; when it cannot,
// the comments come first.
func TestRewrite2000(t *testing.T) {
	const text = "// old\ntype=network; start time = 75;// slow\nsend  byte time=0.2;\npower = 2;\n"
	m, list := par.Parse("a.par", []byte(text))
	if list.Err() != nil {
		t.Fatal(list.Err())
	}
	checkRewrite(t, []byte(text), m)
	for _, tt := range []struct{ change, want string }{
		{"TStart=70", "// old\ntype = network;\nstart time = 70; // slow\nsend byte time = 0.2;\npower = 2;\n"},
		{"CommType=myrinet(4)", "// old\n// slow\n" + "cluster = "},
	} {
		c, err := machine.ParseSet(tt.change)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Apply(c); err != nil {
			t.Fatal(err)
		}
		if got := par.Rewrite(par.Source{Name: "a.par", Text: []byte(text)}, m); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s", tt.change, got)
		}
	}
}
