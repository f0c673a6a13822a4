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
	// last are called before a signal ends the process.
	last map[*func()]bool
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
	for f := range g.last {
		(*f)()
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

// AtSignal has f called when a signal is about to end the process, for what would
// outlive it: temporary directories and the processes of other programs. When
// several are, their order is not defined. forget undoes it.
func (e *Env) AtSignal(f func()) (forget func()) {
	g := e.outs.watched()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil {
		g.last = map[*func()]bool{}
	}
	g.last[&f] = true
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.last, &f)
	}
}

// Scratch makes a temporary directory in parent, or where the system has them, which
// remove removes with all that is in it, and so does a signal that ends the process.
func (e *Env) Scratch(parent string) (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp(parent, "dvm"); err != nil {
		return "", nil, err
	}
	clear := func() { os.RemoveAll(dir) } // nothing in it is missed
	forget := e.AtSignal(clear)
	return dir, func() {
		forget()
		clear()
	}, nil
}

// Interruptible returns a context that ends at the first SIGINT, for work that
// then stops with what it has; a second one ends the process, as one before and
// after the work does. done must be called when the work is finished; it reports
// whether the work was interrupted.
func (e *Env) Interruptible() (ctx context.Context, done func() bool) {
	g := e.outs.watched()
	ctx, cancel := context.WithCancel(e.Ctx)
	g.interruptible(cancel)
	return ctx, func() bool {
		g.interruptible(nil)
		ended := ctx.Err() != nil && e.Ctx.Err() == nil
		cancel()
		return ended
	}
}
