package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// The run whose traces are made longer, and the call that its time loop begins
// with. Every round of the loop makes the same calls with the same addresses.
const (
	longRun   = "testdata/traces/parallel/f02_heat3d_p2x2x1"
	loopCall  = "call_bploop_"
	loopLine  = "LINE=20 "
	processes = 4
)

// A program is the trace of one process of a run, cut so that its time loop
// can be repeated.
type program struct {
	head, body, tail []byte
}

// programs returns the traces of all processes of the run.
func programs() ([]program, error) {
	all := make([]program, processes)
	for i := range all {
		name := filepath.Join(longRun, fmt.Sprintf("f02_heat3d%d_%d.ptr.zst", i, i))
		text, err := plain(name)
		if err != nil {
			return nil, err
		}
		if all[i], err = cutLoop(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

func plain(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(data, nil)
}

// cutLoop makes the second round of the time loop the body.
func cutLoop(text []byte) (program, error) {
	var begins []int
	at := 0
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(loopCall)) && bytes.Contains(line, []byte(loopLine)) {
			begins = append(begins, at)
		}
		at += len(line)
	}
	if len(begins) < 3 {
		return program{}, fmt.Errorf("found %d lines %s with %s, expected 3 or more", len(begins), loopCall, loopLine)
	}
	return program{text[:begins[1]], text[begins[1]:begins[2]], text[begins[2]:]}, nil
}

// rounds returns how often the body must be repeated for a trace of about
// size bytes.
func (p program) rounds(size int64) int64 {
	return max(1, (size-int64(len(p.head)+len(p.tail)))/int64(len(p.body)))
}

// write writes the trace with n rounds of the loop.
func (p program) write(w io.Writer, n int64) error {
	// Many rounds in one write, so that writing is not what is measured.
	const together = 16
	several := bytes.Repeat(p.body, together)
	if _, err := w.Write(p.head); err != nil {
		return err
	}
	for n > 0 {
		k := min(n, together)
		if _, err := w.Write(several[:int(k)*len(p.body)]); err != nil {
			return err
		}
		n -= k
	}
	_, err := w.Write(p.tail)
	return err
}

// manyTraces writes the traces of a run of n processes to dir, of about size
// bytes each, and returns the size of all.
func manyTraces(p program, dir string, n int, size int64) (int64, error) {
	was := fmt.Sprintf("ProcCount=%d", processes)
	p.head = bytes.ReplaceAll(p.head, []byte(was), fmt.Appendf(nil, "ProcCount=%d", n))
	p.head = bytes.Replace(p.head, []byte("PSSize= 2 2 1;"), fmt.Appendf(nil, "PSSize= %d 1 1;", n), 1)
	const itself = "ProcCount=1  HasCurrent=1  CentralProc=%d"
	total := int64(0)
	for i := range n {
		own := p
		own.head = bytes.Replace(p.head, fmt.Appendf(nil, itself, 0), fmt.Appendf(nil, itself, i), 1)
		own.body = otherTimes(p.body, i)
		var text bytes.Buffer
		if err := own.write(&text, p.rounds(size)); err != nil {
			return 0, err
		}
		name := filepath.Join(dir, fmt.Sprintf("heat%d_%d.ptr", i, i))
		if err := os.WriteFile(name, text.Bytes(), 0o666); err != nil {
			return 0, err
		}
		total += int64(text.Len())
	}
	return total, nil
}

// otherTimes gives process i other times than any other one: the last four digits
// of most of them.
func otherTimes(text []byte, i int) []byte {
	n := 7919 * i
	return shortTime.ReplaceAllFunc(text, func([]byte) []byte {
		n += 3571
		return fmt.Appendf(nil, "TIME=0.0000%04d", n%10000)
	})
}

var shortTime = regexp.MustCompile(`TIME=0\.0000\d{4}`)

// A used row is the memory and time of a process of a pipeline.
type used struct {
	what    string
	text    int64 // bytes of trace that the run began with
	seconds float64
	memory  float64 // MB
	limit   float64 // MB
}

// memoryTable returns rows as Markdown, and whether all stay below their limits.
func memoryTable(rows []used) ([]byte, bool) {
	var b bytes.Buffer
	ok := true
	fmt.Fprint(&b, "| process | traces | for | most memory | limit | kept |\n| --- | ---: | ---: | ---: | ---: | --- |\n")
	for _, r := range rows {
		result := "yes"
		if r.memory >= r.limit {
			ok, result = false, "NO"
		}
		fmt.Fprintf(&b, "| %s | %s | %.0fs | %.0f MB | %.0f MB | %s |\n", r.what, bytesText(r.text), r.seconds, r.memory, r.limit, result)
	}
	return b.Bytes(), ok
}

func bytesText(n int64) string {
	switch {
	case n >= 1e9:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1e9), ".0") + " GB"
	default:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
}
