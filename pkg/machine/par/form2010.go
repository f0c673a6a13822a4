package par

import (
	"fmt"
	"slices"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// keywords and properties of the 2010 form, as they are printed.
var (
	keywords   = []string{"cluster", "search"}
	properties = []string{"CommType", "TStart", "TByte"}
)

// entity is everything that a description states about one name.
type entity struct {
	name  string
	first place // of the first statement about it

	def    setting // name = ...
	leaf   bool
	power  float64
	groups []group

	comm     setting // name.CommType = ...
	kind     machine.Kind
	channels int
	other    ref // OTHER.CommType

	tstart, tbyte setting
	start         units.Seconds
	byteTime      units.SecPerByte

	resolution
}

// group is an item of a list.
type group struct {
	count int64
	ref
}

// about returns the entity of name, a new one when there is none yet.
func (p *parser) about(name string, at place) *entity {
	e := p.names[name]
	if e == nil {
		e = &entity{name: name, first: at}
		p.names[name] = e
		p.order = append(p.order, e)
	}
	return e
}

// once marks s as stated at the place at. For a second statement it reports an
// error that names the first, and returns false.
func (p *parser) once(s *setting, what string, at place) bool {
	if s.set {
		p.errorf(at, "par/duplicate", "found %s a second time, expected it once; the first is at %s", what, s.at.pos())
		return false
	}
	s.set, s.at = true, at
	return true
}

// statement2010 reads a statement of the 2010 form up to its ";".
func (c *cursor) statement2010() bool {
	r, ok := c.name(`a statement: "cluster = NAME", "search = N", "NAME = {N x NAME, ...}", "NAME = POWER" or "NAME.CommType = ..."`)
	if !ok {
		return false
	}
	name, at := r.name, r.at
	switch {
	case c.accept("."):
		return c.property(name, at)
	case c.is("=") && strings.EqualFold(name, "cluster"):
		c.i++
		return c.clusterStatement(at)
	case c.is("=") && strings.EqualFold(name, "search"):
		c.i++
		return c.searchStatement(at)
	case c.accept("="):
		return c.definition(name, at)
	}
	if strings.EqualFold(name, "cluster") {
		// A faulty cluster statement is not also reported as missing.
		c.clusterTried = true
		return c.fail("\"=\" after %q", name)
	}
	if words := words2000(name); words != "" && c.tok().kind == tokWord {
		return c.fail("\"=\" or \".\" after %q; %q belongs to the 2000 form, which has no \"cluster\"", name, words)
	}
	return c.fail("\"=\" or \".\" after %q%s", name, diag.DidYouMean(name, keywords))
}

// words2000 returns the parameter of the 2000 form that begins with word, if
// it has several words.
func words2000(word string) string {
	for _, p := range parameters2000 {
		if first, _, more := strings.Cut(p, " "); more && strings.EqualFold(first, word) {
			return p
		}
	}
	return ""
}

func (c *cursor) clusterStatement(at place) bool {
	keep := c.once(&c.cluster, `"cluster"`, at)
	r, ok := c.name("the name of the cluster to simulate")
	if keep && ok {
		c.simulated, c.cluster.ok = r, true
	}
	return ok
}

func (c *cursor) searchStatement(at place) bool {
	keep := c.once(&c.search, `"search"`, at)
	valueAt := c.here()
	n, ok := c.integer("search", 0, 5)
	if n == 4 {
		c.errorf(valueAt, "par/range", "found search 4, expected 0 (off), 1 (heuristic), 2 (not-bad), 3 (all) or 5 (compare 1 and 2)")
	} else if keep && ok {
		c.searchMode = int(n)
	}
	return ok
}

func (c *cursor) definition(name string, at place) bool {
	e := c.about(name, at)
	keep := c.once(&e.def, fmt.Sprintf("the definition of %q", name), at)
	var groups []group
	var power float64
	ok, leaf := false, false
	switch t := c.tok(); {
	case c.is("{"):
		groups, ok = c.list()
	case t.kind == tokNumber:
		leaf = true
		power, ok = c.float("power", 0, machine.ValidPower, powerLimits)
	case t.kind == tokWord && notFinite(c.text()):
		c.fail("a power, a finite number")
	case t.kind == tokWord:
		c.fail("a list in braces or a power; a cluster of one is {%s}%s", c.text(), diag.DidYouMean(name, keywords))
	default:
		c.fail("a list in braces, as in {2 x node}, or a power")
	}
	if keep {
		e.def.ok = ok && (!leaf || power > 0)
		e.leaf, e.power, e.groups = leaf, power, groups
	}
	return ok
}

// notFinite reports whether word is what programs print for NaN or an infinity.
func notFinite(word string) bool {
	return slices.Contains([]string{"nan", "inf", "infinity"}, strings.ToLower(word))
}

// list reads "{" item { "," item } "}".
func (c *cursor) list() ([]group, bool) {
	var groups []group
	c.i++
	if c.is("}") {
		return nil, c.fail("a name; a cluster has at least one child")
	}
	for {
		g, ok := c.item()
		if !ok {
			return nil, false
		}
		groups = append(groups, g)
		if c.accept("}") {
			return groups, true
		}
		if !c.accept(",") {
			return nil, c.fail("\",\" or \"}\" after %q", g.name)
		}
	}
}

// item reads [ integer "x" ] name. White space around the x may be missing:
// 2xnode.
func (c *cursor) item() (group, bool) {
	if c.is("{") {
		return group{}, c.fail("a name; a list inside a list needs a name of its own: define it as a cluster")
	}
	if c.tok().kind != tokNumber {
		r, ok := c.name(`an item, "NAME" or "N x NAME"`)
		return group{1, r}, ok
	}
	count, ok := c.integer("count", 1, machine.MaxProcessors)
	if !ok {
		return group{}, false
	}
	word := c.text()
	if c.tok().kind != tokWord || word[0] != 'x' && word[0] != 'X' {
		return group{}, c.fail("\"x\" between the count and a name, as in 2 x node")
	}
	if wordLen(word[1:]) > 0 {
		t := c.next()
		return group{count, ref{word[1:], place{c.f, t.off + 1}}}, true
	}
	if len(word) > 1 {
		return group{}, c.fail("\"x\" and a name; names begin with a letter")
	}
	c.i++
	r, ok := c.name(`a name after "x"`)
	return group{count, r}, ok
}

// property reads what follows NAME ".".
func (c *cursor) property(name string, at place) bool {
	e := c.about(name, at)
	prop, ok := c.name(`"CommType", "TStart" or "TByte"`)
	if !ok {
		return false
	}
	if !slices.ContainsFunc(properties, func(p string) bool { return strings.EqualFold(p, prop.name) }) {
		c.errorf(prop.at, "par/property", "found property %q of %q, expected CommType, TStart or TByte%s", prop.name, name, diag.DidYouMean(prop.name, properties))
		return false
	}
	if !c.equals() {
		return false
	}
	switch strings.ToLower(prop.name) {
	case "commtype":
		keep := c.once(&e.comm, name+".CommType", at)
		md, other, ok := c.commType()
		if keep {
			e.comm.ok = ok
			e.kind, e.channels, e.other = md.Kind, md.Channels, other
		}
		return ok
	case "tstart":
		keep := c.once(&e.tstart, name+".TStart", at)
		s, ok := c.micro("TStart")
		if keep {
			e.tstart.ok, e.start = ok, units.Seconds(s)
		}
		return ok
	case "tbyte":
		keep := c.once(&e.tbyte, name+".TByte", at)
		s, ok := c.micro("TByte")
		if keep {
			e.tbyte.ok, e.byteTime = ok, units.SecPerByte(s)
		}
		return ok
	}
	return false
}

// The values that machine.ValidPower and machine.ValidTime accept, for messages,
// in the units of the text.
const (
	powerLimits = "a number greater than 0, from 1e-30 to 1e30"
	timeLimits  = "0 or a positive number of microseconds, from 1e-24 to 1e36"
)

// micro reads a time in microseconds and returns it in seconds. It warns of a
// latency of zero, which makes any number of small messages free.
func (c *cursor) micro(what string) (float64, bool) {
	at := c.here()
	x, ok := c.float(what, -6, machine.ValidTime, timeLimits)
	if ok && x == 0 && (what == "TStart" || what == "start time") {
		c.warnf(at, "par/zero-start", "found %s 0: messages cost nothing to start, however many there are; state a latency in microseconds unless this is meant", what)
	}
	return x, ok
}

// commType reads a kind of medium, or the name of another cluster whose medium
// is used.
func (c *cursor) commType() (md machine.Medium, other ref, ok bool) {
	expected := "ethernet, transputer, myrinet(channels) or NAME.CommType"
	word, ok := c.name(expected)
	if !ok {
		return md, other, false
	}
	if c.accept(".") {
		prop, ok := c.name(`"CommType"`)
		if ok && !strings.EqualFold(prop.name, "CommType") {
			c.errorf(prop.at, "par/property", "found %q, expected \"CommType\"; %s.CommType stands for the whole medium of %q", prop.name, word.name, word.name)
			return md, other, false
		}
		return md, word, ok
	}
	kind, ok := machine.KindOf(word.name)
	if !ok {
		c.errorf(word.at, "par/medium", "found %q, expected %s%s", word.name, expected, diag.DidYouMean(word.name, mediaWords()))
		return md, other, false
	}
	least, most := kind.Channels()
	md = machine.Medium{Kind: kind, Channels: least}
	if least < most {
		if !c.accept("(") {
			return md, other, c.fail("the number of channels in parentheses, as in %v(1)", kind)
		}
		n, ok := c.integer("channels", int64(least), int64(most))
		if !ok {
			return md, other, false
		}
		if !c.accept(")") {
			return md, other, c.fail("\")\" after the number of channels")
		}
		md.Channels = int(n)
		return md, other, true
	}
	if c.is("(") {
		return md, other, c.fail("\";\": %s has no channels, only myrinet has", strings.ToLower(word.name))
	}
	return md, other, true
}

// mediaWords are the words for the kinds of media.
func mediaWords() []string {
	var words []string
	for _, k := range machine.Kinds() {
		words = append(words, k.String())
	}
	return words
}
