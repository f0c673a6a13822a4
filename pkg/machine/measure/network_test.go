package measure_test

import (
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
	s, err := measure.ReadSamples(strings.NewReader(string(text)), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, string(text)
}

// TestReadSamples: the steps of progress, and that output which is cut at any
// line is refused.
func TestReadSamples(t *testing.T) {
	_, text := samples(t)
	last := 0
	if _, err := measure.ReadSamples(strings.NewReader(text), 3, func(done, total int) {
		if done != last+1 || total != 9 {
			t.Errorf("%d of %d behind %d, want 9 steps", done, total, last)
		}
		last = done
	}); err != nil || last != 9 {
		t.Errorf("%d steps, %v", last, err)
	}
	lines := strings.SplitAfter(text, "\n")
	for n := range len(lines) - 1 {
		if _, err := measure.ReadSamples(strings.NewReader(strings.Join(lines[:n], "")), 3, nil); err == nil {
			t.Errorf("the first %d lines are taken as whole", n)
		}
		if strings.HasPrefix(lines[n], "library") || strings.HasPrefix(lines[n], "clock") {
			continue // without them only comments are less exact
		}
		less := strings.Join(lines[:n], "") + strings.Join(lines[n+1:], "")
		if _, err := measure.ReadSamples(strings.NewReader(less), 3, nil); err == nil {
			t.Errorf("without line %d, %q, the output is taken as whole", n+1, lines[n])
		}
	}
	for _, bad := range []string{
		"nonsense\n", "message 0 0 9 1 1e-6\n", "message 0 0 1 0 1e-6\n", "message 0 0 1 1 0\n", "message 0 0 1 1 NaN\n",
		"send 0 0 1 8 -1\n", "send 0 0 1\n", "process 2 b\n", "process 4 \n", "clock x\n", "end\n",
	} {
		if _, err := measure.ReadSamples(strings.NewReader(lines[0]+lines[1]+lines[2]+lines[3]+lines[4]+lines[5]+bad), 3, nil); err == nil {
			t.Errorf("%q is taken", bad)
		}
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
