package object

// Depth returns how many tasks are entered.
func (t *Table) Depth() int { return len(t.current) - 1 }
