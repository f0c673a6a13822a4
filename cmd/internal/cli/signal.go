package cli

import (
	"os"
	"os/signal"
	"sync"

	"dvmtools/pkg/stream"
)

// A signalGuard removes temporary files when a signal is about to end the
// process, and then lets it end the process. It exists only while such files
// do: a filter that catches signals would survive Ctrl-C while it waits for
// its input.
type signalGuard struct {
	caught chan os.Signal
	quit   chan struct{}
	ended  sync.WaitGroup

	mu    sync.Mutex
	files []*stream.AtomicFile
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
	g.ended.Go(func() {
		select {
		case s := <-g.caught:
			g.die(s)
		case <-g.quit:
			select {
			case s := <-g.caught: // it came while the work ended
				g.die(s)
			default:
			}
		}
	})
	return g
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
