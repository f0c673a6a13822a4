package tracegen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// A LoopCost is what the iterations of the loops at a line cost: Text is the option
// --loop-cost, Of what it says for the values of a loop's indices.
type LoopCost struct {
	Line int
	Text string
	Of   func(index []int) float64
}

// LoopCosts returns costs for some of the loops of p. The same seed and program
// give the same costs, and dropping calls changes those of no other loop.
func LoopCosts(p *Program, seed uint64) []LoopCost {
	ranks := map[int]int{} // the least of the loops at a line
	var lines []int
	for _, c := range p.Calls {
		if c.Func != "crtpl_" {
			continue
		}
		rank := 0
		fmt.Sscanf(c.Args[0], "Rank=%d;", &rank)
		if before, ok := ranks[c.Line]; !ok {
			lines = append(lines, c.Line)
			ranks[c.Line] = rank
		} else {
			ranks[c.Line] = min(before, rank)
		}
	}
	var costs []LoopCost
	for _, line := range lines {
		r := rand.New(rand.NewPCG(seed, uint64(line)))
		if r.IntN(5) > 0 {
			costs = append(costs, loopCost(r, line, ranks[line]))
		}
	}
	return costs
}

// loopCost returns a cost for loops of at least the given rank: a product of
// factors in some of their indices.
func loopCost(r *rand.Rand, line, rank int) LoopCost {
	var texts []string
	var factors []func(index []int) float64
	for d := range rank {
		if r.IntN(3) == 0 {
			continue
		}
		text, of := factor(r)
		texts = append(texts, strings.ReplaceAll(text, "I", fmt.Sprintf("I%d", d+1)))
		factors = append(factors, func(index []int) float64 { return of(index[d]) })
	}
	if len(texts) == 0 {
		texts = []string{"2.5"}
	}
	return LoopCost{line, fmt.Sprintf("gen.fdv:%d=%s", line, strings.Join(texts, " * ")), func(index []int) float64 {
		x := 1.0
		for _, of := range factors {
			x *= of(index)
		}
		return x
	}}
}

// factor returns an expression in I, and the same in Go.
func factor(r *rand.Rand) (string, func(i int) float64) {
	a, b := r.IntN(8), 1+r.IntN(4)
	truth := func(is bool) float64 {
		if is {
			return 1
		}
		return 0
	}
	switch r.IntN(7) {
	case 0:
		return fmt.Sprintf("(abs(I - %d) + %d)", a, b), func(i int) float64 { return math.Abs(float64(i-a)) + float64(b) }
	case 1:
		return fmt.Sprintf("(I %% %d == %d)", b, a%b), func(i int) float64 { return truth(i%b == a%b) }
	case 2:
		return fmt.Sprintf("(I >= %d && I < %d)", a, a+b), func(i int) float64 { return truth(i >= a && i < a+b) }
	case 3:
		return fmt.Sprintf("sqrt(abs(I) + %d)", a), func(i int) float64 { return math.Sqrt(math.Abs(float64(i)) + float64(a)) }
	case 4:
		return fmt.Sprintf("(abs(I) / %d)", b), func(i int) float64 { return float64(max(i, -i) / b) }
	case 5:
		return fmt.Sprintf("exp(I / %d.0)", b), func(i int) float64 { return math.Exp(float64(i) / float64(b)) }
	}
	return fmt.Sprintf("(I * 0 + %d)", a), func(int) float64 { return float64(a) }
}
