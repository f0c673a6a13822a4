package whatif

import (
	"slices"
	"strconv"
	"strings"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/parasol"
)

// A Control is a number of the machine that can be changed.
type Control struct {
	// Scale says that the number is a factor of What; otherwise it is the value
	// of the parameter What.
	Scale bool   `json:"scale,omitempty"`
	What  string `json:"what"`
	// Words say what it is, Unit is that of the value, "" for a plain number.
	Words string `json:"words,omitempty"`
	Unit  string `json:"unit,omitempty"`
	// Value is the value before any change, 1 for a factor.
	Value float64 `json:"value"`
	// Whole says that only whole numbers are values.
	Whole bool `json:"whole,omitempty"`
}

// maxControls is how many parameters of a machine are listed; machines of
// Parasol I may have hundreds of thousands of links.
const maxControls = 2000

// unitMicro is the unit of times in Predictor.par.
const unitMicro = "us"

// mediaWords says what the parameters of a machine of media are.
var mediaWords = map[string]Control{
	"TStart":   {Words: "time for each message", Unit: unitMicro},
	"TByte":    {Words: "time for each byte", Unit: unitMicro + " a byte"},
	"power":    {Words: "speed relative to the processor that was traced"},
	"Channels": {Words: "messages at a time", Whole: true},
}

// Controls lists what can be changed of the machine, groups first, and whether
// all of it is listed.
func (e *Engine) Controls() (list []Control, all bool, err error) {
	if e.base.Machine.parasol() {
		list, err = e.base.Machine.linkControls()
	} else {
		list, err = e.base.Machine.mediaControls()
	}
	if len(list) > maxControls {
		return list[:maxControls], false, err
	}
	return list, true, err
}

// mediaControls are the controls of a machine of media.
func (m *Machine) mediaControls() ([]Control, error) {
	t, err := m.tree()
	if err != nil {
		return nil, err
	}
	var groups, single []Control
	for _, p := range t.Parameters() {
		dot := strings.LastIndexByte(p.Name, '.')
		c := mediaWords[p.Name[dot+1:]]
		c.What, c.Value = p.Name, p.Value
		single = append(single, c)
	}
	for _, name := range []string{"TStart", "TByte", "power"} {
		if slices.ContainsFunc(single, func(c Control) bool { return strings.HasSuffix(c.What, "."+name) }) {
			groups = append(groups, Control{Scale: true, What: name, Words: mediaWords[name].Words + ", of all nodes", Value: 1})
		}
	}
	return append(groups, single...), nil
}

// linkControls are the controls of a machine of Parasol I: the groups of section
// 3.2 that hold anything, and the fields that are numbers.
func (m *Machine) linkControls() ([]Control, error) {
	f, err := m.Files[0].parasol()
	if err != nil {
		return nil, err
	}
	groups := parasol.Groups()
	names := slices.Concat([]string{"links.latency", "links.speed"}, f.Machine().ModelSections())
	for _, x := range f.Machine().Fields() {
		if prefix, function, ok := strings.Cut(x.Name, "."); ok && !x.Settable {
			for _, model := range f.Machine().ModelSections() {
				if strings.HasPrefix(model, prefix) {
					names = append(names, model+"."+function)
				}
			}
		}
	}
	// The groups of single functions come last.
	for _, single := range []bool{false, true} {
		for _, g := range groups {
			if strings.HasPrefix(g, "fn.") == single {
				names = append(names, g)
			}
		}
	}
	types := f.Machine().Types
	var list []Control
	try := func(what, words string) {
		// A factor of 1 shows whether there is something to change.
		c, err := machine.ParseScale(what + "=1")
		if err == nil {
			_, err = f.Apply(c)
		}
		if err == nil {
			list = append(list, Control{Scale: true, What: what, Words: words, Value: 1})
		}
	}
	for _, name := range names {
		isTimings := slices.Contains(groups, name)
		words := "software overheads of " + name
		switch {
		case isTimings:
			words = "timings of the group " + name
		case name == "links.latency":
			words = "time for each message, of all links"
		case name == "links.speed":
			words = "time for each byte, of all links"
		case strings.Contains(name, "."):
			words = "software overhead of a function of " + name[:strings.IndexByte(name, '.')]
		}
		try(name, words)
		if isTimings && len(types) > 1 {
			for _, t := range types {
				try(name+"[proc="+strconv.FormatInt(t.ID, 10)+"]", words+", of processor type "+strconv.FormatInt(t.ID, 10))
			}
		}
	}
	about := map[string]string{}
	for _, p := range parasol.Parameters() {
		about[p.Name] = p.Words()
	}
	for _, x := range f.Machine().Fields() {
		if !x.Settable {
			continue
		}
		c := Control{What: x.Name, Value: x.Value.Float(), Unit: "s"}
		dot := strings.LastIndexByte(x.Name, '.')
		switch last := x.Name[dot+1:]; {
		case strings.HasPrefix(x.Name, "pt("):
			c.Words = about[last]
		case last == "smallloopspeedup":
			c.Words, c.Unit = "how many times as fast small loops are", ""
		case strings.HasPrefix(x.Name, "tl(") && last == "latency":
			c.Words = "time for each message"
		case strings.HasPrefix(x.Name, "tl(") && last == "speed":
			c.Words, c.Unit = "time for each byte", "s a byte"
		case strings.HasPrefix(x.Name, "pc(") && last == "speed":
			c.Words, c.Unit = "time for each word from the cache", "s a word"
		case last == "creation":
			c.Words = "time to set the topology up"
		default:
			c.Words = "a number of the machine file"
		}
		list = append(list, c)
	}
	return list, nil
}
