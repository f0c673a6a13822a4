package traffic

import "dvmtools/pkg/comm"

// merge returns the traffic of several sets of messages that are exchanged
// together: what goes between the same two processors is one message.
func (r *Root) merge(parts []comm.Traffic) comm.Traffic {
	if len(parts) == 1 {
		return parts[0]
	}
	var ms []comm.Message
	for _, p := range parts {
		p.Each(func(m comm.Message) bool { ms = append(ms, m); return true })
	}
	return comm.Messages(r.grid, ms)
}

// nothing is an exchange without messages.
func (r *Root) nothing() comm.Traffic { return comm.Messages(r.grid, nil) }

// counted returns the sizes of the messages that each enumerates.
func counted(each func(func(comm.Message) bool)) []comm.Size {
	c := sizeCounts{}
	each(func(m comm.Message) bool { c[m.Bytes]++; return true })
	return c.sizes()
}

// measured returns the distances of the messages that each enumerates.
func (r *Root) measured(each func(func(comm.Message) bool)) []comm.Distance {
	f := farthest{}
	each(func(m comm.Message) bool { f.add(comm.Hops(r.grid, m.From, m.To), m.Bytes); return true })
	return f.distances()
}
