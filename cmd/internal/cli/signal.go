package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"

	"dvmtools/pkg/stream"
)

// A signalGuard removes temporary files when a signal is about to end the
// process, and then lets it end the process. It exists only while such files
// do, or while work that can be interrupted is done: a filter that catches
// signals would survive Ctrl-C while it waits for its input.
type signalGuard struct {
	caught chan os.Signal
	quit   chan struct{}
	ended  sync.WaitGroup

	mu    sync.Mutex
	files []*stream.AtomicFile
	// interrupt, when set, is called for the first SIGINT, which then does not
	// end the process.
	interrupt func()
}

// newSignalGuard starts to watch for signals. Signals that the process was
// started to ignore (nohup) stay ignored.
func newSignalGuard() *signalGuard {
	g := &signalGuard{caught: make(chan os.Signal, 1), quit: make(chan struct{})}
	var want []os.Signal
	for _, s := range deadly() {
		if !signal.Ignored(s) {
			want = append(want, s)
		}
	}
	if len(want) > 0 { // without a list Notify means all signals
		signal.Notify(g.caught, want...)
	}
	g.ended.Go(g.watch)
	return g
}

// watch waits for signals until the work ends.
func (g *signalGuard) watch() {
	for {
		select {
		case s := <-g.caught:
			if !g.heed(s) {
				g.die(s)
			}
		case <-g.quit:
			select {
			case s := <-g.caught: // it came while the work ended
				g.die(s)
			default:
			}
			return
		}
	}
}

// heed interrupts the work that can be, once, and reports whether it did.
func (g *signalGuard) heed(s os.Signal) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.interrupt == nil || s != os.Interrupt {
		return false
	}
	g.interrupt()
	g.interrupt = nil
	return true
}

// interruptible sets what the first SIGINT does from now on, nil for ending the
// process.
func (g *signalGuard) interruptible(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.interrupt = f
}

// create creates a file; a signal that arrives meanwhile is handled afterwards.
func (g *signalGuard) create(path string) (*stream.AtomicFile, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f, err := stream.Create(path)
	if err == nil {
		g.files = append(g.files, f)
	}
	return f, err
}

func (g *signalGuard) die(s os.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.files {
		f.Abort()
	}
	dieBy(s)
}

// stop stops watching for signals. It does nothing for a nil guard.
func (g *signalGuard) stop() {
	if g == nil {
		return
	}
	signal.Stop(g.caught)
	close(g.quit)
	g.ended.Wait()
}

// Interruptible returns a context that ends at the first SIGINT, for work that
// then stops with what it has; a second one ends the process, as one before and
// after the work does. done must be called when the work is finished; it reports
// whether the work was interrupted.
func (e *Env) Interruptible() (ctx context.Context, done func() bool) {
	o := &e.outs
	if o.guard == nil {
		o.guard = newSignalGuard()
	}
	ctx, cancel := context.WithCancel(e.Ctx)
	o.guard.interruptible(cancel)
	return ctx, func() bool {
		o.guard.interruptible(nil)
		ended := ctx.Err() != nil && e.Ctx.Err() == nil
		cancel()
		return ended
	}
}
