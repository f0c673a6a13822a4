package layout

// FloorDiv returns a/b rounded down, b not being 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// CeilDiv returns a/b rounded up, b not being 0.
func CeilDiv(a, b int64) int64 { return -FloorDiv(-a, b) }
