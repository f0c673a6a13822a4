package ptr

import (
	"bytes"
	"cmp"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
)

// scanner takes pieces of a trace apart. What an event line or a block means
// does not depend on the lines around it, so that several scanners can work on
// the pieces of one trace side by side; [Reader] puts the entries together.
//
// A program does the same many times, and so most lines of a trace are like an
// earlier one. The scanner knows the beginnings of event lines, expects after
// each the one that came after it before, and remembers blocks; most lines are read
// by what came last time behind the same event line and block (records).
type scanner struct {
	name    string // of the trace
	heads   map[string]*head
	before  *head // of the event line before
	tails   map[string]*tail
	behind  *tail // its tail
	fns     map[string]*function
	named   uint64 // functions so far
	lines   lineReader
	files   interner
	keys    interner
	memory  memory
	records records
}

// head is the beginning of an event line, up to the value of TIME.
type head struct {
	text   string
	half   half
	indent int32
	fn     *function
	next   [2]*head // those that came after this one last
	tail   *tail    // the one that it came with last
}

// tail is the end of an event line, from behind the value of TIME. It is not
// changed.
type tail struct {
	text string
	line int
	file string
}

// maxNames bounds the memory for names; traces have few different ones.
const maxNames = 1 << 16

func newScanner(opts Options) *scanner {
	s := &scanner{before: &head{}, behind: &tail{}}
	s.memory = memory{most: cmp.Or(opts.Remember, rememberText), wait: cmp.Or(opts.longTrace, longTrace)}
	s.lines.keys, s.lines.toEnd = &s.keys, -1
	return s
}

// scan finds the entries of p, a piece of the trace called name.
func (s *scanner) scan(name string, p *piece) {
	s.name = name
	p.reset()
	s.memory.note(len(p.Text))
	t, line := p.Text, p.Line
	i, found := 0, false
	for i < len(t) && !found {
		line++
		l, end := lineAt(t, i)
		var err *diag.Error
		if mayBeEvent(l) {
			_, found, err = s.eventAt(p.next(), p, i, line)
		}
		if i = end; !found {
			p.lead = append(p.lead, leadLine{l, err})
		}
	}
	if found {
		s.records.expect(p.next())
	}
	for found {
		at := len(p.entries)
		p.entries = p.entries[:at+1]
		next := p.next()
		if r := s.records.guess(t[i:]); r != nil {
			from := i + len(r.text)
			if n := s.records.follow(next, t[from:]); n > 0 {
				line += r.lines + 1
				next.line = int32(line - p.Line)
				p.entries[at].block = r.block
				i = from + n
				continue
			}
		}
		if h := p.entries[at].head; s.before != h {
			s.before, s.behind = h, p.entries[at].tail
		}
		found = false
		from, to, odd := i, i, false
		for i < len(t) && !found {
			line++
			if !mayBeEvent(t[i:]) {
				_, i = lineAt(t, i)
				to = i
				continue
			}
			var err *diag.Error
			if i, found, err = s.eventAt(next, p, i, line); found {
				break
			}
			to, odd = i, true
			if err != nil {
				p.bad = append(p.bad, badLine{at, err})
			}
		}
		if !found {
			next = nil
		}
		e := &p.entries[at]
		var known *remembered
		e.block, known = s.block(p, e, t[from:to], odd || p.Open && to == len(t))
		s.records.settle(e, known, next)
	}
	if n := len(p.entries); n > 0 {
		s.before, s.behind = p.entries[n-1].head, p.entries[n-1].tail
	}
}

// eventAt reads the event line that begins at i in p into next, and returns
// where the line ends; found is false when it is none. The error is about a line
// that looks like an event line, and is whole.
func (s *scanner) eventAt(next *entry, p *piece, i, line int) (end int, found bool, err *diag.Error) {
	next.line = int32(line - p.Line)
	if n := s.expect(next, p.Text[i:]); n > 0 {
		return i + n, true, nil
	}
	l, end := lineAt(p.Text, i)
	found, err = s.event(next, l, line, p.Open && end == len(p.Text))
	return end, found, err
}

// empty are the blocks that say nothing: without a line, or with the blank line
// that closes a block of parameters.
var empty = [2]remembered{{block: &noLines}, {block: &noLines, text: []byte(" \n"), lines: 1}}

// lineAt returns the line that begins at t[i], without its LF and a CR before
// that, and where the next one begins. A last line without LF keeps its CR.
func lineAt(t []byte, i int) (line []byte, next int) {
	n := bytes.IndexByte(t[i:], '\n')
	if n < 0 {
		return t[i:len(t):len(t)], len(t)
	}
	next = i + n + 1
	if n > 0 && t[i+n-1] == '\r' {
		n--
	}
	return t[i : i+n : i+n], next
}

// mayBeEvent reports whether an event line may begin with the first bytes of
// t. It is quick and says yes too often.
func mayBeEvent(t []byte) bool {
	i := 0
	for i < len(t) && t[i] == ' ' {
		i++
	}
	if len(t)-i < 5 {
		return false
	}
	switch t[i] {
	case 'c':
		return t[i+4] == '_' && t[i+1] == 'a'
	case 'r':
		return t[i+3] == '_'
	case 'E':
		return t[i+1] == 'v'
	case 'N':
		return t[i+4] == '='
	}
	return false
}

// expect reads the event line that t begins with into p if it is one of those
// that came after the last one before, in its usual form. It returns the size
// of the line with its LF, or -1.
func (s *scanner) expect(p *entry, t []byte) int {
	next := &s.before.next
	for i, h := range next {
		if h == nil {
			break
		}
		if len(t) <= len(h.text) || string(t[:len(h.text)]) != h.text {
			continue
		}
		n := s.rest(p, h, t)
		if n > 0 {
			next[0], next[i] = h, next[0]
			p.head, s.before = h, h
		}
		return n
	}
	return -1
}

// event is eventAt for the line l. open tells that it has no LF.
func (s *scanner) event(p *entry, l []byte, line int, open bool) (bool, *diag.Error) {
	var ev event
	if !parseEvent(l, &ev) {
		return false, nil
	}
	if ev.bad != "" {
		if open {
			return false, nil
		}
		e := diag.New(diag.Pos{File: s.name, Line: line, Col: ev.col}, "ptr/event", "bad event line: %s", ev.bad)
		e.Source = string(l)
		return false, e
	}
	h := s.head(l, &ev)
	if next := &s.before.next; next[0] != h {
		next[0], next[1] = h, next[0]
	}
	p.head, s.before = h, h
	p.time, p.digits, p.tail = ev.time, uint8(ev.digits), s.tailOf(l[ev.timeEnd:], &ev)
	return true, nil
}

// head returns the head of the event line l, which is ev.
func (s *scanner) head(l []byte, ev *event) *head {
	text := l[:ev.timeAt]
	if h := s.heads[string(text)]; h != nil {
		return h
	}
	fn := s.fns[string(ev.name)]
	if fn == nil {
		if len(s.fns) >= maxNames || s.fns == nil {
			s.fns = map[string]*function{}
		}
		s.named++
		fn = &function{name: string(ev.name), id: s.named}
		fn.row = libdvm.RowOf(fn.name)
		s.fns[fn.name] = fn
	}
	if len(s.heads) >= maxNames || s.heads == nil {
		s.heads = map[string]*head{}
	}
	h := &head{text: string(text), half: ev.half, indent: int32(ev.indent), fn: fn}
	s.heads[h.text] = h
	return h
}

// rest reads into p what stands in t behind its head h: the time of an event
// line and what follows it. It returns the size of the line with its LF. It
// knows only the usual form of times, and tails that came before; it returns -1
// for any other.
func (s *scanner) rest(p *entry, h *head, t []byte) int {
	time, digits, i := quickTime(t, len(h.text))
	if i < 0 {
		return -1
	}
	k, end := s.behind, i+len(s.behind.text)
	if end >= len(t) || t[end] != '\n' || string(t[i:end]) != k.text {
		if k = h.tail; k == nil {
			return -1
		}
		if end = i + len(k.text); end >= len(t) || t[end] != '\n' || string(t[i:end]) != k.text {
			n := bytes.IndexByte(t[i:], '\n')
			if n < 1 || t[i+n-1] == '\r' {
				return -1
			}
			end = i + n
			if k = s.tails[string(t[i:end])]; k == nil {
				return -1
			}
		}
	}
	p.time, p.digits, p.tail = time, uint8(digits), k
	s.behind, h.tail = k, k
	return end + 1
}

// tailOf returns the tail with the given text, of the event line ev.
func (s *scanner) tailOf(text []byte, ev *event) *tail {
	k := s.tails[string(text)]
	if k == nil {
		k = &tail{text: string(text), line: ev.line, file: s.files.get(ev.file)}
		if text[len(text)-1] == '\r' {
			return k // looks like another one, with a line end of Windows
		}
		if len(s.tails) >= maxNames || s.tails == nil {
			s.tails = map[string]*tail{}
		}
		s.tails[k.text] = k
	}
	s.behind, s.before.tail = k, k
	return k
}

// block returns what the lines of text say, which stand behind the event line
// p. Odd ones are not remembered: the last line may be cut, or one looks like
// an event line. It must be called when the event line behind it was read. known is
// what is remembered of it, nil for nothing.
func (s *scanner) block(in *piece, p *entry, text []byte, odd bool) (b *block, known *remembered) {
	var place *slot
	switch {
	case string(text) == string(empty[0].text):
		return &noLines, &empty[0]
	case string(text) == string(empty[1].text):
		return &noLines, &empty[1]
	case !odd:
		var r *remembered
		if r, place = s.memory.find(p.head.fn, p.head.half, text); r != nil {
			return r.block, r
		}
	}
	if place == nil {
		b = in.blocks.next()
		s.read(b, p, text, in.Open)
		return b, nil
	}
	r := &remembered{fn: p.head.fn, half: p.head.half, text: bytes.Clone(text), block: &block{}}
	r.lines = bytes.Count(text, []byte{'\n'})
	s.read(r.block, p, r.text, false)
	r.block.params.Fix(tableOf(p), r.block.text)
	s.memory.keep(place, r)
	return r.block, r
}

// tableOf returns the parameters that the table lists for the half p of a call.
func tableOf(p *entry) []libdvm.Param {
	switch {
	case p.head.fn.row == nil:
		return nil
	case p.head.half == retEvent:
		return p.head.fn.row.Ret
	}
	return p.head.fn.row.Args
}

// read reads the lines of text into b. open tells that the last one has no LF.
func (s *scanner) read(b *block, p *entry, text []byte, open bool) {
	r := &s.lines
	r.begin(p.head.fn.row, tableOf(p), &b.params, &b.text)
	for i := 0; i < len(text); {
		l, next := lineAt(text, i)
		i = next
		if isRule(l) || b.takeOwn(l, r) {
			continue
		}
		r.line(l)
		if p.head.half == exitEvent && !b.rc && b.params.Get("rc") != nil {
			cut := open && next == len(text) && text[next-1] != '\n'
			b.rc = !cut || l[len(l)-1] == ';'
		}
	}
	r.end()
	b.lines = r.lines
}

// interner gives equal byte strings one string.
type interner struct {
	m    map[string]string
	last string
}

func (n *interner) get(b []byte) string {
	if string(b) == n.last {
		return n.last // names of files come in long runs
	}
	if s, ok := n.m[string(b)]; ok {
		n.last = s
		return s
	}
	if n.m == nil || len(n.m) > maxNames {
		n.m = map[string]string{}
	}
	s := string(b)
	n.m[s] = s
	n.last = s
	return s
}
