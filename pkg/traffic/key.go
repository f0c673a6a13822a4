package traffic

import (
	"encoding/binary"

	"dvmtools/pkg/comm"
	"dvmtools/pkg/layout"
)

// AppendKey implements [comm.Keyed]: all messages follow from the systems, the
// mappings and the sizes of elements.
func (x *exchange) AppendKey(dst []byte) ([]byte, bool) {
	dst = x.from.appendKey(dst)
	dst = x.to.appendKey(dst)
	dst = binary.AppendUvarint(dst, uint64(len(x.terms)))
	for i := range x.terms {
		dst = x.terms[i].appendKey(dst)
	}
	return dst, true
}

func (t *term) appendKey(dst []byte) []byte {
	dst = t.from.AppendKey(dst)
	dst = t.to.AppendKey(dst)
	dst = binary.AppendVarint(dst, t.elem)
	return layout.AppendMarksKey(dst, t.witness)
}

// appendKey appends the key of the system: where it begins when it is a section of
// the root, else its processors.
func (f *frame) appendKey(dst []byte) []byte {
	dst = layout.AppendIntsKey(dst, f.sys.Grid)
	if f.section() {
		return layout.AppendIntsKey(append(dst, 1), f.sys.Lower)
	}
	return layout.AppendIntsKey(append(dst, 0), f.sys.Ranks)
}

// joint is the messages of several exchanges at once.
type joint struct {
	comm.Traffic
	parts []*exchange
}

// AppendKey implements [comm.Keyed].
func (j joint) AppendKey(dst []byte) ([]byte, bool) {
	dst = binary.AppendUvarint(dst, uint64(len(j.parts)))
	for _, x := range j.parts {
		dst, _ = x.AppendKey(dst)
	}
	return dst, true
}
