package ptr

import (
	"context"
	"io"

	"dvmtools/pkg/stream"
)

// feed yields the pieces of a trace, taken apart, in order.
type feed struct {
	name    string
	opts    Options
	in      *stream.Pieces
	scanner *scanner
	cur     *piece
	held    []*piece // earlier ones that a call may still refer to
	spare   []*piece

	// When goroutines read ahead, pieces come from them in ahead, in order, and
	// go back to them in free. A piece that is still being taken apart has a
	// done.
	ahead <-chan *piece
	free  chan *piece
}

// maxScanners is how many goroutines take pieces apart at most; putting them
// together is the work of one and takes about as long as taking them apart.
const maxScanners = 4

func newFeed(name string, r io.Reader, opts Options) *feed {
	in := stream.NewPieces(r, name, 2*maxPreamble, func(line []byte) bool {
		var ev event
		return mayBeEvent(line) && parseEvent(line, &ev) && ev.bad == ""
	})
	if opts.Buffer > 0 {
		in.Bound(opts.Buffer)
	}
	f := &feed{name: name, opts: opts, in: in}
	if opts.Like != nil {
		f.scanner = opts.Like.feed.scanner
	} else {
		f.scanner = newScanner(opts)
	}
	return f
}

// next returns the next piece. Earlier ones stay valid until release.
func (f *feed) next() *piece {
	if f.cur != nil {
		f.held = append(f.held, f.cur)
	}
	if f.ahead != nil {
		f.cur = f.receive()
		return f.cur
	}
	p := &piece{}
	if n := len(f.spare); n > 0 {
		p, f.spare = f.spare[n-1], f.spare[:n-1]
	}
	f.in.Next(&p.Piece)
	f.scanner.scan(f.name, p)
	f.cur = p
	return p
}

// release says that nothing refers to the pieces before the last one any more.
// Pieces go back several at once, since waking whoever waits for them takes
// time.
func (f *feed) release() {
	switch {
	case len(f.held) == 0:
		return
	case f.ahead == nil:
		f.spare = append(f.spare, f.held...)
	case len(f.held) < cap(f.free)/2:
		return
	default:
		for _, p := range f.held {
			select {
			case f.free <- p:
			default: // others took its place
			}
		}
	}
	clear(f.held)
	f.held = f.held[:0]
}

// start lets as many goroutines as scanners take pieces apart, ahead of what is
// asked for. There is one more that reads when there are several.
func (f *feed) start(ctx context.Context, scanners int) {
	n := 4 + 4*scanners
	ahead := make(chan *piece, n)
	f.ahead, f.free = ahead, make(chan *piece, n)
	for range n {
		f.free <- &piece{}
	}
	scan := func(p *piece) { f.scanner.scan(f.name, p) }
	stop := func() {}
	if scanners > 1 {
		work := make(chan *piece, n)
		for range scanners {
			go func() {
				s := newScanner(f.opts)
				for p := range work {
					s.scan(f.name, p)
					p.done <- struct{}{}
				}
			}()
		}
		scan = func(p *piece) {
			p.done = make(chan struct{}, 1)
			work <- p
		}
		stop = func() { close(work) }
	}
	go func() {
		defer close(ahead)
		defer stop()
		for {
			var p *piece
			select {
			case p = <-f.free:
			case <-ctx.Done():
				return
			}
			f.in.Next(&p.Piece)
			last := p.Err != nil
			scan(p)
			select {
			case ahead <- p:
			case <-ctx.Done():
				return
			}
			if last {
				return
			}
		}
	}()
}

// receive returns the next piece that was read ahead. Where a call refers to
// many pieces, others take the place of those that it keeps.
func (f *feed) receive() *piece {
	if len(f.held) > cap(f.free)/2 {
		select {
		case f.free <- &piece{}:
		default:
		}
	}
	p, ok := <-f.ahead
	if !ok {
		return &piece{Piece: stream.Piece{Err: context.Canceled}}
	}
	if p.done != nil {
		<-p.done
	}
	return p
}
