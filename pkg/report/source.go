package report

import (
	"strconv"
	"strings"

	"dvmtools/pkg/interval"
)

// Source is a file of the program, shown beside the figures.
type Source struct {
	// Name is the file's name in the stream, Text what it holds.
	Name string
	Text string
}

// SourceNames returns the names of the files in which intervals of t begin, in
// the order of the tree.
func SourceNames(t *Tree) []string {
	var names []string
	seen := map[string]bool{"": true}
	for _, n := range t.Nodes {
		if !seen[n.File] {
			seen[n.File] = true
			names = append(names, n.File)
		}
	}
	return names
}

// sourcePlace is a line of a file.
type sourcePlace struct {
	file string
	line int
}

// A lineNote holds the Lost time of the intervals that begin at a line, without the
// intervals inside them, and the interval that has most of it.
type lineNote struct {
	lost  float64
	most  *Node
	mostS float64
}

// lineNotes returns the notes of all lines at which intervals begin.
func lineNotes(t *Tree) map[sourcePlace]*lineNote {
	notes := map[sourcePlace]*lineNote{}
	lost := func(t *interval.Times) float64 { return float64(t.LostTime) }
	for _, n := range t.Nodes {
		if n.Line <= 0 {
			continue
		}
		at := sourcePlace{n.File, n.Line}
		note := notes[at]
		if note == nil {
			note = &lineNote{}
			notes[at] = note
		}
		x := max(0, own(n, lost))
		note.lost += x
		if note.most == nil || x > note.mostS {
			note.most, note.mostS = n, x
		}
	}
	return notes
}

// maxSource is how many lines of a file are shown.
const maxSource = 20_000

// writeSources writes the program's files: lines at which intervals begin are
// links to them, coloured by what they lose.
func writeSources(p *pageWriter, t *Tree, files []Source) {
	if len(files) == 0 {
		return
	}
	notes := lineNotes(t)
	var m markup
	m.raw(`<section id="source"><h2>Source</h2>` + "\n" + `<p class="note">Lines at which intervals begin, with their Lost time outside of the intervals inside them.</p>` + "\n")
	for _, f := range files {
		m.raw("<h3>")
		m.text(Clean(f.Name))
		m.raw("</h3>\n" + `<pre class="source" tabindex="0" role="region" aria-label="`)
		m.text(Clean(f.Name))
		m.raw(`">`)
		line := 0
		for text := range strings.Lines(f.Text) {
			if line++; line > maxSource {
				break
			}
			m.sourceLine(strings.TrimRight(text, "\r\n"), line, notes[sourcePlace{f.Name, line}], float64(t.Root.LostTime))
		}
		m.raw("</pre>\n")
	}
	m.raw("</section>\n")
	p.write(m)
}

// sourceLine appends a line with its number and its note.
func (m *markup) sourceLine(text string, line int, note *lineNote, total float64) {
	number := strconv.Itoa(line)
	words := ""
	if note != nil {
		words = timeWords(note.lost)
		m.raw(`<a href="#i`)
		m.int(int64(note.most.ID))
		m.raw(`" class="line`)
		if heat := heatClass(ratio(note.lost, total)); heat != "" {
			m.raw(" ")
			m.raw(heat)
		}
		m.raw(`" title="`)
		m.text(nameWords(note.most))
		m.raw(`">`)
	}
	m.raw(blanks(5 - len(number)))
	m.raw(number)
	m.raw(blanks(11 - len(words)))
	m.raw(words)
	m.raw("  ")
	m.text(Clean(strings.ReplaceAll(text, "\t", "        ")))
	if note != nil {
		m.raw("</a>")
	}
	m.raw("\n")
}

// heatClass returns the CSS class for a share of the program's Lost time, as in the
// tree.
func heatClass(share float64) string {
	switch {
	case share >= 0.25:
		return "hot3"
	case share >= 0.1:
		return "hot2"
	case share >= 0.03:
		return "hot1"
	}
	return ""
}
