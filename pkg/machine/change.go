package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/units"
)

// A Change is a parameter change as users state it: "WHAT=VALUE" sets a
// parameter, "WHAT=FACTOR" multiplies a parameter or all those of a group, which
// limits in brackets restrict: "all[proc=2]=0.5". The language of the machine
// file defines the names.
type Change struct {
	// Scale says that the values are multiplied by Factor, which is from
	// [Smallest] to [Largest]; otherwise they become Value.
	Scale  bool
	What   string
	Limits []Limit
	Value  string
	Factor float64

	text string
}

// A Limit restricts a group to the things of kind Name with the number Value.
type Limit struct {
	Name  string
	Value int64
}

// String returns the change as it was stated.
func (c Change) String() string { return c.text }

// A Changed is a parameter with its values before and after a change, as they
// are written in the language of the machine file.
type Changed struct {
	What string `json:"what"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// A Variable is what a change can be of: a parameter of a machine, or a group of
// them that belong together, with its value as it is written in the language of the
// machine file, "" for those of a group that differ.
type Variable struct{ Name, Value string }

// Variables returns the parameters that [Machine.Apply] can scale, each for
// itself, in the order of the nodes. A machine of links has none; its file has.
func (m *Machine) Variables() []Variable {
	var all []Variable
	for _, p := range m.Parameters() {
		all = append(all, Variable{p.Name, format(p.Value)})
	}
	return all
}

// Whole reports whether the values of the variable are whole numbers.
func (v Variable) Whole() bool { return strings.HasSuffix(v.Name, "."+nameChannels) }

// moreIsFaster are the parameters whose larger values are faster. All others are
// times.
var moreIsFaster = []string{"." + namePower, "." + nameChannels, ".smallloopspeedup"}

// Effect returns "faster" or "slower" for what the change does, and "" when the
// values are equal or are not numbers.
func (c Changed) Effect() string {
	old, ok := firstNumber(c.Old)
	now, ok2 := firstNumber(c.New)
	if !ok || !ok2 || old == now {
		return ""
	}
	more := slices.ContainsFunc(moreIsFaster, func(s string) bool { return strings.HasSuffix(c.What, s) })
	if (now > old) == more {
		return "faster"
	}
	return "slower"
}

// firstNumber returns the number that a value begins with: that is the average of
// a timing, and the factor of an expression that was scaled. An expression
// without a factor has 1.
func firstNumber(s string) (float64, bool) {
	first, rest, _ := strings.Cut(s, " ")
	f, err := strconv.ParseFloat(first, 64)
	isExpression := strings.ContainsAny(s, "(*/")
	if isExpression && (err != nil || !strings.HasPrefix(rest, "* (")) {
		return 1, true
	}
	return f, err == nil
}

// ParseSet reads "WHAT=VALUE".
func ParseSet(s string) (Change, error) {
	what, value, ok := strings.Cut(s, "=")
	c := Change{What: strings.TrimSpace(what), Value: strings.TrimSpace(value), text: s}
	if !ok || c.What == "" || c.Value == "" {
		return c, fmt.Errorf("found %q, expected PARAMETER=VALUE", s)
	}
	return c, nil
}

// ParseScale reads "WHAT[LIMIT=NUMBER]...=FACTOR".
func ParseScale(s string) (Change, error) {
	i := strings.LastIndexByte(s, '=')
	if i < 0 || strings.IndexByte(s[i:], ']') >= 0 {
		return Change{}, fmt.Errorf("found %q, expected GROUP=FACTOR or PARAMETER=FACTOR", s)
	}
	c := Change{Scale: true, text: s}
	var err error
	c.Factor, err = strconv.ParseFloat(strings.TrimSpace(s[i+1:]), 64)
	if err != nil || !(c.Factor > 0) || !ValidPower(c.Factor) {
		return c, fmt.Errorf("found factor %q, expected a number greater than 0, from %v to %v", strings.TrimSpace(s[i+1:]), Smallest, Largest)
	}
	what, limits, _ := strings.Cut(s[:i], "[")
	c.What = strings.TrimSpace(what)
	if c.What == "" {
		return c, fmt.Errorf("found %q, expected GROUP=FACTOR or PARAMETER=FACTOR", s)
	}
	if limits == "" {
		return c, nil
	}
	inner, ok := strings.CutSuffix(strings.TrimSpace(limits), "]")
	if !ok {
		return c, fmt.Errorf("found %q, expected \"]\" before \"=\"", s)
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(inner, "][", ","), ",") {
		name, number, _ := strings.Cut(part, "=")
		v, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || v < 0 {
			return c, fmt.Errorf("found %q in brackets, expected NAME=NUMBER, as in [proc=1]", part)
		}
		c.Limits = append(c.Limits, Limit{strings.TrimSpace(name), v})
	}
	return c, nil
}

// The parameters of a node, as changes name them: NODE.TStart.
const (
	nameTStart   = "TStart"
	nameTByte    = "TByte"
	namePower    = "power"
	nameChannels = "Channels"
)

// words2000 maps the names of parameters in the 2000 form.
var words2000 = map[string]string{"start time": nameTStart, "send byte time": nameTByte}

// parameter is a number of a node that can be changed.
type parameter struct {
	node *Node
	name string
}

// get returns the value in the units of Predictor.par: times in microseconds.
func (p parameter) get() float64 {
	switch p.name {
	case nameTStart:
		return float64(p.node.Medium.TStart) * 1e6
	case nameTByte:
		return float64(p.node.Medium.TByte) * 1e6
	case nameChannels:
		return float64(p.node.Medium.Channels)
	}
	return p.node.Power
}

// store sets a time to seconds, and any other parameter to v.
func (p parameter) store(v, seconds float64) {
	switch p.name {
	case nameTStart:
		p.node.Medium.TStart = units.Seconds(seconds)
	case nameTByte:
		p.node.Medium.TByte = units.SecPerByte(seconds)
	case nameChannels:
		p.node.Medium.Channels = int(v)
	default:
		p.node.Power = v
	}
}

// scale multiplies the parameter by f. Times are not converted to microseconds
// and back, so that powers of two are exact factors.
func (p parameter) scale(f float64) {
	switch p.name {
	case nameTStart:
		p.node.Medium.TStart *= units.Seconds(f)
	case nameTByte:
		p.node.Medium.TByte *= units.SecPerByte(f)
	case nameChannels:
		p.node.Medium.Channels = int(float64(p.node.Medium.Channels) * f)
	default:
		p.node.Power *= f
	}
}

func (p parameter) String() string { return p.node.Name + "." + p.name }

// parameters lists all parameters that can be changed, in the order of the nodes.
func (m *Machine) parameters() []parameter {
	var all []parameter
	for _, n := range m.Nodes() {
		switch {
		case n.Leaf():
			all = append(all, parameter{n, namePower})
		case n.Medium.Kind == Myrinet:
			all = append(all, parameter{n, nameTStart}, parameter{n, nameTByte}, parameter{n, nameChannels})
		case n.Medium.Kind != NoMedium:
			all = append(all, parameter{n, nameTStart}, parameter{n, nameTByte})
		}
	}
	return all
}

// A Parameter is a number of a machine of media that [Machine.Apply] can set.
// Name is its name in changes; Value is in the units of Predictor.par: times in
// microseconds, with 15 digits.
type Parameter struct {
	Name  string
	Value float64
}

// Parameters returns all parameters that can be set, in the order of the nodes;
// none on a machine of links.
func (m *Machine) Parameters() []Parameter {
	if m.Network != nil {
		return nil
	}
	var list []Parameter
	for _, p := range m.parameters() {
		v, err := strconv.ParseFloat(format(p.get()), 64)
		if err != nil {
			panic("machine: internal error: " + err.Error())
		}
		list = append(list, Parameter{p.String(), v})
	}
	return list
}

// Apply changes the powers and media of a machine in place. WHAT is NODE.TStart
// or NODE.TByte in microseconds, NODE.Channels, NODE.CommType, NODE.power or the
// name of a processor; TStart, TByte, CommType and power alone stand for those of
// all nodes, and so do the names of the 2000 form. A power is that of the model, larger for a
// faster processor, even when the file states its inverse. Apply returns the
// parameters that it changed. When no parameter matches, the error lists those
// that there are. After an error nothing is changed.
func (m *Machine) Apply(c Change) ([]Changed, error) {
	if m.Network != nil {
		return nil, fmt.Errorf("found a machine of links, expected one of media; change the file it comes from")
	}
	if len(c.Limits) > 0 {
		return nil, fmt.Errorf("found %q, expected no brackets: the groups of a machine of media have no limits", c)
	}
	if word, ok := words2000[c.What]; ok {
		c.What = word
	}
	if moved, mine, err := m.applyKind(c); mine {
		return moved, err
	}
	all := m.parameters()
	var chosen []parameter
	var names []string
	for _, n := range m.Nodes() {
		if n.Medium.Kind != NoMedium {
			names = append(names, n.Name+"."+nameCommType)
		}
	}
	for _, p := range all {
		names = append(names, p.String())
		if p.String() == c.What || p.name == c.What || p.name == namePower && p.node.Name == c.What {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) == 0 {
		shown := slices.Clone(names)
		if len(shown) > 30 {
			shown = append(shown[:30], "...")
		}
		return nil, fmt.Errorf("found no parameter %q in machine %q, expected one of %s, or %s, %s, %s or %s for all%s",
			c.What, m.Name, strings.Join(shown, ", "), nameTStart, nameTByte, nameCommType, namePower, diag.DidYouMean(c.What, names))
	}
	value, seconds := 0.0, 0.0
	if !c.Scale {
		var err error
		if value, err = strconv.ParseFloat(c.Value, 64); err == nil {
			seconds, err = fromMicro(c.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("found value %q for %s, expected a number", c.Value, c.What)
		}
	}
	before := make([]Node, len(chosen))
	var moved []Changed
	for i, p := range chosen {
		before[i] = *p.node
		old := p.get()
		if c.Scale {
			p.scale(c.Factor)
		} else {
			p.store(value, seconds)
		}
		moved = append(moved, Changed{p.String(), format(old), format(p.get())})
	}
	for i, p := range chosen {
		if err := p.node.check(false); err != nil || p.name == nameChannels && !c.Scale && value != float64(p.node.Medium.Channels) {
			for j, q := range slices.Backward(chosen) {
				q.node.Power, q.node.Medium = before[j].Power, before[j].Medium
			}
			if err == nil {
				err = fmt.Errorf("channels are whole")
			}
			return nil, fmt.Errorf("found %q, expected a value in range: %w (node %q)", c, err, chosen[i].node.Name)
		}
	}
	return moved, nil
}

// fromMicro returns the seconds nearest to a decimal number of microseconds,
// as the reader of Predictor.par does: the exponent is changed, not the value.
func fromMicro(text string) (float64, error) {
	mantissa, exponent, shift := text, "", -6
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
		e, err := strconv.Atoi(exponent)
		if err != nil {
			return 0, err
		}
		shift += e
	}
	return strconv.ParseFloat(mantissa+"e"+strconv.Itoa(shift), 64)
}

// format writes a value for people, with 15 digits: converting seconds to
// microseconds makes the last ones inexact.
func format(v float64) string { return strconv.FormatFloat(v, 'g', 15, 64) }
