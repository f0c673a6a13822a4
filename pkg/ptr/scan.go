package ptr

import (
	"bytes"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/libdvm"
)

// scanner takes pieces of a trace apart. What an event line or a block means
// does not depend on the lines around it, so that several scanners can work on
// the pieces of one trace side by side; [Reader] puts the parts together.
//
// A program does the same many times, and so most lines of a trace are like an
// earlier one. The scanner knows the beginnings of event lines, expects after
// each the one that came after it before, and remembers blocks.
type scanner struct {
	name   string // of the trace
	heads  map[string]*head
	before *head // of the event line before
	tail   tail
	fns    map[string]*function
	named  uint64 // functions so far
	lines  lineReader
	files  interner
	keys   interner
	memory memory
}

// head is the beginning of an event line, up to the value of TIME.
type head struct {
	text   string
	half   half
	indent int32
	fn     *function
	next   *head // the head that came after this one
}

// tail is the end of an event line, from behind the value of TIME.
type tail struct {
	text []byte
	line int
	file string
}

// maxNames bounds the memory for names; traces have few different ones.
const maxNames = 1 << 16

func newScanner(name string, remember int) *scanner {
	s := &scanner{name: name, before: &head{}, memory: memory{most: remember}}
	s.lines.keys, s.lines.toEnd = &s.keys, -1
	return s
}

// scan finds the parts of p.
func (s *scanner) scan(p *piece) {
	p.reset()
	s.memory.note(len(p.Text))
	t, line := p.Text, p.Line
	var next part
	var found bool
	i := 0
	for i < len(t) && !found {
		line++
		l, end := lineAt(t, i)
		var err *diag.Error
		if mayBeEvent(l) {
			found, err = s.event(&next, l, line, end == len(t) && p.Open)
		}
		if i = end; !found {
			p.lead = append(p.lead, leadLine{l, err})
		}
	}
	for found {
		n := len(p.parts)
		p.parts = append(p.parts, next)
		found = false
		from, bad := i, false
		to := i
		for i < len(t) {
			line++
			if !mayBeEvent(t[i:]) {
				if end := bytes.IndexByte(t[i:], '\n'); end >= 0 {
					i += end + 1
				} else {
					i = len(t)
				}
				to = i
				continue
			}
			l, end := lineAt(t, i)
			var err *diag.Error
			found, err = s.event(&next, l, line, end == len(t) && p.Open)
			if i = end; found {
				break
			}
			to = i
			if err != nil {
				p.bad = append(p.bad, badLine{n, err})
			}
			bad = true
		}
		p.parts[n].block = s.block(p, &p.parts[n], t[from:to], bad || p.Open && to == len(t))
	}
}

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

// event reads the event line l into p; false when it is none. The error is
// about a line that looks like an event line, and is whole.
func (s *scanner) event(p *part, l []byte, line int, open bool) (bool, *diag.Error) {
	p.line = line
	if h := s.before.next; h != nil && len(l) > len(h.text) && string(l[:len(h.text)]) == h.text && s.behind(p, h, l) {
		s.before = h
		return true, nil
	}
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
	s.before.next, s.before = h, h
	p.half, p.indent, p.fn = h.half, h.indent, h.fn
	p.time, p.digits = ev.time, uint8(ev.digits)
	p.at, p.file = ev.line, s.files.get(ev.file)
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

// behind reads into p what stands in l behind the head h. It knows only the
// usual form, and returns false for any other.
func (s *scanner) behind(p *part, h *head, l []byte) bool {
	time, digits, i := quickTime(l, len(h.text))
	if i < 0 {
		return false
	}
	t := l[i:]
	if !bytes.Equal(t, s.tail.text) && !s.readTail(t) {
		return false
	}
	p.half, p.indent, p.fn = h.half, h.indent, h.fn
	p.time, p.digits = time, uint8(digits)
	p.at, p.file = s.tail.line, s.tail.file
	return true
}

// readTail reads " LINE=7   FILE=jac.fdv".
func (s *scanner) readTail(t []byte) bool {
	if len(t) < 12 || t[0] != ' ' || string(t[1:6]) != "LINE=" {
		return false
	}
	i, n := 6, 0
	for ; i < len(t) && t[i]-'0' < 10; i++ {
		if n >= 1e7 {
			return false
		}
		n = n*10 + int(t[i]-'0')
	}
	for i < len(t) && t[i] == ' ' {
		i++
	}
	if len(t)-i < 5 || string(t[i:i+5]) != "FILE=" {
		return false
	}
	file := t[i+5:]
	if string(file) != s.tail.file {
		s.tail.file = s.files.get(file)
	}
	s.tail.line = n
	s.tail.text = append(s.tail.text[:0], t...)
	return true
}

// quickTime reads the time that begins at l[i] in its usual form and returns
// it as [parseTime] does, and the index behind it; -1 when it has another form.
func quickTime(l []byte, i int) (picos int64, digits, next int) {
	var n int64
	start := i
	for ; i < len(l) && l[i]-'0' < 10; i++ {
		if n = n*10 + int64(l[i]-'0'); n >= 1_000_000 {
			return 0, 0, -1
		}
	}
	if i == start || i == len(l) || l[i] != '.' {
		return 0, 0, -1
	}
	i++
	start = i
	for ; i < len(l) && l[i]-'0' < 10; i++ {
		n = n*10 + int64(l[i]-'0')
		if i-start == 12 {
			return 0, 0, -1
		}
	}
	if i == len(l) || l[i] != ' ' {
		return 0, 0, -1
	}
	return n * pow10[12-(i-start)], i - start, i
}

// block returns what the lines of text say, which stand behind the event line
// p. Such that are once is true for are not remembered: the last line may be
// cut, or one was taken for an event line.
func (s *scanner) block(in *piece, p *part, text []byte, once bool) *block {
	if len(text) == 0 || len(text) == 2 && text[0] == ' ' {
		return &noLines
	}
	if once {
		b := in.blocks.next()
		s.read(b, p, text, in.Open)
		return b
	}
	b, place := s.memory.find(p.fn, p.half, text)
	if b != nil {
		return b
	}
	if place != nil {
		text = bytes.Clone(text)
		b = &block{}
		s.read(b, p, text, false)
		b.params.Fix(tableOf(p))
		s.memory.keep(place, p.fn, p.half, text, b)
		return b
	}
	b = in.blocks.next()
	s.read(b, p, text, false)
	return b
}

// tableOf returns the parameters that the table lists for the half p of a call.
func tableOf(p *part) []libdvm.Param {
	switch {
	case p.fn.row == nil:
		return nil
	case p.half == retEvent:
		return p.fn.row.Ret
	}
	return p.fn.row.Args
}

// read reads the lines of text into b. open tells that the last one has no LF.
func (s *scanner) read(b *block, p *part, text []byte, open bool) {
	r := &s.lines
	r.begin(p.fn.row, tableOf(p), &b.params, &b.text)
	for i := 0; i < len(text); {
		l, next := lineAt(text, i)
		i = next
		if isRule(l) {
			continue
		}
		r.line(l)
		if p.half == exitEvent && !b.rc && b.params.Get("rc") != nil {
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
