package par

import (
	"slices"
	"strings"

	"dvmtools/pkg/machine"
)

// Rewrite returns the text of s in canonical form, changed so that it describes m,
// which is the machine that s describes with other powers and media. Statements
// keep their order and comments their places: at the end of a statement, or on
// lines of their own; those inside of a statement come before it. Statements that
// m does not need, such as clusters that are not used, stay as they are. A medium
// that is taken from another cluster is written out where the two differ. Where
// the statements of s cannot express m, its comments and [Format] of m are
// returned.
//
// A text with errors is not rewritten: Rewrite returns [Format] of m.
func Rewrite(s Source, m *machine.Machine) string {
	old, list := Parse(s.Name, s.Text)
	if list.Err() != nil || old == nil {
		return Format(m)
	}
	p := &parser{names: map[string]*entity{}}
	p.open(s)
	w := &rewriter{file: p.files[0], before: mediaOf(old), after: mediaOf(m), texts: map[string]string{}}
	w.form2000 = w.file.is2000()
	for _, st := range statements(m) {
		w.texts[st.key] = st.text
	}
	w.run()
	text := w.text()
	if again, list := Parse(s.Name, []byte(text)); list.Err() != nil || !again.Equal(m) {
		// Statements of this file cannot express m, such as a medium with
		// channels in the 2000 form: others take their place.
		w.lines = nil
		for _, c := range w.comments() {
			w.line(c)
		}
		return w.text() + Format(m)
	}
	return text
}

// Comments returns how many comments a text has.
func Comments(s Source) int {
	p := &parser{}
	p.open(s)
	n := 0
	for _, f := range p.files {
		n += len((&rewriter{file: f}).comments())
	}
	return n
}

// rewriter writes the statements of a file anew.
type rewriter struct {
	*file
	form2000 bool
	// before and after are the media as the file states them and as they are to
	// be, texts the canonical statements by their keys.
	before, after map[string]machine.Medium
	texts         map[string]string
	lines         []string
	// added are statements that come behind the current one.
	added []string
	open  bool // the last statement's line may get a comment
	blank bool // an empty line is due
}

func (w *rewriter) text() string {
	if len(w.lines) == 0 {
		return ""
	}
	return strings.Join(w.lines, "\n") + "\n"
}

// line writes a line, and before it an empty one if that is due.
func (w *rewriter) line(s string) {
	if w.blank && len(w.lines) > 0 {
		w.lines = append(w.lines, "")
	}
	w.blank = false
	w.lines = append(w.lines, s)
}

// run writes all statements and what stands between them. A statement of nothing,
// a ";" alone, is left out.
func (w *rewriter) run() {
	stated := map[string]bool{}
	w.each(func(ts []token) {
		if len(ts) > 1 {
			stated[w.key(ts)] = true
		}
	})
	end := 0
	w.each(func(ts []token) {
		w.gap(w.file.text[end:ts[0].off])
		end = ts[len(ts)-1].end
		if len(ts) == 1 {
			return
		}
		for _, t := range w.inside(ts) {
			w.line(t)
		}
		w.statement(ts, stated)
		w.open = true
	})
	w.gap(w.file.text[end:])
}

// each calls yield with the tokens of every statement.
func (w *rewriter) each(yield func([]token)) {
	first := 0
	for i, t := range w.toks {
		if t.kind == tokPunct && w.str(t) == ";" {
			yield(w.toks[first : i+1])
			first = i + 1
		}
	}
}

// key names what a statement states, as [statements] does.
func (w *rewriter) key(ts []token) string {
	if w.form2000 {
		var words []string
		for _, t := range ts {
			if t.kind != tokWord {
				break
			}
			words = append(words, strings.ToLower(w.str(t)))
		}
		return strings.Join(words, " ")
	}
	name := w.str(ts[0])
	if w.str(ts[1]) == "." {
		i := slices.IndexFunc(properties, func(p string) bool { return strings.EqualFold(p, w.str(ts[2])) })
		return name + "." + properties[max(i, 0)]
	}
	if i := slices.IndexFunc(keywords, func(k string) bool { return strings.EqualFold(k, name) }); i >= 0 {
		return keywords[i]
	}
	return name
}

// statement writes a statement, and notes those that have to come behind it.
func (w *rewriter) statement(ts []token, stated map[string]bool) {
	key := w.key(ts)
	text, ok := w.texts[key]
	node, isMedium := strings.CutSuffix(key, ".CommType")
	if isMedium && ok && !w.form2000 && w.str(ts[len(ts)-3]) == "." {
		if other := w.str(ts[len(ts)-4]); w.same(node) && w.same(other) {
			w.line(w.plain(ts))
			return
		}
		for _, p := range properties[1:] {
			if k := node + "." + p; !stated[k] {
				w.added = append(w.added, w.texts[k])
			}
		}
	}
	if !ok {
		text = w.plain(ts)
	}
	w.line(text)
}

// same reports whether a node has the medium that it was read with, or is not part
// of the machine.
func (w *rewriter) same(name string) bool { return w.before[name] == w.after[name] }

// mediaOf returns the media of the nodes of a machine by name.
func mediaOf(m *machine.Machine) map[string]machine.Medium {
	media := map[string]machine.Medium{}
	for _, n := range m.Nodes() {
		media[n.Name] = n.Medium
	}
	return media
}

// plain returns a statement with its own words and canonical blanks.
func (w *rewriter) plain(ts []token) string {
	var b strings.Builder
	for i, t := range ts {
		s := w.str(t)
		before := ""
		if i > 0 {
			before = w.str(ts[i-1])
		}
		switch {
		case i == 0 || strings.Contains(".,;)}", s) || before == "." || before == "{" || before == "(":
		default:
			b.WriteByte(' ')
		}
		b.WriteString(s)
		if i > 0 && ts[i-1].kind == tokNumber && t.kind == tokWord && len(s) > 1 {
			// A count and its x without a blank behind: 2xnode.
			text := b.String()
			b.Reset()
			b.WriteString(text[:len(text)-len(s)] + "x " + s[1:])
		}
	}
	return b.String()
}

// gap writes the comments between two statements; the first belongs to the
// statement before when it is on its line. Of empty lines in a row one stays.
func (w *rewriter) gap(text string) {
	parts := strings.Split(text, "\n")
	for i, part := range parts {
		part = strings.TrimSpace(part)
		switch {
		case part != "" && i == 0 && w.open:
			w.lines[len(w.lines)-1] += " " + part
		case part != "":
			w.line(part)
		case i > 0 && i < len(parts)-1:
			w.blank = true
		}
		if i == 0 {
			for _, s := range w.added {
				w.line(s)
			}
			w.added = nil
		}
	}
	w.open = w.open && len(parts) == 1
}

// inside returns the comments between the tokens of a statement.
func (w *rewriter) inside(ts []token) []string {
	var list []string
	for i := 1; i < len(ts); i++ {
		list = append(list, commentsIn(w.file.text[ts[i-1].end:ts[i].off])...)
	}
	return list
}

// comments returns all comments of the file.
func (w *rewriter) comments() []string {
	var list []string
	end := 0
	for _, t := range w.toks {
		list = append(list, commentsIn(w.file.text[end:t.off])...)
		end = t.end
	}
	return list
}

// commentsIn returns the comments of a text between two tokens.
func commentsIn(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, "\n") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}
