package stream

// MaxWindow sets the largest zstd window accepted, in bytes, instead of
// [DefaultMaxWindow].
func MaxWindow(n uint64) ReaderOption {
	return func(c *readerConfig) { c.maxWindow = n }
}

// SetMaxLine sets the longest line accepted, in bytes without its end, before
// the first Next.
func (l *Lines) SetMaxLine(n int) { l.max = max(n, 0) }
