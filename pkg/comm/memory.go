package comm

// loads are the loads that a network remembers, by the keys of their messages.
type loads struct {
	known map[string]*Load
	// bytes is about what they take in memory.
	bytes int
	key   []byte
}

// maxLoadBytes bounds the memory of loads that are remembered. When it is
// reached, all are forgotten: what a program repeats comes again soon.
const maxLoadBytes = 64 << 20

// of returns the load of t, which split makes when it is not known.
func (k *loads) of(t Keyed, split func() *Load) *Load {
	key, ok := t.AppendKey(k.key[:0])
	k.key = key
	if !ok {
		return split()
	}
	if l := k.known[string(key)]; l != nil {
		return l
	}
	l := split()
	size := len(key) + l.load.bytes()
	if size > maxLoadBytes {
		return l
	}
	if k.known == nil || k.bytes+size > maxLoadBytes {
		k.known, k.bytes = map[string]*Load{}, 0
	}
	k.known[string(key)] = l
	k.bytes += size
	return l
}

// bytes returns about how much memory the load takes.
func (l *load) bytes() int {
	const fixed = 256
	n := fixed
	for i := range l.instances {
		n += fixed
		if d, ok := l.instances[i].demand.(*travels); ok {
			n += d.bytes()
		}
	}
	return n
}
