package par_test

import (
	"fmt"

	"dvmtools/pkg/machine/par"
)

// A machine of two nodes of two processors each.
func ExampleParse() {
	const text = `cluster = small;
small = {2 x node};
small.CommType = ethernet;
small.TStart = 75;
small.TByte = 0.2;
node = {2 x core};
node.CommType = myrinet (2);
node.TStart = 1;
node.TByte = 0.01;
core = 1.5;
`
	m, errs := par.Parse("small.par", []byte(text))
	if m == nil {
		fmt.Println(errs)
		return
	}
	fmt.Printf("%s has %d processors, each of power %g\n", m.Name, m.Processors(), m.Power(0))
	for _, p := range []int64{1, 2} {
		n, _, _ := m.Lowest(0, p)
		fmt.Printf("0 and %d are joined by %s: %s, %.2g s per message, %.2g s per byte\n", p, n.Name, n.Medium.Kind, n.Medium.TStart, n.Medium.TByte)
	}
	// Output:
	// small has 4 processors, each of power 1.5
	// 0 and 1 are joined by node: myrinet, 1e-06 s per message, 1e-08 s per byte
	// 0 and 2 are joined by small: ethernet, 7.5e-05 s per message, 2e-07 s per byte
}

// All mistakes of a file are found at once, each with its place.
func ExampleParse_mistakes() {
	const text = "cluster = c;\nc = {4 x p};\nc.CommType = ethernet;\nc.TStrat = 75;\nc.TByte = 0.2;\np = 1;\n"
	m, errs := par.Parse("c.par", []byte(text))
	fmt.Println(m == nil)
	for _, e := range errs {
		fmt.Println(e)
	}
	// Output:
	// true
	// c.par:2:1: found no c.TStart, expected CommType, TStart and TByte: "c" connects 4 children
	//   c = {4 x p};
	//   ^
	// c.par:4:3: found property "TStrat" of "c", expected CommType, TStart or TByte; did you mean "TStart"?
	//   c.TStrat = 75;
	//     ^
}
