// Package expr reads and evaluates arithmetic expressions with references,
// those of Parasol machine files (Parasol I, sections 2.8 and 2.9). What a
// reference may be called, and what it stands for, is the business of the
// caller, so that other texts can hold the same expressions.
//
//		expr      = expr binary expr | unary expr | "(" expr ")"
//		          | function "(" expr ")" | reference | float | integer .
//		reference = part { "." part } .
//		part      = word { "(" integer ")" } .
//
//	 1. [Parse] turns a text into an [Expr]. An expression is kept as its tree
//	    in postfix order, so that neither reading nor evaluating recurses: a
//	    text nested a million deep costs memory in proportion to its length and
//	    no more.
//	 2. An [Evaluator] computes values. References are resolved by a [Scope],
//	    when they are met and not before; a [Variable] that is an expression
//	    itself is computed once and remembered; a circle of them is an error
//	    that names its members.
//	 3. A [Value] is a 64-bit integer or a double, as in C. Integer overflow,
//	    division by zero and results that are not finite are errors at the
//	    operator.
//	 4. With deviations, an Evaluator remembers the operations it did, and
//	    [Evaluator.Deviation] goes back over them for the partial derivatives:
//	    the variance of a result is the sum over the distinct measured
//	    variables of (derivative x deviation) squared.
//
// # Precedence
//
// From high to low; all binary operators associate to the left except **:
//
//	**
//	- ! ~ (unary)
//	* / %
//	+ -
//	<< >>
//	< <= > >=
//	== !=
//	&
//	^
//	|
//	&&
//	||
//
// Blanks and tabs may stand between any two tokens. A minus sign is never
// part of a number. Two misprints of the report's appendix are read with a warning:
// ^ before an operand as ~, and the comma of pv,send as a dot.
package expr
