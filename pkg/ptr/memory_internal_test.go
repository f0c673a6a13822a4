package ptr

import (
	"fmt"
	"testing"
)

// Three blocks whose hashes tell the same slot: the first two are remembered, as
// neighbours, also when there are more slots; the third takes the place of one that
// came less often.
func TestBlocksOfOneSlot(t *testing.T) {
	fn := &function{name: "f", id: 1}
	m := &memory{slots: make([]slot, firstSlots), most: rememberText}
	var texts [][]byte
	for i := 0; len(texts) < 3; i++ {
		text := fmt.Appendf(nil, "a=%d;\n", i)
		if hashOf(text, fn.id<<2|uint64(callEvent))%maxSlots == 6 {
			texts = append(texts, text)
		}
	}
	// comes reports whether a block is known when it comes.
	comes := func(text []byte) bool {
		r, place := m.find(fn, callEvent, text)
		if r == nil && place != nil {
			m.keep(place, &remembered{fn: fn, half: callEvent, text: text, block: &block{}})
		}
		return r != nil
	}
	for range 2 {
		comes(texts[0])
		comes(texts[1])
	}
	for _, when := range []string{"among few slots", "among many"} {
		if !comes(texts[0]) || !comes(texts[1]) {
			t.Errorf("%s two blocks of one slot do not stay", when)
		}
		m.grow()
	}
	for range 2 * mostUses {
		comes(texts[0])
		comes(texts[2])
	}
	if !comes(texts[0]) || !comes(texts[2]) || comes(texts[1]) {
		t.Error("a block that comes often takes no place of one that does not come")
	}
}
