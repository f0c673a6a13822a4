package comm

import (
	"cmp"
	"slices"

	"dvmtools/pkg/units"
)

// SizeCounts counts messages by size. Its zero value is ready for use.
type SizeCounts struct{ count map[units.Bytes]int64 }

// Add adds n to the number of messages of b bytes; n may be negative.
func (c *SizeCounts) Add(b units.Bytes, n int64) {
	if c.count == nil {
		c.count = map[units.Bytes]int64{}
	}
	c.count[b] += n
}

// Sizes lists the counts above 0 of messages that are not empty, the longest
// first.
func (c *SizeCounts) Sizes() []Size {
	var list []Size
	for b, n := range c.count {
		if b > 0 && n > 0 {
			list = append(list, Size{Bytes: b, Count: n})
		}
	}
	slices.SortFunc(list, func(a, b Size) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list
}

// LongestAt holds the longest message at each distance. Its zero value is
// ready for use.
type LongestAt struct{ longest map[int]units.Bytes }

// Add takes note of a message of b bytes over a distance of hops. A distance of
// 0 is ignored: a processor sends no message to itself.
func (l *LongestAt) Add(hops int, b units.Bytes) {
	if l.longest == nil {
		l.longest = map[int]units.Bytes{}
	}
	if hops > 0 && b > l.longest[hops] {
		l.longest[hops] = b
	}
}

// Distances lists the longest messages, the nearest first.
func (l *LongestAt) Distances() []Distance {
	var list []Distance
	for h, b := range l.longest {
		list = append(list, Distance{Hops: h, Bytes: b})
	}
	slices.SortFunc(list, func(a, b Distance) int { return cmp.Compare(a.Hops, b.Hops) })
	return list
}
