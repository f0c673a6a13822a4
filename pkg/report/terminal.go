package report

import (
	"math"
	"strings"
	"unicode/utf8"
)

// textWidth is the width of sentences in the text.
const textWidth = 100

// The looks that a terminal can give a line (ECMA-48, select graphic
// rendition).
const (
	plain  = ""
	bold   = "\x1b[1m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
	normal = "\x1b[0m"
)

// painter returns a function that gives a line a look, or leaves it alone when
// colours are not wanted.
func painter(wanted bool) func(look, line string) string {
	return func(look, line string) string {
		line = strings.TrimRight(line, " ")
		if !wanted || look == plain || line == "" {
			return line
		}
		return look + line + normal
	}
}

// heat returns the look of an interval by its share of the program's Lost time
// without the intervals inside it.
func heat(n, root *Node) string {
	own := float64(n.LostTime)
	for _, in := range n.Inner {
		own -= float64(in.LostTime)
	}
	switch share := ratio(own, float64(root.LostTime)); {
	case share >= 0.25:
		return red
	case share >= 0.05:
		return yellow
	}
	return plain
}

// glyphs draw the parts of Total time; useLegend says what they are.
var glyphs = map[string]string{
	"cpu": "█", "sys": "█", "io": "█", "iusr": "▒", "isys": "▒", "wait": "~", "comm": "~", "idle": "·",
}

const useLegend = "use: █ productive, ▒ insufficient parallelism, ~ communications, · idle"

// gauge draws parts of Total time as a bar that is width characters wide for
// the whole.
func gauge(parts []Part, width int) string {
	var b strings.Builder
	end, drawn := 0.0, 0
	for _, p := range parts {
		end += p.Share
		to := min(width, int(math.Round(min(end, 1)*float64(width))))
		if to > drawn {
			b.WriteString(strings.Repeat(glyphs[p.Key], to-drawn))
			drawn = to
		}
	}
	return b.String()
}

// wrap breaks a sentence into lines of at most width characters; a longer word
// has a line of its own. A number stays with its unit.
func wrap(s string, width int) []string {
	var lines []string
	at, number := "", false
	for word := range strings.FieldsSeq(s) {
		if number {
			word = at[strings.LastIndexByte(at, ' ')+1:] + " " + word
			at = strings.TrimSuffix(at[:strings.LastIndexByte(at, ' ')+1], " ")
		}
		switch {
		case at == "":
			at = word
		case utf8.RuneCountInString(at)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, at)
			at = word
		default:
			at += " " + word
		}
		number = !number && strings.Trim(word, "0123456789.<-") == ""
	}
	return append(lines, at)
}
