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
// the order of the tree, then of those that only lines of t are in.
func SourceNames(t *Tree) []string {
	var names []string
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, n := range t.Nodes {
		add(n.File)
	}
	for _, n := range t.Nodes {
		for i := range n.Lines {
			add(n.Lines[i].File)
		}
	}
	return names
}

// sourcePlace is a line of a file.
type sourcePlace struct {
	file string
	line int
}

// A lineNote is what the page says of a line of a file: what is lost there,
// where its link leads, and the name of that.
type lineNote struct {
	lost   float64
	anchor string
	title  string
	// inside says that the loss is that of a stretch which the line is in; it is
	// stated where the stretch ends.
	inside bool
}

// notesOf returns the notes of all lines: those of the lines of the program or,
// when the stream has none, those of the intervals that begin there.
func notesOf(t *Tree, program []interval.Line) map[sourcePlace]*lineNote {
	if len(program) > 0 {
		return stretchNotes(program)
	}
	return intervalNotes(t)
}

// stretchNotes colours the stretch of each line. Of stretches that overlap, the
// one that loses most colours a line; a line at which one ends states its own.
func stretchNotes(program []interval.Line) map[sourcePlace]*lineNote {
	notes := map[sourcePlace]*lineNote{}
	put := func(i, line int, inside bool) {
		l := &program[i]
		notes[sourcePlace{l.File, line}] = &lineNote{lost: float64(l.Lost()), anchor: lineAnchor(i), title: stretchWords(l) + ": " + functionWords(l.Functions), inside: inside}
	}
	order := byLost(program)
	for _, i := range order {
		l := &program[i]
		for line := max(l.FromLine+1, l.Line-maxStretch); line < l.Line; line++ {
			if notes[sourcePlace{l.File, line}] == nil {
				put(i, line, true)
			}
		}
	}
	for _, i := range order {
		put(i, program[i].Line, false)
	}
	return notes
}

// maxStretch bounds how many lines of a stretch are coloured.
const maxStretch = 1000

// intervalNotes are the Lost time of the intervals that begin at a line, without
// the intervals inside them; they lead to the interval that has most of it.
func intervalNotes(t *Tree) map[sourcePlace]*lineNote {
	notes := map[sourcePlace]*lineNote{}
	most := map[*lineNote]float64{}
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
		if note.anchor == "" || x > most[note] {
			note.anchor, note.title = "i"+strconv.Itoa(n.ID), nameWords(n)
			most[note] = x
		}
	}
	return notes
}

// maxSource is how many lines of a file are shown.
const maxSource = 20_000

// writeSources writes the program's files. Their lines are coloured by what they
// lose and lead to its figures.
func writeSources(p *pageWriter, t *Tree, program []interval.Line, files []Source) {
	if len(files) == 0 {
		return
	}
	notes := notesOf(t, program)
	what := "Lines at which intervals begin, with their Lost time outside of the intervals inside them."
	if len(program) > 0 {
		what = "Lines with what is lost at them; the lines before belong to it as far as they have the same colour and no figure."
	}
	var m markup
	m.raw(`<section id="source"><h2>Source</h2>` + "\n" + `<p class="note">` + what + `</p>` + "\n" + `<div class="beside"><div class="files">` + "\n")
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
	m.raw(`</div><div id="beside"></div></div></section>` + "\n")
	p.write(m)
}

// sourceLine appends a line with its number and its note.
func (m *markup) sourceLine(text string, line int, note *lineNote, total float64) {
	number := strconv.Itoa(line)
	words := ""
	if note != nil {
		if !note.inside {
			words = timeWords(note.lost)
		}
		m.raw(`<a href="#`)
		m.raw(note.anchor)
		m.raw(`" class="line`)
		if heat := heatClass(ratio(note.lost, total)); heat != "" {
			m.raw(" ")
			m.raw(heat)
		}
		m.raw(`" title="`)
		m.text(note.title)
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
