package machine

// Powers returns the power of every processor of the given runs, which begin
// at processor 0.
func Powers(runs []PowerRun) []float64 {
	last := runs[len(runs)-1]
	power := make([]float64, 0, last.First+last.N)
	for _, r := range runs {
		for range r.N {
			power = append(power, r.Power)
		}
	}
	return power
}
