package tracegen

// body makes calls inside the body of a loop: intervals, accesses to elements,
// functions outside the table, and, unless the loop is quiet, exchanges and input
// and output.
func (g *gen) body(l *nest) {
	if !g.has(Bodies) || g.chance(60) {
		return
	}
	opened := 0
	for range 1 + g.r.IntN(6) {
		switch g.r.IntN(9) {
		case 0, 1, 2:
			before := g.depth
			if g.has(Intervals) {
				g.openInterval()
			}
			opened += g.depth - before
		case 3:
			if opened > 0 {
				g.closeInterval()
				opened--
			}
		case 4, 5:
			g.call([]string{"rlocel_", "rwelm_"}[g.r.IntN(2)], []string{"ArrayHeader=1; ArrayHandlePtr=1; BufferPtr=1;", array("IndexArray", []int{0})}, "Res=8;")
		case 6:
			g.call(Unknown, nil)
		case 7:
			g.ordinary()
		default:
			if g.has(BodyOperations) && !l.quiet && len(g.open) == 0 && g.chance(40) {
				g.bodyOperation()
			}
		}
		g.longer()
	}
	for range opened {
		g.closeInterval()
	}
}

// Unknown is the name of a function that programs call and that the table of
// Lib-DVM functions lacks.
const Unknown = "userfn_"

// bodyOperation makes an operation inside the body of a loop and waits for it at
// once.
func (g *gen) bodyOperation() {
	switch {
	case g.has(InputOutput) && g.chance(50):
		g.inout()
	case g.has(Reductions) && g.chance(50):
		g.plainReduction()
	case g.has(Copies):
		g.copy()
	}
	g.waitAll()
}
