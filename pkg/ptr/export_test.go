package ptr

// RememberFrom returns o with blocks remembered from the n-th byte on, however
// short the trace is.
func (o Options) RememberFrom(n int) Options {
	o.longTrace = n
	return o
}
