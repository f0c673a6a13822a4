package program_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"dvmtools/internal/testtraces"
	"dvmtools/internal/tracegen"
	"dvmtools/pkg/call"
	"dvmtools/pkg/object"
	"dvmtools/pkg/program"
)

// follower is what a simulation knows: its objects, without those of calls that
// need not be simulated.
type follower struct {
	objects *object.Table
	between bool
}

func (f *follower) Between() bool           { return f.between }
func (f *follower) Names(value uint64) bool { return f.objects.Names(value) }

// turn is a run of calls in the same turn.
type turn struct {
	turn  program.Turn
	calls int
}

// turnsOf reads a stream to its end and returns in which turns its calls were.
func turnsOf(t *testing.T, src call.Source, between func(read int) bool) (turns []turn, calls []call.Call, err error) {
	t.Helper()
	f := &follower{objects: object.New(object.Config{Grid: []int{1}, Traced: []int{1}})}
	s := program.NewStream(src, f)
	for {
		f.between = between(len(calls))
		c, err := s.Next()
		if err != nil {
			return turns, calls, err
		}
		p := s.Place()
		if p.Turn != program.Again {
			if err := f.objects.Follow(c); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(turns); n > 0 && turns[n-1].turn == p.Turn {
			turns[n-1].calls++
		} else {
			turns = append(turns, turn{p.Turn, 1})
		}
		calls = append(calls, c.Clone())
	}
}

func always(int) bool { return true }

// What a stream takes for a repetition, call by call. Call 0 is dvm_Init, which is
// handed to nobody here; the array is call 1, so that steps begin with call 2.
func TestStreams(t *testing.T) {
	const once, second, again = program.Once, program.Second, program.Again
	handle := func(i int) string { return fmt.Sprintf("b%03x", i) }
	groups := func(n, handles int) func(*text) {
		return func(x *text) {
			for i := range n {
				x.group(handle(i % handles))
			}
		}
	}
	for name, c := range map[string]struct {
		make    func(*text)
		between func(read int) bool
		want    []turn
	}{
		"the same handle":  {groups(6, 1), always, []turn{{once, 12}, {second, 5}, {again, 15}}},
		"handles in turns": {groups(8, 2), always, []turn{{once, 22}, {second, 10}, {again, 10}}},
		"new handles":      {groups(12, 12), always, []turn{{once, 62}}},
		"too few":          {groups(2, 1), always, []turn{{once, 12}}},
		// The third time is read ahead, and not all there.
		"the last time is cut": {func(x *text) {
			groups(2, 1)(x)
			x.call(5, "crtshg_", "StaticSign=0;", "ShadowGroupRef=b000;")
			x.insert("b000")
			x.call(6, "tstio_", " ", "Res=1;")
		}, always, []turn{{once, 15}}},
		"a later time is cut": {func(x *text) {
			groups(4, 1)(x)
			x.call(5, "crtshg_", "StaticSign=0;", "ShadowGroupRef=b000;")
			x.insert("b000")
			x.call(6, "tstio_", " ", "Res=1;")
		}, always, []turn{{once, 12}, {second, 5}, {again, 5}, {once, 3}}},
		// A step that does not begin with the creation of its group refers to that of the
		// step before.
		"under way where steps begin": {groups(6, 1), func(read int) bool { return (read-2)%5 != 0 }, []turn{{once, 32}}},
		"under way for long":          {groups(6, 1), func(read int) bool { return read > 15 }, []turn{{once, 17}, {second, 5}, {again, 10}}},
		// A group that was there before grows from step to step.
		"a group that grows": {func(x *text) {
			x.call(2, "crtshg_", "StaticSign=0;", "ShadowGroupRef=b000;")
			for range 6 {
				x.insert("b000")
				x.exchange("b000")
			}
		}, always, []turn{{once, 21}}},
		// It may be exchanged when it does not.
		"a group from before": {func(x *text) {
			x.call(2, "crtshg_", "StaticSign=0;", "ShadowGroupRef=b000;")
			x.insert("b000")
			for range 6 {
				x.exchange("b000")
			}
		}, always, []turn{{once, 8}, {second, 2}, {again, 6}}},
		// Each step exchanges the group of the step before.
		"a group of the step before": {func(x *text) {
			x.call(4, "crtshg_", "StaticSign=0;", "ShadowGroupRef="+handle(0)+";")
			for i := range 12 {
				x.call(5, "crtshg_", "StaticSign=0;", "ShadowGroupRef="+handle((i+1)%2)+";")
				x.exchange(handle(i % 2))
				x.call(6, "tstda_", "ObjectRefPtr=1; ObjectRef="+handle((i+1)%2)+";", "ArrayType=0;")
			}
		}, always, []turn{{once, 51}}},
		// The name of an array from before is taken the first time.
		"a handle of an array": {func(x *text) {
			for range 6 {
				x.call(5, "crtshg_", "StaticSign=0;", "ShadowGroupRef=a001;")
				x.call(6, "tstio_", " ", "Res=1;")
			}
		}, always, []turn{{once, 6}, {second, 2}, {again, 6}}},
		"an array of the step": {func(x *text) {
			for range 6 {
				x.array("a100", "b000")
				x.call(4, "delda_", "ArrayHeader=a100; ArrayHandlePtr=b000;", " ")
			}
		}, always, []turn{{once, 6}, {second, 2}, {again, 6}}},
		"tasks": {func(x *text) {
			for range 6 {
				x.call(4, "tstam_", "AMRefPtr=NULL; AMRef=0;", "Res=1;")
				x.call(4, "runam_", "AMRefPtr=NULL; AMRef=0;", "Run=1;")
				x.call(5, "stopam_", " ", " ")
			}
		}, always, []turn{{once, 20}}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newText()
			x.array("a000", "a001")
			c.make(x)
			got, _, err := turnsOf(t, testtraces.Shared(x.program(t).Recording), c.between)
			if err != io.EOF || !slices.Equal(got, c.want) {
				t.Errorf("%v, expected %v; error %v", got, c.want, err)
			}
		})
	}
}

// turns yields the calls of two sources that are alike, each for some calls, as several
// goroutines read that remember parameters each for itself.
type turns struct {
	call.Source
	other   call.Source
	n, each int
}

func (s *turns) Next() (*call.Call, error) {
	a, err := s.Source.Next()
	b, _ := s.other.Next()
	s.n++
	if s.n/s.each%2 == 0 {
		return a, err
	}
	return b, err
}

// Calls are alike also when their parameters are in other memory.
func TestStreamsOfSeveralReaders(t *testing.T) {
	x := newText()
	x.array("a000", "a001")
	for range 40 {
		x.group("b000")
	}
	rec := x.program(t).Recording
	want := []turn{{program.Once, 12}, {program.Second, 5}, {program.Again, 185}}
	for _, each := range []int{1, 3, 7, 50} {
		got, _, err := turnsOf(t, &turns{testtraces.Shared(rec), testtraces.Shared(rec), 0, each}, always)
		if err != io.EOF || !slices.Equal(got, want) {
			t.Errorf("%d calls each: %v, expected %v; error %v", each, got, want, err)
		}
	}
}

// cut is a source that fails behind some calls.
type cut struct {
	call.Source
	left int
}

var errCut = errors.New("cut")

func (c *cut) Next() (*call.Call, error) {
	if c.left == 0 {
		return nil, errCut
	}
	c.left--
	return c.Source.Next()
}

// A stream yields the calls of its source, of which those in the places Again have
// the parameters of those that they repeat, and ends as the source ends.
func TestStreamsYieldTheirCalls(t *testing.T) {
	programs := map[string]*call.Recording{}
	for _, name := range testtraces.Sample(t) {
		programs[name] = testtraces.Calls(t, name)
	}
	for seed := range uint64(40) {
		text := tracegen.Generate(tracegen.Options{Seed: seed + 1, Grid: []int{2, 2}, Steps: 6, Repeat: 8}).Text()
		rec, err := call.Record(testtraces.Parse(t, "a.ptr", text))
		if err != nil {
			t.Fatal(err)
		}
		programs[fmt.Sprint("seed ", seed)] = rec
	}
	spared := 0
	for name, rec := range programs {
		for _, n := range []int{rec.Len(), rec.Len() * 2 / 3} {
			src, end := testtraces.Shared(rec), io.EOF
			if n < rec.Len() {
				src, end = &cut{src, n}, errCut
			}
			s := program.NewStream(src, yes{})
			for i := range n {
				c, err := s.Next()
				if err != nil {
					t.Fatalf("%s: call %d of %d: %v", name, i, n, err)
				}
				if s.Exit().Found {
					t.Fatalf("%s: the end is found before call %d of %d", name, i, n)
				}
				if s.Place().Turn == program.Again {
					spared++
				}
				if d := differ(c, rec.Call(i)); d != "" {
					t.Fatalf("%s: call %d of %d, %s, has another %s", name, i, n, c.Where(), d)
				}
			}
			if _, err := s.Next(); err != end || end == io.EOF && !s.Exit().Found {
				t.Errorf("%s: error %v behind %d calls, expected %v; end found: %v", name, err, n, end, s.Exit().Found)
			}
		}
	}
	t.Logf("%d calls in %d programs repeat others", spared, len(programs))
	if spared < 1000 {
		t.Errorf("%d calls repeat others", spared)
	}
}

type yes struct{}

func (yes) Between() bool     { return true }
func (yes) Names(uint64) bool { return false }

// differ returns in what two calls differ.
func differ(a, b *call.Call) string {
	switch {
	case a.Func != b.Func || a.Row != b.Row || a.Only != b.Only:
		return "function"
	case a.Line != b.Line || a.File != b.File || a.RetLine != b.RetLine || a.RetFile != b.RetFile || a.Pos != b.Pos:
		return "place"
	case a.CallTime != b.CallTime || a.RetTime != b.RetTime || a.Seq != b.Seq || a.Outside != b.Outside:
		return "time"
	case !a.Args.Equal(&b.Args) || !a.Ret.Equal(&b.Ret):
		return "parameter"
	case len(a.Nested) != len(b.Nested) || len(a.Text) != len(b.Text) || len(a.RetText) != len(b.RetText):
		return "line"
	}
	return ""
}
