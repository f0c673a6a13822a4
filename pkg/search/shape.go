package search

import (
	"fmt"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/procs"
	"dvmtools/pkg/units"
)

// Shape is what a program tells about the grids that are useful for it.
type Shape struct {
	// Extents are, for each dimension of a grid, the largest axis of a
	// template that the program maps on it.
	Extents []int64
	// Alike is the time that every processor spends on any grid; Shared is the
	// time of all loops, which processors share. Both are times on the traced
	// machine and leave out what overlaps with exchanges. They are 0, and there
	// are no exchanges, when the program has tasks, which may share everything.
	Alike, Shared units.Seconds

	// exchanges holds the work that overlaps with each exchange; see floors.
	exchanges map[collective][]work
	// loops and edges are what an estimator guesses times from, in the order in which
	// the program has them first.
	loops []loopWork
	edges []edgeWork
}

// A collective is an exchange of all processors, which takes longer the more
// processors there are.
type collective struct {
	broadcast bool
	bytes     units.Bytes
	// lengths are the numbers of iterations along each dimension of the grid of
	// the loop that a reduction belongs to, as text: 0 where the loop is not
	// distributed, "" when all processors have a partial result.
	lengths string
}

// work is the time that passes between the start of an exchange and the wait
// for its end, the same on all processors or shared by them.
type work struct{ alike, shared units.Seconds }

// Read returns the shape of a recorded program; a program without a
// distribution is an error. sections are those of the options, "" for none.
// Handles that name nothing are ignored when lenient is set.
func Read(r *call.Recording, sections string, lenient bool) (Shape, error) {
	var s Shape
	var given []procs.Given
	if sections != "" {
		var err error
		if given, err = procs.ParseGiven(sections); err != nil {
			return s, fmt.Errorf("sections: %w", err)
		}
	}
	src := r.Source()
	traced := r.Header().Runtime.Root()
	rd := reader{shape: &s, objects: object.New(object.Config{Grid: traced, Traced: traced, Sections: given}),
		works: works{loops: map[loopKey]*loopWork{}, edges: map[string]*edgeWork{}}}
	s.exchanges = map[collective][]work{}
	for {
		c, err := src.Next()
		if err != nil {
			break
		}
		if c.Outside {
			continue
		}
		if err := rd.step(c); err != nil && !(lenient && object.IsHandleError(err)) {
			return s, err
		}
	}
	rd.close()
	if err := rd.objects.UnusedSections(); err != nil {
		return s, err
	}
	if rd.tasks {
		s.Alike, s.Shared, s.exchanges = 0, 0, nil
	}
	if rd.weighted {
		// A loop's iterations may all lie on a few processors.
		for c, works := range s.exchanges {
			if c.lengths != "" {
				delete(s.exchanges, c)
				for _, w := range works {
					s.Alike += w.alike
					s.Shared += w.shared
				}
			}
		}
	}
	s.Extents = rd.objects.Extents()
	s.loops, s.edges = rd.works.lists(len(s.Extents))
	if len(s.Extents) == 0 {
		return s, fmt.Errorf("the program distributes nothing, so that no grid is better than another; expected a distr_ or redis_ that maps an axis")
	}
	return s, nil
}

// reader follows a program.
type reader struct {
	shape    *Shape
	objects  *object.Table
	tasks    bool
	weighted bool
	inIO     bool // between biof_ and eiof_
	inBody   bool // between a dopl_ that hands iterations out and the next
	// open is the reduction that was started, as collective of; since is the
	// work since then.
	open  *object.ReductionGroup
	of    collective
	since work
	works works
}

// step adds a call. Time counts only where it is certain to pass on every grid.
func (r *reader) step(c *call.Call) error {
	if !r.inIO {
		r.pass(c.CallTime)
	}
	if err := r.objects.Follow(c); err != nil {
		return err
	}
	switch c.Class() {
	case libdvm.RunMachine:
		r.tasks = true
	case libdvm.BlockDivisor, libdvm.BlockSizes, libdvm.LoadWeights, libdvm.ViewSystem, libdvm.CreateSystem:
		r.weighted = true
	case libdvm.BeginIO:
		r.inIO = true
	case libdvm.EndIO:
		r.inIO = false
	case libdvm.DoLoop:
		if !r.inIO {
			more, err := c.RetInt("DoPL")
			if r.inBody = err == nil && more != 0; r.inBody {
				r.works.enter(r.objects.LastLoop(), c)
			}
		}
	case libdvm.EndLoopNest:
		r.inBody = false
	case libdvm.StartShadow, libdvm.SendShadow, libdvm.ExportFirst, libdvm.ImportLast:
		if g, err := r.objects.ShadowGroup(c); err == nil {
			r.works.exchange(g)
		}
	case libdvm.IO:
		if c.Row.Result != libdvm.ResultNone {
			r.broadcast()
		}
	case libdvm.ArrayIO:
		r.broadcast()
	case libdvm.StartReduction:
		return r.start(c)
	case libdvm.WaitReduction:
		if g, err := r.objects.ReductionGroup(c); err == nil && g == r.open {
			r.close()
		}
	case libdvm.Ordinary:
		if !r.inIO {
			r.pass(c.RetTime)
		}
	}
	return nil
}

// pass adds time that passes on all processors, or is shared by them.
func (r *reader) pass(t units.Seconds) {
	alike, shared := &r.shape.Alike, &r.shape.Shared
	if r.open != nil {
		alike, shared = &r.since.alike, &r.since.shared
	}
	if r.inBody {
		*shared += t
		r.works.pass(t)
	} else {
		*alike += t
	}
}

// statusBytes is how many bytes an I/O function broadcasts at least.
const statusBytes = 4

// broadcast adds a broadcast, but none during a reduction, in which it may take no
// further time.
func (r *reader) broadcast() {
	if r.open == nil {
		c := collective{broadcast: true, bytes: statusBytes}
		r.shape.exchanges[c] = append(r.shape.exchanges[c], work{})
	}
}

// start opens a reduction of all processors or of a distributed loop.
func (r *reader) start(c *call.Call) error {
	g, err := r.objects.ReductionGroup(c)
	if err != nil || r.open != nil || g.Bytes <= 0 {
		return err
	}
	l := g.Loop
	if l == nil && g.Template == nil && g.System == nil {
		l = r.objects.LastLoop()
	}
	of := collective{bytes: units.Bytes(g.Bytes)}
	switch {
	case l == nil && g.Template == nil:
	case l == nil || l.Map == nil:
		return nil
	default:
		for k := range l.Map.Ranges {
			sp := &l.Map.Ranges[k]
			n := int64(0)
			if sp.Dim >= 0 {
				for i := range sp.Lo {
					n += sp.Hi[i] - sp.Lo[i]
				}
			}
			of.lengths += fmt.Sprintf("%d ", n)
		}
	}
	r.open, r.of, r.since = g, of, work{}
	return nil
}

// close ends the open reduction.
func (r *reader) close() {
	if r.open != nil {
		r.shape.exchanges[r.of] = append(r.shape.exchanges[r.of], r.since)
		r.open = nil
	}
}
