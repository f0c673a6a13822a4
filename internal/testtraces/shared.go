package testtraces

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// Shared returns a source of a recording whose calls share the memory of equal
// parameters, as those of a long trace do ([call.Params.Fix]).
func Shared(rec *call.Recording) call.Source {
	return &shared{Source: rec.Source(), rec: rec, known: map[int]*half{}}
}

type shared struct {
	call.Source
	rec   *call.Recording
	at    int
	known map[int]*half
}

// half is one half of a call, without its times.
type half struct {
	params call.Params
	text   [][]byte
}

func (s *shared) Next() (*call.Call, error) {
	c, err := s.Source.Next()
	if err != nil {
		return nil, err
	}
	own := *c
	args, ret := s.rec.Blocks(s.at)
	s.at++
	var row libdvm.Func
	if c.Row != nil {
		row = *c.Row
	}
	a, r := s.half(2*args, &c.Args, c.Text, row.Args), s.half(2*ret+1, &c.Ret, c.RetText, row.Ret)
	own.Args, own.Text, own.Ret, own.RetText = a.params, a.text, r.params, r.text
	return &own, nil
}

func (s *shared) half(number int, p *call.Params, text [][]byte, row []libdvm.Param) *half {
	h := s.known[number]
	if h == nil {
		h = &half{*p.Clone(), text}
		if p.Len() > 0 || len(text) > 0 {
			h.params.Fix(row, text)
		}
		s.known[number] = h
	}
	return h
}
