package main

// A curve is a benchmark at several values of one property.
type curve struct {
	name   string // of the sub-benchmarks of BenchmarkCost and of the file
	title  string
	axis   string // what is varied
	points []point
}

// A point is one value of the property with the program and the grid.
type point struct {
	x       int
	program regular
	grid    []int
}

// base is what all curves vary: 36,000 calls on 64 processors.
var base = regular{rounds: 2000, arrays: 2, intervals: 4, rank: 2, extent: 4096}

var curves = []curve{
	{"calls", "Cost by the length of the trace", "calls", points(func(x int, p *regular) []int {
		p.rounds = x / callsRound
		return []int{8, 8}
	}, 1_000, 4_000, 16_000, 64_000, 256_000)},
	{"intervals", "Cost by the number of intervals", "different intervals", points(func(x int, p *regular) []int {
		p.intervals = x
		return []int{8, 8}
	}, 1, 10, 100, 1000, 2000)},
	{"processors", "Cost by the number of processors", "processors, in a square grid", points(func(x int, p *regular) []int {
		side := 1
		for side*side < x {
			side *= 2
		}
		return []int{side, side}
	}, 1, 16, 256, 4096, 65_536, 1_048_576)},
	{"arrays", "Cost by the number of arrays", "arrays", points(func(x int, p *regular) []int {
		p.arrays = x
		return []int{8, 8}
	}, 1, 8, 64, 512, 2000)},
	{"rank", "Cost by the rank of arrays and grid", "dimensions, 4096 processors", points(func(x int, p *regular) []int {
		side := 1 << (12 / x)
		p.rank, p.extent = x, 4*side
		grid := make([]int, x)
		for i := range grid {
			grid[i] = side
		}
		return grid
	}, 1, 2, 3, 4, 6)},
}

// points makes the points of a curve; set changes the program for x and
// returns the grid.
func points(set func(x int, p *regular) []int, xs ...int) []point {
	all := make([]point, len(xs))
	for i, x := range xs {
		all[i] = point{x: x, program: base}
		all[i].grid = set(x, &all[i].program)
	}
	return all
}
