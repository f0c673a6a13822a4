package machine

import (
	"fmt"
	"strings"
)

// Kind is the kind of a medium (R 2.4).
type Kind uint8

const (
	// NoMedium is the kind of a node that states no medium: a processor, or
	// a cluster with a single child.
	NoMedium Kind = iota
	// Ethernet is a bus: one channel, one message after another.
	Ethernet
	// Myrinet has k channels, each with one message at a time.
	Myrinet
	// Transputer is a grid of links; what a message costs depends on the
	// distance.
	Transputer
)

// kinds has for each kind its word in the 2010 form and the smallest and largest
// number of channels. What messages cost is in package comm.
var kinds = [...]struct {
	word        string
	least, most int
}{
	NoMedium:   {"none", 0, 0},
	Ethernet:   {"ethernet", 1, 1},
	Myrinet:    {"myrinet", 1, MaxChannels},
	Transputer: {"transputer", 0, 0},
}

// Kinds returns the kinds of media that a description can state.
func Kinds() []Kind {
	all := make([]Kind, 0, len(kinds)-1)
	for k := NoMedium + 1; int(k) < len(kinds); k++ {
		all = append(all, k)
	}
	return all
}

// KindOf returns the kind with the given word of the 2010 form, in any case,
// and whether there is one; "none" is none.
func KindOf(word string) (Kind, bool) {
	for _, k := range Kinds() {
		if strings.EqualFold(kinds[k].word, word) {
			return k, true
		}
	}
	return NoMedium, false
}

// Channels returns the least and the greatest number of channels of a medium of
// kind k. Where they are equal the description states none.
func (k Kind) Channels() (least, most int) {
	if int(k) >= len(kinds) {
		return 0, 0
	}
	return kinds[k].least, kinds[k].most
}

// String returns the word of the 2010 form for k, "none" for [NoMedium].
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].word
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// MarshalText returns the word of the 2010 form. A value that is none of the
// constants is an error.
func (k Kind) MarshalText() ([]byte, error) {
	if int(k) >= len(kinds) {
		return nil, fmt.Errorf("no medium has kind %d", uint8(k))
	}
	return []byte(kinds[k].word), nil
}

// UnmarshalText sets k from the word that MarshalText writes.
func (k *Kind) UnmarshalText(text []byte) error {
	words := make([]string, len(kinds))
	for i := range kinds {
		if words[i] = kinds[i].word; words[i] == string(text) {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("found medium %q, expected one of %q", text, words)
}
