package par

import (
	"math"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// parameters2000 are the parameters of the 2000 form; all but the last must
// be stated.
var parameters2000 = []string{"type", "start time", "send byte time", "power", "topology"}

// types are the values of "type": a network is a bus.
var types = []struct {
	word string
	kind machine.Kind
}{{"network", machine.Ethernet}, {"transputer", machine.Transputer}}

// typeOf returns the value of "type" for a kind of medium, "" when there is
// none.
func typeOf(kind machine.Kind) string {
	for _, t := range types {
		if t.kind == kind {
			return t.word
		}
	}
	return ""
}

// network is a machine of the 2000 form. settings are in the order of
// parameters2000.
type network struct {
	settings [5]setting
	kind     machine.Kind
	start    units.Seconds
	byteTime units.SecPerByte
	power    float64
	topology []int
}

// Names of the two nodes that a machine of the 2000 form has: the form itself
// names nothing.
const (
	networkName   = "network"
	processorName = "processor"
)

// parse2000 reads a file of the 2000 form: processors of one power, in any
// number, under one medium.
func (p *parser) parse2000(f *file) *machine.Machine {
	c := &cursor{parser: p, f: f}
	var n network
	c.statements(func() bool { return c.statement2000(&n) })
	for i, s := range n.settings[:4] {
		if !s.set {
			p.errorf(place{f, len(f.text)}, "par/missing", "found the end of the file and no %q, expected \"%s = ...;\" before it", parameters2000[i], parameters2000[i])
		}
	}
	if p.failed {
		return nil
	}
	if n.power != 1 {
		p.notef(n.settings[3].at, "par/power", "power %v is the performance of the machine traced on divided by that of the target (2000 form); the 2010 form states the inverse, %s", n.power, formatFloat(inverse(n.power)))
	}
	channels, _ := n.kind.Channels()
	md := machine.Medium{Kind: n.kind, Channels: channels, TStart: n.start, TByte: n.byteTime}
	return newNetwork(md, inverse(n.power), n.topology)
}

// inverse turns the power of the 2000 form (E 2.4: the performance of the
// machine traced on divided by that of the target) into that of the model, which
// is its inverse, within the limits of powers.
func inverse(stated float64) float64 {
	return min(max(1/stated, machine.Smallest), machine.Largest)
}

// statedPower returns the number that the 2000 form states for a power of the
// model: of the numbers whose inverse is power, the one with the shortest text.
// It reports false when no floating-point number has exactly that inverse.
func statedPower(power float64) (float64, bool) {
	best, length := 0.0, 0
	x := 1 / power
	for range 3 {
		x = math.Nextafter(x, 0)
	}
	for range 7 {
		if machine.ValidPower(x) && inverse(x) == power {
			if n := len(formatFloat(x)); length == 0 || n < length {
				best, length = x, n
			}
		}
		x = math.Nextafter(x, math.Inf(1))
	}
	return best, length > 0
}

// newNetwork returns the machine of the 2000 form. power is that of a
// processor; the parameters are valid.
func newNetwork(md machine.Medium, power float64, topology []int) *machine.Machine {
	leaf := machine.NewProcessor(processorName, power)
	root := machine.NewCluster(networkName, md, machine.Group{Count: machine.MaxProcessors, Node: leaf})
	return &machine.Machine{Name: root.Name, Root: root, Topology: topology, Unbounded: true}
}

// statement2000 reads a statement of the 2000 form up to its ";".
func (c *cursor) statement2000(n *network) bool {
	at := c.here()
	var words []string
	for c.tok().kind == tokWord && len(words) < 4 {
		words = append(words, strings.ToLower(c.f.str(c.next())))
	}
	if len(words) == 0 {
		return c.fail("one of %s", quotedList(parameters2000))
	}
	name := strings.Join(words, " ")
	i := 0
	for i < len(parameters2000) && parameters2000[i] != name {
		i++
	}
	if i == len(parameters2000) {
		c.errorf(at, "par/parameter", "found parameter %q, expected one of %s%s", name, quotedList(parameters2000), diag.DidYouMean(name, parameters2000))
		return false
	}
	if !c.equals() {
		return false
	}
	if !c.once(&n.settings[i], `"`+name+`"`, at) {
		// The second value is read for its errors only.
		n = new(network)
	}
	var ok bool
	var t float64
	switch i {
	case 0:
		n.kind, ok = c.networkType()
	case 1:
		t, ok = c.micro(name)
		n.start = units.Seconds(t)
	case 2:
		t, ok = c.micro(name)
		n.byteTime = units.SecPerByte(t)
	case 3:
		n.power, ok = c.float("power", 0, machine.ValidPower, powerLimits)
	case 4:
		n.topology, ok = c.topology()
	}
	return ok
}

func quotedList(words []string) string {
	return `"` + strings.Join(words, `", "`) + `"`
}

// networkType reads a value of "type".
func (c *cursor) networkType() (machine.Kind, bool) {
	word, ok := c.name("network or transputer")
	if !ok {
		return machine.NoMedium, false
	}
	var words []string
	for _, t := range types {
		if strings.EqualFold(t.word, word.name) {
			return t.kind, true
		}
		words = append(words, t.word)
	}
	c.errorf(word.at, "par/type", "found type %q, expected network (a bus) or transputer%s", word.name, diag.DidYouMean(word.name, words))
	return machine.NoMedium, false
}

// topology reads "{" integer { "," integer } "}".
func (c *cursor) topology() ([]int, bool) {
	at := c.here()
	if !c.accept("{") {
		return nil, c.fail("extents in braces, as in {2, 2}")
	}
	var extents []int
	valid := true
	for {
		e, ok := c.integer("extent", 1, machine.MaxProcessors)
		if !ok {
			return nil, false
		}
		valid = valid && e > 0
		extents = append(extents, int(e))
		if c.accept("}") {
			break
		}
		if !c.accept(",") {
			return nil, c.fail("\",\" or \"}\" after extent %d", e)
		}
	}
	if valid {
		if err := machine.CheckTopology(extents); err != nil {
			c.errorf(at, "par/limit", "found %v, expected a smaller one", err)
		}
	}
	return extents, true
}
