package schedule

import (
	"sync"

	"dvmtools/pkg/comm"
)

// remembered is a traffic that works out its sizes and distances once, however
// many replays ask for them, also at once: they do not depend on the machine.
type remembered struct {
	comm.Traffic
	sizes     func() []comm.Size
	distances func() []comm.Distance
}

// rememberedKeyed is remembered for a traffic that has a key.
type rememberedKeyed struct {
	remembered
	key func(dst []byte) ([]byte, bool)
}

// remember returns a traffic with the messages of t.
func remember(t comm.Traffic) comm.Traffic {
	r := remembered{t, sync.OnceValue(t.Sizes), sync.OnceValue(t.Distances)}
	if k, ok := t.(comm.Keyed); ok {
		return &rememberedKeyed{r, k.AppendKey}
	}
	return &r
}

func (r *remembered) Sizes() []comm.Size         { return r.sizes() }
func (r *remembered) Distances() []comm.Distance { return r.distances() }

func (r *rememberedKeyed) AppendKey(dst []byte) ([]byte, bool) { return r.key(dst) }
