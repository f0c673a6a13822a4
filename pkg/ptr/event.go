package ptr

import (
	"bytes"
	"encoding/binary"

	"dvmtools/pkg/units"
)

// half is the kind of an event line.
type half uint8

const (
	noEvent half = iota
	callEvent
	retEvent
	exitEvent // Event_NAME
)

// event is an event line taken apart (docs/trace-format.md#event-lines).
type event struct {
	half    half
	indent  int
	name    []byte // without call_, ret_ or Event_
	timeAt  int    // where the value of TIME begins
	timeEnd int    // where it ends
	time    int64  // in units of 1e-12 s
	digits  int    // of TIME after the point
	line    int
	file    []byte
	// bad says what is wrong with a line that is an event by its looks;
	// col is the column (from 1) it is wrong at.
	bad string
	col int
}

const picosPerSecond = 1_000_000_000_000

// seconds turns units of 1e-12 s into seconds, correctly rounded.
func seconds(picos int64) units.Seconds {
	return units.Seconds(float64(picos) / picosPerSecond)
}

var (
	keyName = []byte("NAME=")
	keyTime = []byte("TIME=")
	keyLine = []byte("LINE=")
	keyFile = []byte("FILE=")
)

// parseEvent takes line apart when it is an event line: a name that begins
// with call_, ret_ or Event_, then TIME=, LINE= and FILE= in that order;
// blanks and NAME= may stand before it. Otherwise ev.half is noEvent.
func parseEvent(line []byte, ev *event) bool {
	i := 0
	for i < len(line) && line[i] == ' ' {
		i++
	}
	*ev = event{indent: i}
	if bytes.HasPrefix(line[i:], keyName) {
		i += len(keyName)
	}
	rest := line[i:]
	h := noEvent
	switch {
	case len(rest) < 5:
		return false
	case rest[0] == 'c' && string(rest[:5]) == "call_":
		h, i = callEvent, i+5
	case rest[0] == 'r' && string(rest[:4]) == "ret_":
		h, i = retEvent, i+4
	case rest[0] == 'E' && len(rest) > 6 && string(rest[:6]) == "Event_":
		h, i = exitEvent, i+6
	default:
		return false
	}
	start := i
	for i < len(line) && line[i] != ' ' {
		i++
	}
	name := line[start:i]
	for i < len(line) && line[i] == ' ' {
		i++
	}
	if len(name) == 0 || !bytes.HasPrefix(line[i:], keyTime) {
		return false
	}
	i += len(keyTime)
	timeAt := i
	// A cheap look ahead for the other two keys, so that a text parameter
	// that merely begins like an event is not one.
	l := bytes.Index(line[i:], keyLine)
	if l < 0 {
		return false
	}
	lineAt := i + l + len(keyLine)
	f := bytes.Index(line[lineAt:], keyFile)
	if f < 0 {
		return false
	}
	ev.half, ev.name, ev.timeAt = h, name, timeAt
	ev.file = line[lineAt+f+len(keyFile):]
	var used int
	ev.time, ev.digits, used = parseTime(line[timeAt:lineAt])
	if used == 0 {
		ev.bad, ev.col = "TIME is not a time in seconds with at most 12 digits after the point", timeAt+1
		return true
	}
	ev.timeEnd = timeAt + used
	n := 0
	for _, d := range line[lineAt : lineAt+f] {
		switch {
		case d == ' ':
		case d >= '0' && d <= '9' && n < 1e8:
			n = n*10 + int(d-'0')
		default:
			ev.bad, ev.col = "LINE is not a line number", lineAt+1
			return true
		}
	}
	ev.line = n
	return true
}

// parseTime reads digits[.digits] up to a blank and returns it in units of
// 1e-12 s with the number of digits after the point. used is 0 when it is no
// time: empty, signed, more than 12 digits after the point, or 10^6 s and more.
func parseTime(b []byte) (picos int64, digits, used int) {
	i := 0
	var n int64
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		n = n*10 + int64(b[i]-'0')
		if n >= 1_000_000 {
			return 0, 0, 0
		}
		i++
	}
	if i == 0 {
		return 0, 0, 0
	}
	if i < len(b) && b[i] == '.' {
		i++
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			if digits == 12 {
				return 0, 0, 0
			}
			n = n*10 + int64(b[i]-'0')
			digits++
			i++
		}
	}
	if i < len(b) && b[i] != ' ' {
		return 0, 0, 0
	}
	return n * pow10[12-digits], digits, i
}

// quickTime reads the time that begins at l[i] in its usual form and returns
// it as [parseTime] does, and the index behind it; -1 when it has another form.
func quickTime(l []byte, i int) (picos int64, digits, next int) {
	if len(l) < i+11 {
		return 0, 0, -1
	}
	// 0.00000095, as with TimePrecision=8
	if l[i]-'0' < 10 && l[i+1] == '.' && l[i+10] == ' ' {
		if n, ok := eightDigits(binary.LittleEndian.Uint64(l[i+2:])); ok {
			return (int64(l[i]-'0')*1e8 + int64(n)) * pow10[12-8], 8, i + 10
		}
	}
	picos, digits, used := parseTime(l[i : i+min(len(l)-i, 32)])
	if used == 0 || digits == 0 || i+used == len(l) || l[i+used] != ' ' {
		return 0, 0, -1
	}
	return picos, digits, i + used
}

// eightDigits returns the number that the eight bytes of w spell, the lowest
// byte being the first digit; false if one of them is no digit.
func eightDigits(w uint64) (uint64, bool) {
	const high, digit = 0xf0f0f0f0f0f0f0f0, 0x3030303030303030
	if w&high != digit || (w+0x0606060606060606)&high != digit {
		return 0, false
	}
	// Neighbours are joined: digits to numbers of two, these to numbers of
	// four, these to one.
	w = w & 0x0f0f0f0f0f0f0f0f * (1 + 10<<8) >> 8
	w = w & 0x00ff00ff00ff00ff * (1 + 100<<16) >> 16
	return w & 0x0000ffff0000ffff * (1 + 10000<<32) >> 32, true
}

var pow10 = [13]int64{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12}

// isRule reports whether line is an underline that PreUnderLine=1 puts below
// event lines.
func isRule(line []byte) bool {
	if len(line) < 20 {
		return false
	}
	for _, c := range line {
		if c != '-' {
			return false
		}
	}
	return true
}
