package traffic

import "dvmtools/pkg/comm"

// merge returns the traffic of several sets of messages that are exchanged
// together: messages with the same sender and receiver become one.
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
	var c comm.SizeCounts
	each(func(m comm.Message) bool { c.Add(m.Bytes, 1); return true })
	return c.Sizes()
}

// measured returns the distances of the messages that each enumerates.
func (r *Root) measured(each func(func(comm.Message) bool)) []comm.Distance {
	var f comm.LongestAt
	each(func(m comm.Message) bool { f.Add(comm.Hops(r.grid, m.From, m.To), m.Bytes); return true })
	return f.Distances()
}
