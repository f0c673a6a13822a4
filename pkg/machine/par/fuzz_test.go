package par_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"dvmtools/pkg/machine"
	"dvmtools/pkg/machine/par"
	"dvmtools/pkg/units"
)

// randomTime returns 0 or a time anywhere in the range of the model, with
// all bits of its mantissa at random.
func randomTime(r *rand.Rand) float64 {
	if r.IntN(5) == 0 {
		return 0
	}
	return math.Pow(10, r.Float64()*60-30)
}

// randomMachine returns a machine of up to 8 nodes, or nil when the tree drawn
// breaks a rule of the model.
func randomMachine(r *rand.Rand) *machine.Machine {
	var nodes []*machine.Node
	for i := range 1 + r.IntN(8) {
		name := fmt.Sprintf("n%d", i)
		if i == 0 || r.IntN(3) == 0 {
			nodes = append(nodes, machine.NewProcessor(name, math.Pow(10, r.Float64()*60-30)))
			continue
		}
		var groups []machine.Group
		children := int64(0)
		for range 1 + r.IntN(3) {
			g := machine.Group{Count: 1, Node: nodes[r.IntN(len(nodes))]}
			if r.IntN(2) == 0 {
				g.Count = 1 + r.Int64N(40)
			}
			children += g.Count
			groups = append(groups, g)
		}
		var md machine.Medium
		if children > 1 || r.IntN(2) == 0 {
			md = machine.Medium{Kind: machine.Kind(1 + r.IntN(3)), TStart: units.Seconds(randomTime(r)), TByte: units.SecPerByte(randomTime(r))}
			switch md.Kind {
			case machine.Ethernet:
				md.Channels = 1
			case machine.Myrinet:
				md.Channels = 1 + r.IntN(5)
			}
		}
		nodes = append(nodes, machine.NewCluster(name, md, groups...))
	}
	m, err := machine.New(nodes[len(nodes)-1])
	if err != nil {
		return nil
	}
	m.Search = []int{0, 1, 2, 3, 5}[r.IntN(5)]
	return m
}

// TestRoundTrip formats and reads generated machines, with times and powers
// of any magnitude: the same machine comes back, to the last bit.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 10))
	made, clusters := 0, 0
	for range 3000 {
		if m := randomMachine(r); m != nil {
			checkRoundTrip(t, m)
			made++
			clusters += len(m.Root.Groups)
		}
	}
	if made < 2000 || clusters < made {
		t.Errorf("only %d machines with %d groups were made", made, clusters)
	}
}

// FuzzParse has the properties: no panic; a machine or an error, never both;
// what is read without error formats to a text that is read as the same
// machine, and so does the text itself, with its comments; the queries of the model work on it.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/diag/*.txt", "../../../testdata/machines/*.par"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if filepath.Ext(path) == ".par" {
				f.Add(text)
				continue
			}
			names, body := sections(string(text))
			for _, n := range names {
				if n != "want" {
					f.Add([]byte(body[n]))
				}
			}
		}
	}
	for _, text := range []string{
		"cluster a; cluster = a; a = 1;",
		"cluster=a;a={2xb,c};b={c};c=1;a.CommType=b.CommType;b.CommType=myrinet(2);a.TStart=0;a.TByte=1e-9",
		"type=network;start time=1;send byte time=.5;power=1;topology={2,2}",
		";Cluster=c;; c=1; ;// e",
		"// a\ncluster = a; // b\n\na = {2xb, // c\n b}; a.CommType = ethernet; a.TStart = 0; a.TByte = 1;\r\nb = 1;\n// d",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, list := par.Parse("fuzz.par", src)
		checkList(t, m, list)
		if m == nil {
			return
		}
		if err := m.Check(); err != nil {
			t.Fatalf("the model refuses what was read: %v", err)
		}
		checkRoundTrip(t, m)
		checkRewrite(t, src, m)
		last := m.Processors() - 1
		if node, _, _ := m.Lowest(0, last); node.Processors() < min(2, last+1) {
			t.Errorf("processors 0 and %d meet in %q with %d processors", last, node.Name, node.Processors())
		}
		runs := m.PowerRuns(min(last+1, 1000))
		if end := runs[len(runs)-1]; end.First+end.N != min(last+1, 1000) || m.Power(end.First) != end.Power {
			t.Errorf("the runs of %d processors end with %v", last+1, end)
		}
		if _, err := json.Marshal(m); err != nil {
			t.Error(err)
		}
	})
}
