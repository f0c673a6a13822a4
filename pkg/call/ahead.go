package call

import (
	"context"

	"dvmtools/pkg/diag"
)

// into is a source that can read calls into memory of the caller's.
type into interface {
	NextInto(c *Call, arena []byte) ([]byte, error)
}

const (
	batchCalls = 512
	batches    = 4
)

// batch is some calls in a row, with what was known when the last of them was
// read.
type batch struct {
	calls    []Call
	n        int
	arena    []byte
	exitAt   int // the calls from here on are behind the program's end
	exit     Exit
	warnings []*diag.Error
	rest     Rest
	err      error // what comes behind the calls
}

// ahead reads another source in a goroutine of its own.
type ahead struct {
	header *Header
	full   <-chan *batch
	free   chan<- *batch
	cur    *batch
	at     int
	exit   Exit
	warned []*diag.Error
	err    error
}

// readAhead is a source that can read itself ahead.
type readAhead interface {
	ReadAhead(ctx context.Context, threads int)
}

// Ahead returns a source that yields what src yields and reads it ahead in
// goroutines of its own, until ctx ends, so that threads are busy, the caller's
// among them. A call stays valid until Next, as always. With one thread, sources are
// returned as they are, and those that cannot read ahead always.
func Ahead(ctx context.Context, src Source, threads int) Source {
	if s, ok := src.(readAhead); ok {
		s.ReadAhead(ctx, threads)
		return src
	}
	s, ok := src.(into)
	if !ok || threads < 2 {
		return src
	}
	full, free := make(chan *batch, batches), make(chan *batch, batches)
	for range batches {
		free <- &batch{calls: make([]Call, batchCalls)}
	}
	go func() {
		defer close(full)
		for {
			var b *batch
			select {
			case b = <-free:
			case <-ctx.Done():
				return
			}
			b.fill(src, s)
			select {
			case full <- b:
			case <-ctx.Done():
				return
			}
			if b.err != nil {
				return
			}
		}
	}()
	return &ahead{header: src.Header(), full: full, free: free, err: nil}
}

// fill reads calls until the batch is full or the source ends.
func (b *batch) fill(src Source, s into) {
	b.n, b.arena, b.exitAt = 0, b.arena[:0], -1
	for b.n < len(b.calls) && b.err == nil {
		if b.arena, b.err = s.NextInto(&b.calls[b.n], b.arena); src.Exit().Found && b.exitAt < 0 {
			b.exitAt, b.exit = b.n, *src.Exit()
		}
		if b.err == nil {
			b.n++
		}
	}
	b.warnings = src.Warnings()
	if b.err != nil {
		b.rest = RestOf(src)
	}
}

func (a *ahead) Header() *Header { return a.header }

func (a *ahead) Exit() *Exit { return &a.exit }

func (a *ahead) Warnings() []*diag.Error { return a.warned }

func (a *ahead) Rest() Rest { return a.cur.rest }

func (a *ahead) Next() (*Call, error) {
	if a.err != nil {
		return nil, a.err
	}
	if a.cur != nil && a.at == a.cur.n && a.cur.err == nil {
		a.free <- a.cur
		a.cur = nil
	}
	if a.cur == nil {
		b, ok := <-a.full
		if !ok {
			a.err = context.Canceled
			return nil, a.err
		}
		a.cur, a.at, a.warned = b, 0, b.warnings
	}
	if a.cur.exitAt == a.at {
		a.exit = a.cur.exit
	}
	if a.at == a.cur.n {
		if a.cur.err == nil {
			return a.Next()
		}
		a.err = a.cur.err
		return nil, a.err
	}
	a.at++
	return &a.cur.calls[a.at-1], nil
}
