package measure

import (
	"strings"

	"dvmtools/pkg/machine/parasol"
)

// variable is a scalar of a program. Each group of statements loads it from
// an element of an array of random numbers between lo and hi.
type variable struct {
	name   string
	kind   byte // a key of fortranTypes
	lo, hi string
}

// program says what the two programs of a timing parameter execute. In the
// statements @ stands for the number of the group. They store a result in
// w(@), so that no compiler removes what leads to it.
type program struct {
	name string
	// global puts the scalars into a COMMON block (3.1.1).
	global bool
	vars   []variable
	// result is the type of vr and of the array w.
	result byte
	// extra declares further variables that both programs have.
	extra         []string
	first, second []string
	// swapped puts the groups of the second program in another order, so that
	// a GO TO between them is a jump.
	swapped bool
}

// fortranTypes are the types by the letters that names of timings have for
// them; h is a character.
var fortranTypes = map[byte]string{
	'i': "integer", 'r': "real", 'd': "double precision", 'c': "complex", 'l': "logical", 'h': "character*1",
}

// Names returns the parameters that can be measured, in the order of
// [parasol.Parameters]: the 150 of the report. For those that it leaves
// out the timing of a substitute holds.
func Names() []string {
	var names []string
	for _, p := range parasol.Parameters() {
		if p.Substitute == "" {
			names = append(names, p.Name)
		}
	}
	return names
}

// programOf returns the program of a timing parameter, false for a name that
// is none of [Names].
func programOf(name string) (program, bool) {
	for _, p := range parasol.Parameters() {
		if p.Name != name || p.Substitute != "" {
			continue
		}
		g := program{name: name, global: p.Locality == "global", result: 'i'}
		switch p.Class {
		case "arithmetic":
			g.arithmetic(name[0], name[2])
		case "logical":
			g.logical(strings.TrimSuffix(name[2:], "c"))
		case "index":
			g.index(int(name[3] - '0'))
		case "flow":
			g.flow(name)
		default:
			g.intrinsic(name, p.Groups)
		}
		return g, true
	}
	return program{}, false
}

// operand returns a variable with numbers that are neither 0 nor 1.
func operand(name string, kind byte) variable {
	if kind == 'i' {
		return variable{name, kind, "1000", "9999"}
	}
	return variable{name, kind, "2.0", "9.0"}
}

// store is what both programs do with a value.
func store(value string) []string { return []string{"vr = " + value, "w(@) = vr"} }

// arithmetic sets the statements of one of the seven instructions (2.3.1) on
// operands of a type.
func (g *program) arithmetic(kind, operation byte) {
	a, b := operand("va", kind), operand("vb", kind)
	g.result = kind
	g.first = store("va")
	sign := map[byte]string{'a': "+", 'm': "*", 'd': "/", 'e': "**", 'x': "**"}[operation]
	switch operation {
	case 's':
		g.vars = []variable{a}
		g.first, g.second = []string{"w(@) = va"}, store("va")
		return
	case 't':
		g.vars = []variable{a}
		g.extra = []string{fortranTypes[kind] + " p(k), q(k)"}
		g.second = append(store("va"), "q(@) = p(@)")
		return
	case 'd':
		if kind == 'i' {
			b.lo, b.hi = "2", "99"
		}
	case 'e', 'x':
		if kind == 'i' {
			a.lo, a.hi = "2", "9"
		}
		if operation == 'e' {
			b = variable{"vb", 'i', "2", "5"}
			break
		}
		b = variable{"vb", 'r', "1.2", "2.8"}
		if kind == 'd' {
			b.kind = 'd'
		}
		if kind == 'i' { // an integer to a real power is real
			g.result = 'r'
		}
	}
	g.vars = []variable{a, b}
	g.second = store("va " + sign + " vb")
}

// logical sets the statements of a logical operation (of "a") or of a
// comparison of operands of a type.
func (g *program) logical(kind string) {
	g.result = 'l'
	if kind == "a" {
		g.vars = []variable{operand("va", 'l'), operand("vb", 'l')}
		g.first, g.second = store("va"), store("va .and. vb")
		return
	}
	comparison := " .lt. "
	if kind == "c" { // complex numbers have no order
		comparison = " .eq. "
	}
	g.vars = []variable{operand("va", kind[0]), operand("vb", kind[0]), operand("vs", 'l')}
	g.first, g.second = store("vs"), store("va"+comparison+"vb")
}

// index sets the statements of a reference to an element of an array with a
// number of subscripts.
func (g *program) index(subscripts int) {
	var extents, values []string
	for n := range subscripts {
		v := variable{"i" + string(rune('1'+n)), 'i', "2", "3"}
		g.vars = append(g.vars, v)
		extents, values = append(extents, "4"), append(values, v.name)
	}
	g.vars = append(g.vars, operand("va", 'r'))
	g.result = 'r'
	g.extra = []string{"real t(" + strings.Join(extents, ",") + ")"}
	g.first, g.second = store("va"), store("t("+strings.Join(values, ",")+")")
}

// flow sets the statements of a flow control instruction.
func (g *program) flow(name string) {
	a := operand("va", 'i')
	g.vars = []variable{a}
	g.first = store("va")
	from, to, above := variable{"ja", 'i', "200", "300"}, variable{"jb", 'i', "100", "190"}, variable{"jc", 'i', "2", "5"}
	loop := func(bounds string) []string {
		return append([]string{"do j = " + bounds, "continue", "end do"}, store("va")...)
	}
	g.extra = []string{"integer j"}
	switch name {
	case "goto":
		g.extra = nil
		g.second, g.swapped = g.first, true
	case "gcom":
		g.extra = nil
		g.vars = append(g.vars, variable{"ja", 'i', "2", "4"})
		g.first = []string{"w(@) = va"}
		g.second = []string{
			"go to (@1, @1, @2, @3), ja",
			"@1 w(@) = va", "go to @4", "@2 w(@) = va", "go to @4", "@3 w(@) = va", "@4 continue",
		}
		g.extra = nil
	case "pcall":
		g.extra = nil
		g.second = append([]string{"call empty0"}, g.first...)
	case "argld":
		g.extra = nil
		g.vars = append(g.vars, operand("vb", 'i'))
		g.first = append([]string{"call empty1(va)"}, store("va")...)
		g.second = append([]string{"call empty2(va, vb)"}, store("va")...)
	case "loopi1": // a loop that is never entered
		g.vars = append(g.vars, from, to)
		g.second = loop("ja, jb")
	case "loopin":
		g.vars = append(g.vars, from, to, above)
		g.second = loop("ja, jb, jc")
	case "loopoh1": // one iteration, and two
		g.vars = append(g.vars, variable{"ja", 'i', "7", "7"}, variable{"jb", 'i', "7", "7"}, variable{"jd", 'i', "8", "8"})
		g.first, g.second = loop("ja, jb"), loop("ja, jd")
	case "loopohn":
		g.vars = append(g.vars, variable{"ja", 'i', "7", "7"}, variable{"jb", 'i', "7", "7"},
			variable{"jd", 'i', "12", "12"}, above)
		g.vars[len(g.vars)-1] = variable{"jc", 'i', "3", "5"}
		g.first, g.second = loop("ja, jb, jc"), loop("ja, jd, jc")
	}
}

// intrinsic sets the statements of a function; groups holds its Fortran name
// as fn.NAME. The last letter of the parameter is the type of the arguments.
func (g *program) intrinsic(name, groups string) {
	_, function, _ := strings.Cut(groups, "fn.")
	function, _, _ = strings.Cut(function, " ")
	kind := name[len(name)-1]
	a, b := operand("va", kind), operand("vb", kind)
	if kind != 'i' {
		switch function {
		case "asin", "atan", "exp", "sinh", "tanh", "tan", "sin":
			a.lo, a.hi = "0.1", "0.9"
		case "aint", "anint", "int", "nint", "mod":
			a.lo, a.hi = "10.0", "99.0"
		}
	}
	g.result = kind
	arguments := "va"
	switch function {
	case "dim", "max", "mod", "sign", "cmplx2", "dprod":
		arguments = "va, vb"
		if kind == 'i' && function == "mod" {
			b.lo, b.hi = "2", "99"
		}
	}
	switch function {
	case "abs", "aimag":
		if kind == 'c' {
			g.result = 'r'
		}
	case "int", "nint":
		g.result = 'i'
	case "real":
		g.result = 'r'
	case "dble", "dprod":
		g.result = 'd'
	case "cmplx", "cmplx2":
		g.result = 'c'
	case "char":
		g.result = 'h'
		a.lo, a.hi = "33", "126"
	}
	g.vars = []variable{a}
	if arguments != "va" {
		g.vars = append(g.vars, b)
	}
	g.vars = append(g.vars, operand("vs", g.result))
	g.first = store("vs")
	g.second = store(strings.TrimSuffix(function, "2") + "(" + arguments + ")")
}
