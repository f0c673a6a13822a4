package interval

import (
	"fmt"

	"dvmtools/pkg/ndjson"
	"dvmtools/pkg/units"
)

// Exchange is what all exchanges of a kind that a function starts at a line
// cost, wherever they are waited for (docs/model.md#what-exchanges-cost).
type Exchange struct {
	Kind Kind `json:"kind"`
	// Func is the function that starts them, File and Line are where it is
	// called.
	Func string `json:"func"`
	File string `json:"file"`
	Line int    `json:"line"`
	// Seq is the number of the call that started the one that took longest.
	Seq int64 `json:"seq"`
	// Count is how many there were, Messages how many messages they sent, and
	// Bytes how much these carried.
	Count    int64       `json:"count"`
	Messages int64       `json:"messages"`
	Bytes    units.Bytes `json:"size_b"`
	// KindTimes holds sums over all processors.
	KindTimes
}

// ParseKind returns the kind of that name in records.
func ParseKind(name string) (Kind, bool) {
	for k := range NumKinds {
		if k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// MarshalJSON returns the fields of the record without its type.
func (x Exchange) MarshalJSON() ([]byte, error) { return exchangeRecord.Append(nil, &x) }

var exchangeRecord = ndjson.NewRecord("what exchanges cost", append([]ndjson.Field[Exchange]{
	ndjson.Custom("kind", func(dst []byte, x *Exchange) ([]byte, error) {
		return ndjson.AppendString(dst, x.Kind.String()), nil
	}, func(s *ndjson.Scanner, x *Exchange) bool {
		b, ok := s.Bytes()
		if !ok {
			return false
		}
		if x.Kind, ok = ParseKind(string(b)); !ok {
			return s.Fail("interval/kind", "found the kind of operation %q, expected io, reduction, shadow, remote or redistribution", b)
		}
		return true
	}),
	ndjson.String("func", func(x *Exchange) *string { return &x.Func }),
	ndjson.String("file", func(x *Exchange) *string { return &x.File }),
	ndjson.Int("line", func(x *Exchange) *int { return &x.Line }),
	ndjson.Int("seq", func(x *Exchange) *int64 { return &x.Seq }),
	ndjson.Int("count", func(x *Exchange) *int64 { return &x.Count }),
	ndjson.Int("messages", func(x *Exchange) *int64 { return &x.Messages }),
	ndjson.Int("size_b", func(x *Exchange) *units.Bytes { return &x.Bytes }),
}, ndjson.Embed(kindRecord, func(x *Exchange) *KindTimes { return &x.KindTimes })...)...)

// checkExchange returns what is wrong with a record of exchanges.
func checkExchange(x *Exchange) error {
	if x.Line < 0 || x.Seq < 1 || x.Count < 1 || x.Messages < 0 || x.Bytes < 0 {
		return fmt.Errorf("found line %d, seq %d, count %d, messages %d, size_b %d, expected seq and count from 1, the others from 0", x.Line, x.Seq, x.Count, x.Messages, x.Bytes)
	}
	return nil
}
