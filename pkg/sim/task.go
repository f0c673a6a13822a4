package sim

import "dvmtools/pkg/call"

// runMachine handles runam_, which enters a task: its interval's members are
// the task's processors from now on.
func runMachine(s *Sim, c *call.Call) (effect, error) {
	if _, err := s.objects.Run(c); err != nil {
		return effect{}, err
	}
	s.clocks.Join(s.objects.Current())
	return effect{}, nil
}
