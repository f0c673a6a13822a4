package clock

// Joins reports whether some classes are one in the steps of a timetable.
func (t *Timetable) Joins() bool { return len(t.first) < len(t.like) }
