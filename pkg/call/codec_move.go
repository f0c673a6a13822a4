package call

// move moves the bytes that c refers to to the end of arena.
func (c *Call) move(arena []byte) []byte {
	arena = c.Args.move(arena)
	arena = c.Ret.move(arena)
	arena = moveAll(c.Text, arena)
	arena = moveAll(c.RetText, arena)
	for i := range c.Nested {
		arena = c.Nested[i].move(arena)
	}
	return arena
}

func (p *Params) move(arena []byte) []byte {
	for i := range p.list {
		q := &p.list[i]
		n := len(arena)
		arena = append(arena, q.Val...)
		q.Val = arena[n:len(arena):len(arena)]
	}
	return moveAll(p.elems, arena)
}

func moveAll(list [][]byte, arena []byte) []byte {
	for i, b := range list {
		n := len(arena)
		arena = append(arena, b...)
		list[i] = arena[n:len(arena):len(arena)]
	}
	return arena
}
