package object

import (
	"encoding/binary"

	"dvmtools/pkg/layout"
)

// AppendKey appends to dst a key for what depends on the edges and on where
// their arrays lie, such as the messages of an exchange: groups with equal keys
// exchange the same. It reports false when an array's place has no number
// ([layout.Mapping].ID), so that there is no key.
func (g *ShadowGroup) AppendKey(dst []byte) ([]byte, bool) {
	dst = binary.AppendUvarint(dst, uint64(len(g.Edges)))
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Array.Map == nil || e.Array.Map.ID == 0 {
			return dst, false
		}
		dst = e.appendKey(dst)
	}
	return dst, true
}

func (e *Edge) appendKey(dst []byte) []byte {
	dst = binary.AppendVarint(dst, int64(e.Array.Map.ID))
	dst = binary.AppendVarint(dst, int64(e.Array.System.ID))
	dst = binary.AppendVarint(dst, e.Array.ElemSize)
	dst = layout.AppendIntsKey(dst, e.Lo)
	dst = layout.AppendIntsKey(dst, e.Hi)
	dst = layout.AppendMarksKey(dst, e.Outside)
	return binary.AppendVarint(dst, int64(e.Corners))
}
