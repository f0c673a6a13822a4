package measure_test

import (
	"testing"

	"dvmtools/pkg/machine/measure"
	"dvmtools/pkg/machine/parasol"
)

// TestAgree: deviations of 3 and 4 make one of 5 of the difference.
func TestAgree(t *testing.T) {
	for _, c := range []struct {
		b    float64
		want bool
	}{{100, true}, {104.9, true}, {95.1, true}, {105.1, false}, {94.9, false}} {
		if got := measure.Agree(100, 3, c.b, 4); got != c.want {
			t.Errorf("100 and %v agree: %v", c.b, got)
		}
	}
	if !measure.Agree(1, 0, 1, 0) {
		t.Error("what is equal does not agree")
	}
}

// TestCompare: timings of processors and links with deviations are compared by
// their names, whatever their order.
func TestCompare(t *testing.T) {
	machine := func(timings, link string) *parasol.Machine {
		f, list := parasol.Parse("m", []byte(`begin machine
id = 1; name = "m"; processors = 1; topologies = 1
begin processor
id = 1; name = "p"
begin timings
`+timings+`
end timings
end processor
begin topology
id = 1; name = "t"; hardware = 1; processors = 2; links = 1
begin procid
p[1] = 1; p[2] = 1
end procid
begin linklist
begin link
id = 1; connect = 2 1 2; `+link+`
end link
end linklist
end topology
end machine
`))
		if err := list.Err(); err != nil {
			t.Fatal(err)
		}
		return f.Machine()
	}
	c := measure.Compare(
		machine("ila = 2.0 0.5; ils = 1.0 0.1; goto = 1.0; dla = 3.0 0.1", "latency = 1.0 0.1; speed = 2.0 0.1"),
		machine("ils = 1.5 0.1; ila = 2.5 0.5; goto = 9.0; dlm = 3.0 0.1", "latency = 1.1 0.1; speed = 2.0"))
	want := `agree within their deviations: 2 of 6, 33.3 %
of those in both files:        2 of 3, 66.7 %
the larger deviation:          10.0 % of the timing in the median
differs: pt(1).ils    1.0 and 1.5, standard deviations 0.1 and 0.1
only in the first file: pt(1).dla
only in the first file: tl(1)(1).speed
only in the second file: pt(1).dlm
`
	if got := c.String(); got != want || c.Names() != 6 {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	// Of a latency of 0 no deviation is relative.
	zero := machine("ila = 0.0 0.1", "latency = 0.0 0.1")
	if got := measure.Compare(zero, zero).String(); got != "agree within their deviations: 2 of 2, 100.0 %\n" {
		t.Errorf("got\n%s", got)
	}
}
