package measure

import (
	"fmt"
	"strconv"
	"strings"
)

// Names of what is measured of the cache section (2.3.2 of the report), beside
// those of timings. The time to retrieve a word, CacheSpeed, is taken along chains
// of words: a word has the index of the next one, so that no retrieval begins
// before the one before it is complete. Consecutive words lie in different lines of
// the cache and far from each other, so that no processor knows the next one.
const (
	CacheSpeed = "cache.speed"
	// CacheRatio is how many times longer it takes to retrieve a word from memory.
	CacheRatio = "cache.speedratio"
	// CacheSize stands for the quantities of [CacheSteps].
	CacheSize = "cache.size"
)

const (
	// chainElement is the distance of the words of a chain in bytes: a line of the
	// cache of most processors.
	chainElement = 64
	// chainShort is the length in bytes of a chain that fits into any data cache.
	chainShort = 4 << 10
	// chainLongest is that of the longest chain for which the size of the cache is
	// looked for.
	chainLongest = 1 << 20
	// chainDepth is the number of words that a statement retrieves where the rest
	// of a loop shall not count.
	chainDepth = 16
)

// CacheSpeedSources returns two programs along chains within the data cache. Each
// statement of the second retrieves one word more.
func CacheSpeedSources(groups int) (first, second string) {
	return chain(1, chainShort, 1, groups, false), chain(2, chainShort, 2, groups, false)
}

const (
	// CacheGroups is the number of statement groups of the programs of the cache:
	// their loops are short, as only their data count.
	CacheGroups = 64
	// CacheRepeats is how many iterations the second program of [CacheRatio] is to
	// make for one of the first, so that it takes a time that the clock shows.
	CacheRepeats = 16
)

// CacheRatioSources returns two programs that retrieve the same number of words:
// the first from memory along a chain of a number of bytes, at least twice the
// size of the largest cache and a power of two, the second from the data cache.
func CacheRatioSources(memory int64, groups int) (first, second string) {
	return chain(1, memory, chainDepth, groups, true), chain(2, chainShort, chainDepth, groups, false)
}

// CacheSteps returns the names of the quantities that show the size of the data
// cache where the system does not tell it, by their chains in bytes: how many times
// longer it takes to retrieve a word of a longer chain than of a short one.
func CacheSteps() (names []string, bytes map[string]int64) {
	bytes = map[string]int64{}
	for n := int64(2 * chainShort); n <= chainLongest; n *= 2 {
		name := CacheSize + "." + strconv.FormatInt(n, 10)
		names, bytes[name] = append(names, name), n
	}
	return names, bytes
}

// CacheStepSources returns the two programs of one of [CacheSteps], the first along
// the chain of this length, the second along a short one.
func CacheStepSources(bytes int64, groups int) (first, second string) {
	return chain(1, bytes, chainDepth, groups, false), chain(2, chainShort, chainDepth, groups, false)
}

// chainSlower is how many times longer a retrieval takes when a chain is not in the
// cache any more, at least; within the cache all take the same, and the next level
// takes two to four times as long.
const chainSlower = 1.4

// CacheSizeOf returns the size of the data cache in bytes by the times of chains,
// ascending by their lengths, relative to that of a short one: the longest whose
// words come as fast. It is a power of two; the cache may be up to twice as large.
// The error is an [*Unmeasured].
func CacheSizeOf(points []Point) (int64, error) {
	size := int64(chainShort)
	for _, p := range points {
		if p.Seconds >= chainSlower {
			return size, nil
		}
		size = p.Bytes
	}
	return 0, &Unmeasured{fmt.Sprintf("no chain of words up to %d bytes is %v times as slow as a short one", size, chainSlower)}
}

// chain returns a program whose loop has statements that each retrieve a number of
// words along a chain of the given length, which continues where the run before
// ended. With sweep the chain is not in any cache when the first run begins.
func chain(which int, bytes int64, depth, groups int, sweep bool) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	declare := func() {
		line("implicit none")
		line("integer, parameter :: k = %d", bytes/chainElement)
		line("integer x(0:%d*k-1)", chainElement/4)
		line("common /chain%d/ x", which)
	}
	line("! a chain of %d bytes", bytes)
	line("subroutine work%d(n)", which)
	declare()
	line("integer n, i")
	line("integer, save :: j = 0")
	line("do i = 1, n")
	line("call touch")
	for range groups {
		line("j = %sj%s", strings.Repeat("x(", depth), strings.Repeat(")", depth))
	}
	line("end do")
	line("call keep(j)")
	line("end subroutine")
	line("subroutine prepare%d", which)
	declare()
	if sweep {
		line("integer y(0:%d*k-1)", chainElement/4)
		line("common /others/ y")
	}
	line("call connect(x, k)")
	if sweep {
		line("call connect(y, k)")
	}
	line("end subroutine")
	return b.String()
}
