package parasol

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/expr"
)

// A Shape describes a regular topology, for which [Shape.Section] writes the text
// (3.2.3).
type Shape struct {
	// Kind is one of [Shapes].
	Kind string
	// Extents are the numbers of processors in each dimension; a grid and a
	// torus may have several, all others have one.
	Extents []int
	// ID and Name are those of the topology; the default name is the shape.
	ID   int64
	Name string
	// Type is the id of the type of every processor.
	Type int64
	// Latency and Speed are those of every link, in seconds and seconds per
	// byte, Creation is that of the topology in seconds.
	Latency, Speed, Creation float64
	Hardware                 bool
}

// Shapes returns the kinds of topologies: a bus is one link between all
// processors, a star links the first with each other one, the others have
// links between neighbours.
func Shapes() []string {
	return []string{"ring", "line", "grid", "torus", "hypercube", "bus", "star"}
}

// links returns the ends of the links, from 1, in order.
func (s *Shape) links(n int) ([][]int, error) {
	var all [][]int
	switch s.Kind {
	case "bus":
		if n < 2 {
			return nil, nil
		}
		ends := make([]int, n)
		for i := range ends {
			ends[i] = i + 1
		}
		return [][]int{ends}, nil
	case "star":
		for i := 2; i <= n; i++ {
			all = append(all, []int{1, i})
		}
	case "hypercube":
		if bits.OnesCount(uint(n)) != 1 {
			return nil, fmt.Errorf("found a hypercube of %d processors, expected a power of two", n)
		}
		for i := range n {
			for d := 1; d < n; d *= 2 {
				if i&d == 0 {
					all = append(all, []int{i + 1, i + d + 1})
				}
			}
		}
	default: // row-major: the last extent is next to each other
		wrap := s.Kind == "ring" || s.Kind == "torus"
		for i := range n {
			stride := 1
			for _, e := range slices.Backward(s.Extents) {
				switch at := i / stride % e; {
				case at+1 < e:
					all = append(all, []int{i + 1, i + stride + 1})
				case wrap && e > 2:
					all = append(all, []int{i + 1 - (e-1)*stride, i + 1})
				}
				stride *= e
			}
		}
	}
	return all, nil
}

// check returns the number of processors, or what is wrong with the shape.
func (s *Shape) check() (int, error) {
	if !slices.Contains(Shapes(), s.Kind) {
		return 0, fmt.Errorf("found topology %q, expected one of %s%s", s.Kind, strings.Join(Shapes(), ", "), diag.DidYouMean(s.Kind, Shapes()))
	}
	if len(s.Extents) == 0 || len(s.Extents) > 1 && s.Kind != "grid" && s.Kind != "torus" {
		return 0, fmt.Errorf("found %d numbers of processors, expected one for a %s", len(s.Extents), s.Kind)
	}
	n := 1
	for _, e := range s.Extents {
		if e < 1 || e > MaxProcessors/n {
			return 0, fmt.Errorf("found the extent %d, expected from 1 to %d processors", e, MaxProcessors)
		}
		n *= e
	}
	for _, t := range []float64{s.Latency, s.Speed, s.Creation} {
		if !validTime(t) {
			return 0, fmt.Errorf("found the time %v, expected 0 or a number of seconds from 1e-30 to 1e30", t)
		}
	}
	if s.ID < 0 || s.Type < 0 || strings.ContainsAny(s.Name, "\"\n") {
		return 0, fmt.Errorf("found id %d, type %d and name %q, expected ids that are not negative and a name without a quote", s.ID, s.Type, s.Name)
	}
	return n, nil
}

// Section returns the text of a topology section, in canonical form.
func (s *Shape) Section() (string, error) {
	n, err := s.check()
	if err != nil {
		return "", err
	}
	links, err := s.links(n)
	if err != nil {
		return "", err
	}
	name := s.Name
	if name == "" {
		var extents []string
		for _, e := range s.Extents {
			extents = append(extents, fmt.Sprint(e))
		}
		name = s.Kind + " " + strings.Join(extents, "x")
	}
	types := make([]int64, n)
	for i := range types {
		types[i] = s.Type
	}
	t := topologyText{id: s.ID, name: name, hardware: s.Hardware, creation: s.Creation, types: types}
	for _, ends := range links {
		t.links = append(t.links, linkText{s.Latency, s.Speed, ends})
	}
	var b strings.Builder
	t.write(&b)
	return b.String(), nil
}

// topologyText is a topology to be written as text.
type topologyText struct {
	id       int64
	name     string
	hardware bool
	creation float64
	types    []int64
	links    []linkText
}

type linkText struct {
	latency, speed float64
	ends           []int // from 1
}

// write writes the section as [File.String] does, at the first level.
func (t *topologyText) write(b *strings.Builder) {
	flag := 0
	if t.hardware {
		flag = 1
	}
	fmt.Fprintf(b, "    begin topology\n        id = %d\n        name = \"%s\"\n        hardware = %d\n        creation = %s\n        processors = %d\n        links = %d\n        begin procid\n",
		t.id, t.name, flag, expr.FormatFloat(t.creation), len(t.types), len(t.links))
	for i, pt := range t.types {
		fmt.Fprintf(b, "            p[%d] = %d\n", i+1, pt)
	}
	b.WriteString("        end procid\n        begin linklist\n")
	for i, l := range t.links {
		fmt.Fprintf(b, "            begin link\n                id = %d\n                latency = %s\n                speed = %s\n                connect = %d",
			i+1, expr.FormatFloat(l.latency), expr.FormatFloat(l.speed), len(l.ends))
		for _, e := range l.ends {
			fmt.Fprintf(b, " %d", e)
		}
		b.WriteString("\n            end link\n")
	}
	b.WriteString("        end linklist\n    end topology\n")
}
