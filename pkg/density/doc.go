// Package density says how the time of a parallel loop is spread over its
// iterations (docs/model.md#costs-of-iterations).
//
//  1. A [Space] divides the iterations of a loop into cells: along each
//     dimension the ordinal numbers are cut into segments, and each weighs 1 or
//     what an expression makes of the index ([Cost.Space]).
//  2. A density is a number for each cell: the cost of an iteration of weight
//     1 in it. The density that own times give is constant on the block of each
//     process ([Blocks.Density]); that of an expression is 1 on the only cell.
//  3. A [Cover] says how much of each segment the coordinates of a grid have,
//     [Shares] what part of the loop's time their processors spend.
//
// A density that is the same everywhere is none: nil. Who asks counts
// iterations then, and gets the same bits as without densities.
package density
