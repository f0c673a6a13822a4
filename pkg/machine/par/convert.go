package par

import (
	"fmt"

	"dvmtools/pkg/machine"
)

// To2000 returns m as a machine of the 2000 form, with a list of what the form
// cannot express. m must have one medium, a bus or a transputer, and processors
// of the same power. The topology of the result is grid, or that of m when grid
// is empty.
func To2000(m *machine.Machine, grid []int) (*machine.Machine, []string, error) {
	if is2000(m) && len(grid) == 0 {
		return m, nil, nil
	}
	medium, ok := m.Flat()
	if !ok {
		return nil, nil, fmt.Errorf("found clusters inside clusters in %q, expected one medium; the form of 2000 has no others", m.Name)
	}
	var lost []string
	if medium.Kind == machine.Myrinet {
		if medium.Channels != 1 {
			return nil, nil, fmt.Errorf("found myrinet with %d channels, expected ethernet, transputer or one channel; the form of 2000 has no others", medium.Channels)
		}
		medium.Kind = machine.Ethernet
	}
	runs := m.PowerRuns(m.Processors())
	if len(runs) != 1 {
		return nil, nil, fmt.Errorf("found processors of different powers, expected one power; the form of 2000 has no others")
	}
	if !m.Unbounded {
		lost = append(lost, fmt.Sprintf("the number of processors, %d; a grid may have any", m.Processors()),
			"the names of cluster and processors")
	}
	if m.Search != 0 {
		lost = append(lost, fmt.Sprintf("the search mode %d", m.Search))
	}
	if len(grid) == 0 {
		grid = m.Topology
	}
	return newNetwork(medium, runs[0].Power, grid), lost, nil
}

// To2010 returns m as a machine of the 2010 form, with a list of what the form
// cannot express. A machine without a number of processors gets that of grid, or
// of its own topology when grid is empty.
func To2010(m *machine.Machine, grid []int) (*machine.Machine, []string, error) {
	if !m.Unbounded {
		return m, nil, nil
	}
	if len(grid) == 0 {
		grid = m.Topology
	}
	if len(grid) == 0 {
		return nil, nil, fmt.Errorf("found a machine of as many processors as a grid asks for, expected a number; state a grid")
	}
	if err := machine.CheckTopology(grid); err != nil {
		return nil, nil, err
	}
	n := int64(1)
	for _, e := range grid {
		n *= int64(e)
	}
	leaf := machine.NewProcessor(processorName, m.Root.Groups[0].Node.Power)
	root := machine.NewCluster(networkName, m.Root.Medium, machine.Group{Count: n, Node: leaf})
	c, err := machine.New(root)
	if err != nil {
		return nil, nil, err
	}
	return c, []string{"the grid; only its number of processors is kept"}, nil
}
