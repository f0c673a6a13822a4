package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// nameCommType is the kind of a node's medium, as changes name it:
// NODE.CommType.
const nameCommType = "CommType"

// withKind returns the medium with the kind that text states, as "ethernet" or
// "myrinet(4)", and with the same times. A kind that may have several channels
// keeps those of md when text states none.
func (md Medium) withKind(text string) (Medium, error) {
	word, channels, stated := strings.Cut(text, "(")
	kind, ok := KindOf(strings.TrimSpace(word))
	if !ok {
		return md, fmt.Errorf("found medium %q, expected one of %v", strings.TrimSpace(word), Kinds())
	}
	least, most := kind.Channels()
	if stated {
		inner, closed := strings.CutSuffix(strings.TrimSpace(channels), ")")
		n, err := strconv.Atoi(strings.TrimSpace(inner))
		if err != nil || !closed || n < least || n > most || least == most {
			if least == most {
				return md, fmt.Errorf("found %q, expected %q: it has no channels to choose", text, kind)
			}
			return md, fmt.Errorf("found %q, expected \"%s(N)\" with N from %d to %d", text, kind, least, most)
		}
		md.Kind, md.Channels = kind, n
		return md, nil
	}
	switch {
	case least == most:
		md.Channels = least
	case md.Kind != kind:
		return md, fmt.Errorf("found %q, expected its number of channels too: \"%s(N)\"", text, kind)
	}
	md.Kind = kind
	return md, nil
}

// applyKind is [Machine.Apply] for NODE.CommType and for CommType, which stands
// for the media of all nodes; mine is false when c names no medium's kind.
func (m *Machine) applyKind(c Change) (moved []Changed, mine bool, err error) {
	var chosen []*Node
	for _, n := range m.Nodes() {
		if n.Medium.Kind != NoMedium && (c.What == nameCommType || c.What == n.Name+"."+nameCommType) {
			chosen = append(chosen, n)
		}
	}
	if len(chosen) == 0 {
		return nil, false, nil
	}
	if c.Scale {
		return nil, true, fmt.Errorf("found %q, expected a kind of medium to be set: it is no number", c)
	}
	media := make([]Medium, len(chosen))
	for i, n := range chosen {
		if media[i], err = n.Medium.withKind(c.Value); err != nil {
			return nil, true, fmt.Errorf("%w (node %q)", err, n.Name)
		}
	}
	for i, n := range chosen {
		moved = append(moved, Changed{n.Name + "." + nameCommType, n.Medium.String(), media[i].String()})
		n.Medium = media[i]
	}
	return moved, true, nil
}
