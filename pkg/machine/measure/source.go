package measure

import (
	_ "embed" // the driver
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Driver is the Fortran main program of all measurements, with the subroutines
// that fill arrays. It reads from standard input which of two programs to run
// and for how many iterations, "1 100", a line each, and writes the seconds of
// processor time that they took; for 0 iterations the grain of the clock.
//
//go:embed fortran/driver.f90
var Driver string

// MaxGroups is the largest number of statement groups of a program: their
// labels have five digits.
const MaxGroups = 9999

// Sources returns the two programs of a timing parameter: subroutines work1
// and work2 with the loops, and prepare1 and prepare2 that fill their arrays,
// with a number of statement groups in the body of the loop, from 1 to
// [MaxGroups]. They are to be linked with [Driver] into one process, so that
// both run on the same processor and on the same data. ok is false for a name
// that is none of [Names].
func Sources(name string, groups int) (first, second string, ok bool) {
	p, ok := programOf(name)
	if !ok || groups < 1 || groups > MaxGroups {
		return "", "", false
	}
	return p.source(1, groups, p.first, false), p.source(2, groups, p.second, p.swapped), true
}

// Lengths returns the second program of a timing parameter twice, with long
// and with short numbers of statement groups, as [Sources] does.
func Lengths(name string, long, short int) (first, second string, ok bool) {
	p, ok := programOf(name)
	if !ok || min(long, short) < 1 || max(long, short) > MaxGroups {
		return "", "", false
	}
	return p.source(1, long, p.second, p.swapped), p.source(2, short, p.second, p.swapped), true
}

// source returns the text of one of the two programs.
func (g *program) source(which, groups int, statements []string, jumps bool) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("! %s", g.name)
	line("subroutine work%d(n)", which)
	g.declare(&b, groups)
	line("integer n, i")
	for _, v := range g.vars {
		line("%s %s", fortranTypes[v.kind], v.name)
	}
	line("%s vr", fortranTypes[g.result])
	for _, e := range g.extra {
		line("%s", e)
	}
	transfer := strings.Contains(strings.Join(g.extra, ""), "p(k)")
	table := strings.Contains(strings.Join(g.extra, ""), " t(")
	if g.global {
		// The widest first, so that none needs padding.
		var names []string
		all := append(slices.Clone(g.vars), variable{name: "vr", kind: g.result})
		for _, kind := range []byte("dcirlh") {
			for _, v := range all {
				if v.kind == kind {
					names = append(names, v.name)
				}
			}
		}
		if transfer {
			names = append(names, "p", "q")
		}
		line("common /globals/ %s", strings.Join(names, ", "))
	}
	if transfer {
		line("p = xva")
	}
	if table {
		line("t = 2.5")
	}
	line("do i = 1, n")
	line("call touch")
	order := make([]int, groups)
	for i := range order {
		order[i] = i + 1
	}
	if jumps {
		for i := 0; i+1 < groups; i += 2 {
			order[i], order[i+1] = order[i+1], order[i]
		}
		line("go to 1")
	}
	for _, k := range order {
		n := strconv.Itoa(k)
		if jumps {
			line("%d continue", k)
		}
		for _, v := range g.vars {
			line("%s = x%s(%s)", v.name, v.name, n)
		}
		for _, s := range statements {
			line("%s", strings.ReplaceAll(s, "@", n))
		}
		if jumps {
			line("go to %d", k+1)
		}
	}
	if jumps {
		line("%d continue", groups+1)
	}
	line("end do")
	if transfer {
		line("call keep(q)")
	}
	line("end subroutine")
	line("subroutine prepare%d", which)
	g.declare(&b, groups)
	for i, v := range g.vars {
		line("call fill%c(x%s, k, %s, %s, %d)", v.kind, v.name, bound(v.lo, v.kind), bound(v.hi, v.kind), i+1)
	}
	line("end subroutine")
	return b.String()
}

// bound writes a bound of random numbers: integers as they are, all others as
// double precision, which says nothing for logical values and characters.
func bound(text string, kind byte) string {
	if kind == 'i' {
		return text
	}
	return text + "d0"
}

// declare writes the declarations of the arrays.
func (g *program) declare(b *strings.Builder, groups int) {
	fmt.Fprintf(b, "implicit none\ninteger, parameter :: k = %d\n", groups)
	var names []string
	for _, v := range g.vars {
		fmt.Fprintf(b, "%s x%s(k)\n", fortranTypes[v.kind], v.name)
		names = append(names, "/x"+v.name+"s/ x"+v.name)
	}
	fmt.Fprintf(b, "%s w(k)\n", fortranTypes[g.result])
	names = append(names, "/ws/ w")
	fmt.Fprintf(b, "common %s\n", strings.Join(names, " "))
}
