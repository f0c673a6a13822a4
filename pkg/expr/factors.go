package expr

// Factors returns the expressions whose product x is: the operands of the
// multiplications that no other operator stands around, from left to right; x
// alone when it is no product. Of (2 * I1) * (I2 + 1) they are 2, I1 and
// I2 + 1. The factors have the positions that they have in x, and the text of x.
func (x *Expr) Factors() []*Expr {
	var factors []*Expr
	// Expressions still to be split, the leftmost on top.
	for todo := []*Expr{x}; len(todo) > 0; {
		y := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		last := len(y.nodes) - 1
		if n := y.nodes[last]; n.op != opBinary || binaries[n.arg].text != "*" {
			factors = append(factors, y)
			continue
		}
		right := y.operandBefore(last)
		todo = append(todo, y.part(right, last), y.part(0, right))
	}
	return factors
}

// operandBefore returns the first node of the operand that ends before node
// end.
func (x *Expr) operandBefore(end int) int {
	i := end
	for need := 1; need > 0; {
		i--
		switch x.nodes[i].op {
		case opLiteral, opRef:
			need--
		case opBinary:
			need++
		}
	}
	return i
}

// part returns the nodes from..end-1, which are one operand, as an expression.
func (x *Expr) part(from, end int) *Expr {
	y := &Expr{text: x.text, canon: x.canon, depth: x.depth, literals: x.literals}
	for _, n := range x.nodes[from:end] {
		switch n.op {
		case opAnd, opOr:
			n.arg -= int32(from) // the node to go to
		case opRef:
			y.refs = append(y.refs, x.refs[n.arg])
			n.arg = int32(len(y.refs) - 1)
		}
		y.nodes = append(y.nodes, n)
	}
	return y
}
