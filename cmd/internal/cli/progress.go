package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	progressEvery = 200 * time.Millisecond // five times a second
	progressAfter = 500 * time.Millisecond // quick work shows nothing unasked
)

// A progress shows how much of the input was read, at which rate, and how
// long the rest will take where the size is known.
type progress struct {
	talk  *talker
	show  bool
	asked bool // by --progress=on: at least one line is shown
	read  atomic.Int64

	mu      sync.Mutex
	total   int64 // -1 when not known
	counted map[string]bool
	begun   time.Time
	last    time.Time
	quit    chan struct{}
	ended   sync.WaitGroup
}

func newProgress(t *talker, show, asked bool) *progress {
	return &progress{talk: t, show: show, asked: asked}
}

// count returns a reader that counts what passes through src.
func (p *progress) count(src io.Reader) io.Reader {
	if !p.show {
		return src
	}
	return &countingReader{src, &p.read}
}

type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// add takes note of an input of size bytes, -1 when not known. Operands count
// from the beginning, also those that are opened later.
func (p *progress) add(name string, size int64, operands []string) {
	if !p.show {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counted == nil {
		p.counted = map[string]bool{}
		for _, o := range operands {
			if fi, err := os.Stat(o); err == nil && fi.Mode().IsRegular() && !p.counted[o] {
				p.counted[o] = true
				p.total += fi.Size()
			}
		}
		p.start(time.Now())
	}
	switch {
	case p.counted[name] && slices.Contains(operands, name):
	case size < 0:
		p.total = -1
	case p.total >= 0:
		p.total += size
	}
	p.counted[name] = true
}

// start begins to draw.
func (p *progress) start(now time.Time) {
	p.begun = now
	p.quit = make(chan struct{})
	p.ended.Go(func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				p.tick(now)
			case <-p.quit:
				return
			}
		}
	})
}

// tick draws unless it is too early.
func (p *progress) tick(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked && now.Sub(p.begun) < progressAfter || now.Sub(p.last) < progressEvery/2 {
		return
	}
	p.last = now
	p.talk.draw(progressLine(p.read.Load(), p.total, now.Sub(p.begun)))
}

// stop erases the line.
func (p *progress) stop() {
	if p.quit != nil {
		close(p.quit)
		p.ended.Wait()
		p.quit = nil
		if p.asked && p.last.IsZero() {
			p.tick(time.Now())
		}
	}
	p.talk.erase()
}

// progressLine formats what was read of total bytes (negative: not known)
// after a time.
func progressLine(read, total int64, after time.Duration) string {
	rate := float64(read) / max(after.Seconds(), 1e-9)
	if total <= 0 || read > total {
		return fmt.Sprintf("%s read, %s/s", size(float64(read)), size(rate))
	}
	left := "-:--"
	if rate > 0 {
		if s := float64(total-read) / rate; s < 100*3600 {
			left = clock(time.Duration(s * float64(time.Second)))
		}
	}
	return fmt.Sprintf("%s of %s (%d %%), %s/s, %s left", size(float64(read)), size(float64(total)),
		int(100*(float64(read)/float64(total))), size(rate), left)
}

// size formats bytes in powers of ten with three digits.
func size(b float64) string {
	if b < 1000 {
		return fmt.Sprintf("%.0f B", b)
	}
	for _, unit := range []string{"kB", "MB", "GB"} {
		if b /= 1000; b < 999.95 {
			return fmt.Sprintf("%.1f %s", b, unit)
		}
	}
	return fmt.Sprintf("%.1f TB", b/1000)
}

// clock formats a duration as h:mm:ss or m:ss.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
