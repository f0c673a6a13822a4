package measure_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dvmtools/pkg/machine/measure"
)

// samples reads the output of a run on two hosts with two processes each, three
// rounds.
func samples(t *testing.T) (*measure.Samples, string) {
	t.Helper()
	text, err := os.ReadFile("testdata/network.txt")
	if err != nil {
		t.Fatal(err)
	}
	s, err := measure.ReadSamples(strings.NewReader(string(text)), 3)
	if err != nil {
		t.Fatal(err)
	}
	return s, string(text)
}

// TestReadSamples: output that lacks a line is refused.
func TestReadSamples(t *testing.T) {
	_, text := samples(t)
	lines := strings.SplitAfter(text, "\n")
	for n := range len(lines) - 1 {
		if _, err := measure.ReadSamples(strings.NewReader(strings.Join(lines[:n], "")), 3); err == nil {
			t.Errorf("the first %d lines are taken as whole", n)
		}
		if strings.HasPrefix(lines[n], "library") || strings.HasPrefix(lines[n], "clock") {
			continue // without them only comments are less exact
		}
		less := strings.Join(lines[:n], "") + strings.Join(lines[n+1:], "")
		if _, err := measure.ReadSamples(strings.NewReader(less), 3); err == nil {
			t.Errorf("without line %d, %q, the output is taken as whole", n+1, lines[n])
		}
	}
	for _, bad := range []string{
		"nonsense\n", "message 0 0 9 1 1e-6\n", "message 0 0 1 0 1e-6\n", "message 0 0 1 1 0\n", "message 0 0 1 1 NaN\n",
		"send 0 0 1 8 -1\n", "send 0 0 1\n", "process 2 b\n", "process 4 \n", "clock x\n", "end\n",
	} {
		if _, err := measure.ReadSamples(strings.NewReader(lines[0]+lines[1]+lines[2]+lines[3]+lines[4]+lines[5]+bad), 3); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestFollow: the head, the steps of progress and the rounds of an output, which
// together are the whole; and that output which is cut at any line has no end, and
// only whole rounds.
func TestFollow(t *testing.T) {
	all, text := samples(t)
	lines := strings.SplitAfter(text, "\n")
	for n := range lines {
		var o measure.Output
		last := 0
		err := measure.Follow(strings.NewReader(strings.Join(lines[:n+1], "")), func(head []string) error {
			o.Head = head
			return nil
		}, func(done, pairs int) {
			if done != last+1 || pairs != 3 {
				t.Errorf("%d behind %d, %d pairs, want 3", done, last, pairs)
			}
			last = done
		}, func(round []string) error {
			o.Rounds = append(o.Rounds, round)
			return nil
		})
		if len(o.Rounds) != last/3 {
			t.Errorf("the first %d lines: %d rounds of %d pairs", n+1, len(o.Rounds), last)
		}
		if strings.HasPrefix(strings.Join(lines[n:], ""), "end\n") || lines[n] == "" {
			if err != nil || len(o.Rounds) != 3 {
				t.Errorf("%d rounds, %v", len(o.Rounds), err)
			}
			if got, err := o.Samples(); err != nil || cmp.Diff(all, got) != "" {
				t.Errorf("%v: the rounds are not the output", err)
			}
		} else if !errors.Is(err, measure.ErrEnded) {
			t.Errorf("the first %d lines: %v", n+1, err)
		}
		if n > 0 && o.Head != nil && (!o.SameProcesses(append([]string{"clock 1 1"}, o.Head...)) || o.SameProcesses(o.Head[1:])) {
			t.Error("the processes are the same with another clock, not with another library")
		}
	}
	// What is no result, and what the reader does not take, ends it at once.
	failed := errors.New("failed")
	pass := func([]string) error { return nil }
	fail := func([]string) error { return failed }
	if err := measure.Follow(strings.NewReader("oh\n"), pass, nil, pass); err == nil || errors.Is(err, measure.ErrEnded) {
		t.Errorf("%v for a line that is no result", err)
	}
	damaged := strings.Replace(text, "message 0 0 1 1 ", "message 0 0 9 1 ", 1)
	for _, err := range []error{
		measure.Follow(strings.NewReader(text), fail, func(int, int) {}, pass),
		measure.Follow(strings.NewReader(text), pass, func(int, int) {}, fail),
	} {
		if !errors.Is(err, failed) {
			t.Errorf("%v, want what the reader says", err)
		}
	}
	if err := measure.Follow(strings.NewReader(damaged), pass, func(int, int) {}, pass); err == nil || errors.Is(err, measure.ErrEnded) || damaged == text {
		t.Errorf("%v for a damaged result", err)
	}
}

// TestLink: three rounds whose messages take 9, 10 and 11 us and 2 ns a byte: the
// median is 10 us, the standard deviation 1 us for the latency and 0 for a byte.
// Calls take 0.5 us, 0.6 us and 0.7 us: a deviation of 0.1 us.
func TestLink(t *testing.T) {
	p := measure.Pair{Second: 1, Sizes: []int64{1000, 2000, 4000},
		Times: [][]float64{{11e-6, 12e-6, 13e-6}, {13e-6, 14e-6, 15e-6}, {17e-6, 18e-6, 19e-6}},
		Send:  []float64{0.5e-6, 0.7e-6, 0.6e-6}, Receive: []float64{2e-6, 2e-6, 2e-6}}
	k := p.Link()
	for what, got := range map[string][2]float64{
		"latency": {k.Latency.Mean, 10e-6}, "its deviation": {k.Latency.Deviation, 1e-6},
		"a byte": {k.PerByte.Mean, 2e-9}, "send": {k.Send.Mean, 0.6e-6}, "its deviation ": {k.Send.Deviation, 0.1e-6},
		"receive": {k.Receive.Mean, 2e-6},
	} {
		if !near(got[0], got[1]) {
			t.Errorf("%s: %v, want %v", what, got[0], got[1])
		}
	}
	if k.PerByte.Deviation > 1e-18 || k.Receive.Deviation != 0 || len(k.Pieces) != 1 {
		t.Errorf("%+v", k)
	}
}

// TestNetworkFiles: both languages, for two hosts. Within a host messages take
// 1 us and 0.1 ns a byte up to 4096 bytes, from 8192 bytes on 6 us and 0.2 ns a
// byte; between the hosts 20 us and 8 ns a byte. Calls take 0.2 us and 0.3 us, so
// that the links of the Parasol file have 0.5 us less than the lines.
func TestNetworkFiles(t *testing.T) {
	s, _ := samples(t)
	n := &measure.Network{Name: "a \"fast\"\none", ID: 7, Conditions: []string{"load: none,\n as it is"}, Samples: s}
	file, err := n.File()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"network.mach": file, "network.par": n.Par()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), text); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
