package search

import (
	"dvmtools/pkg/interval"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// Version is the version of the search stream's records.
const Version = 1

// Header is the first record of a search stream.
type Header struct {
	Record    string              `json:"record"`
	Version   int                 `json:"version"`
	Machine   machine.Description `json:"machine"`
	Mode      int                 `json:"mode"`
	Objective Objective           `json:"objective"`
	Rank      int                 `json:"rank"`
	Extents   []int64             `json:"extents"`
	Source    []string            `json:"source"`
	Max       int                 `json:"max"`
	// Options are those of the simulations ([Config]); no search uses own times.
	Options interval.Options `json:"options"`
	// Threshold is [Config.Threshold], for mode 1.
	Threshold     *float64       `json:"threshold,omitempty"`
	MinEfficiency *float64       `json:"min_efficiency,omitempty"`
	Deadline      *units.Seconds `json:"deadline,omitempty"`
	// WholeNodes says that cost counts all processors of each node that is
	// used.
	WholeNodes bool `json:"whole_nodes,omitempty"`
	// Points is the number of machines of a sweep, 0 for a search on one; Sweep says
	// how they differ. Machine is then the one without these changes.
	Points int    `json:"points,omitempty"`
	Sweep  []Axis `json:"sweep,omitempty"`
}

// Axis is a parameter of a sweep with its values, or factors when Scale is set, as
// they were stated.
type Axis struct {
	Parameter string   `json:"parameter"`
	Scale     bool     `json:"scale,omitempty"`
	Values    []string `json:"values"`
}

// MachinePoint is a machine of a sweep: what differs from that of the header. The
// records of the search on it follow.
type MachinePoint struct {
	Record  string            `json:"record"`
	Point   int               `json:"point"`
	Changes []machine.Changed `json:"changes"`
}

// PointEnd is the last record of the search on a machine of a sweep; see [End].
type PointEnd struct {
	Record string `json:"record"`
	Point  int    `json:"point"`
	Counts
	// Error says why no grid is the best on this machine.
	Error string `json:"error,omitempty"`
}

// Counts say what a search tried.
type Counts struct {
	Evaluated int   `json:"evaluated"`
	NotBad    int   `json:"not_bad"`
	Possible  int64 `json:"possible"`
	// Descent is how many of the evaluated grids mode 1 tried at its end, after its
	// steps; Improved says that this found a better one.
	Descent  int    `json:"descent,omitempty"`
	Improved bool   `json:"improved,omitempty"`
	Bound    *Bound `json:"bound,omitempty"`
	// Partial says that the search was ended before it was done.
	Partial bool `json:"partial,omitempty"`
}

// Derivative is how the execution time of the best grid depends on a parameter of
// the machine: seconds by which it grows for each per cent by which the parameter
// does, a central difference over [step] on either side. Check is the same over a
// smaller step; Smooth says that they agree.
type Derivative struct {
	Record    string `json:"record"`
	Parameter string `json:"parameter"`
	// Value is the parameter as it is, absent for a group of different ones.
	Value             string        `json:"value,omitempty"`
	SecondsPerPercent units.Seconds `json:"seconds_per_percent"`
	Check             units.Seconds `json:"check"`
	Smooth            bool          `json:"smooth"`
	// Share is SecondsPerPercent relative to one per cent of the execution time.
	Share float64 `json:"share"`
}

// BreakEven is the nearest value of a parameter, to one side, at which another of
// the grids that were tried is better than the best. Without one within a factor of
// [farthest] there is no Grid.
type BreakEven struct {
	Record    string `json:"record"`
	Parameter string `json:"parameter"`
	Value     string `json:"value,omitempty"`
	// Direction is "more" or "less" of the parameter.
	Direction string `json:"direction"`
	// Factor is the parameter divided by what it is, At its value there.
	Factor        float64        `json:"factor,omitempty"`
	At            string         `json:"at,omitempty"`
	Grid          []int          `json:"grid,omitempty"`
	Processors    int            `json:"processors,omitempty"`
	ExecutionTime *units.Seconds `json:"execution_time,omitempty"`
}

// Candidate is a grid that was tried.
type Candidate struct {
	Record string `json:"record"`
	// Point is the number of the machine in a sweep, from 1.
	Point      int     `json:"point,omitempty"`
	Grid       []int   `json:"grid"`
	Processors int     `json:"processors"`
	Mark       float64 `json:"mark"`
	Step       int     `json:"step"`
	// Mode is the mode of the search that tried it, when there are two.
	Mode          int            `json:"mode,omitempty"`
	ExecutionTime *units.Seconds `json:"execution_time,omitempty"`
	Efficiency    *float64       `json:"efficiency,omitempty"`
	// Cost is in processor-seconds, for that objective.
	Cost *float64 `json:"cost,omitempty"`
	// AbandonedAt is the time beyond which the simulation was given up, that of a grid
	// with as many processors or fewer.
	AbandonedAt *units.Seconds `json:"abandoned_at,omitempty"`
	Error       string         `json:"error,omitempty"`
}

// Comparison is what one of the two searches of mode 5 found.
type Comparison struct {
	Record string `json:"record"`
	// Point is the number of the machine in a sweep, from 1.
	Point         int           `json:"point,omitempty"`
	Mode          int           `json:"mode"`
	Grid          []int         `json:"grid"`
	Processors    int           `json:"processors"`
	ExecutionTime units.Seconds `json:"execution_time"`
	Efficiency    float64       `json:"efficiency"`
	// Behind is by how much the grid is worse than the better of the two, as a
	// share of the latter's objective.
	Behind    float64 `json:"behind"`
	Evaluated int     `json:"evaluated"`
	Partial   bool    `json:"partial,omitempty"`
}

// Point is a grid of the Pareto front: no grid with as many processors or
// fewer is faster.
type Point struct {
	Record string `json:"record"`
	// Point is the number of the machine in a sweep, from 1.
	Point         int           `json:"point,omitempty"`
	Grid          []int         `json:"grid"`
	Processors    int           `json:"processors"`
	ExecutionTime units.Seconds `json:"execution_time"`
}

// Best is the grid that the search found.
type Best struct {
	Record string `json:"record"`
	// Point is the number of the machine in a sweep, from 1.
	Point         int           `json:"point,omitempty"`
	Grid          []int         `json:"grid"`
	Processors    int           `json:"processors"`
	ExecutionTime units.Seconds `json:"execution_time"`
	Efficiency    float64       `json:"efficiency"`
	Cost          *float64      `json:"cost,omitempty"`
	// Order is the order in which the grid takes the processors of the machine.
	Order machine.Order `json:"order"`
}

// Explanation is a sentence about the search.
type Explanation struct {
	Record string `json:"record"`
	// Point is the number of the machine in a sweep, from 1.
	Point int `json:"point,omitempty"`
	// About is "found", "neighbour", "bound" or "time".
	About string `json:"about"`
	Text  string `json:"text"`
}

// Bound says why no grid of more processors was tried.
type Bound struct {
	// Processors is the number from which on no grid can be better, as the
	// value of the objective is Value at least.
	Processors int     `json:"processors"`
	Value      float64 `json:"value"`
}

// End is the last record of a search stream.
type End struct {
	Record string `json:"record"`
	Counts
	// Points is how many machines of a sweep were searched on; the counts are then
	// sums over them.
	Points int `json:"points,omitempty"`
}
