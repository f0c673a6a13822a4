package program

import (
	"slices"

	"dvmtools/pkg/call"
	"dvmtools/pkg/libdvm"
)

// LeastCount is how often something must be done to be a repeat: the first two
// times and the last are not spared.
const LeastCount = 4

const (
	// maxPeriod bounds the calls of a time step.
	maxPeriod = 1 << 14
	// guesses is how many periods are tried at a call.
	guesses = 4
	// effort bounds how many calls are compared, per call of the program.
	effort = 64
)

// repeatable are the classes whose calls may be part of a repeat. changes are the
// parameters that name what a call changes, which must have been created in the same
// time step by a call that creates. Calls of the other classes change what outlasts
// a step: where objects lie, who runs, or which buffers are loaded.
var repeatable = [libdvm.NumClasses]struct {
	may, creates bool
	changes      []string
}{
	libdvm.Ordinary:        {may: true},
	libdvm.Runtime:         {may: true},
	libdvm.BeginUser:       {may: true},
	libdvm.BeginSequential: {may: true},
	libdvm.BeginParallel:   {may: true},
	libdvm.EndUser:         {may: true},
	libdvm.EndLoop:         {may: true},

	libdvm.GetSystem:      {may: true},
	libdvm.GetMachine:     {may: true},
	libdvm.CreateTemplate: {may: true, creates: true},
	libdvm.Distribute:     {may: true, changes: []string{"AMViewRef"}},
	libdvm.CreateArray:    {may: true, creates: true},
	libdvm.CreateReplica:  {may: true, creates: true},
	// The pattern's template knows which arrays are aligned with it.
	libdvm.Align:  {may: true, changes: []string{"ArrayHeader", "ArrayHandlePtr", "PatternRef", "PatternRefPtr"}},
	libdvm.Delete: {may: true, changes: []string{"ObjectRef", "ArrayHeader", "ArrayHandlePtr", "AMViewRef", "PSRef", "RedRef", "RedGroupRef", "ShadowGroupRef", "BufferHeader", "BufferHandlePtr", "RegularAccessGroupRef"}},

	libdvm.IO:      {may: true},
	libdvm.BeginIO: {may: true},
	libdvm.EndIO:   {may: true},

	libdvm.CreateShadowGroup: {may: true, creates: true},
	libdvm.InsertShadow:      {may: true, changes: []string{"ShadowGroupRef"}},
	libdvm.InsertShadowDims:  {may: true, changes: []string{"ShadowGroupRef"}},
	libdvm.StartShadow:       {may: true},
	libdvm.SendShadow:        {may: true},
	libdvm.ReceiveShadow:     {may: true},
	libdvm.WaitShadow:        {may: true},
	libdvm.ExportFirst:       {may: true},
	libdvm.ImportLast:        {may: true},

	libdvm.CreateReductionGroup: {may: true, creates: true},
	libdvm.CreateReduction:      {may: true, creates: true},
	libdvm.InsertReduction:      {may: true, changes: []string{"RedGroupRef"}},
	libdvm.SaveReduction:        {may: true},
	libdvm.StartReduction:       {may: true},
	libdvm.WaitReduction:        {may: true},

	libdvm.CreateLoop:  {may: true, creates: true},
	libdvm.MapLoop:     {may: true, changes: []string{"LoopRef"}},
	libdvm.DoLoop:      {may: true, changes: []string{"LoopRef"}},
	libdvm.EndLoopNest: {may: true, changes: []string{"LoopRef"}},
	libdvm.Across:      {may: true},
}

// MayRepeat reports whether calls of class k may be part of a stretch that repeats.
func MayRepeat(k libdvm.Class) bool { return repeatable[k].may }

// find returns the stretches of a recording that repeat.
func find(rec *call.Recording) []Repeat {
	g := read(rec)
	n := rec.Len()
	// next is the next call of the same shape.
	next := make([]int32, n)
	last := map[int32]int32{}
	for i := n - 1; i >= 0; i-- {
		next[i] = int32(n)
		if j, ok := last[g.shape[i]]; ok {
			next[i] = j
		}
		last[g.shape[i]] = int32(i)
	}
	var out []Repeat
	left := effort * n
	for i := 0; i < n && left > 0; {
		best := Repeat{}
		if !g.inLoop[i] {
			j := int(next[i])
			for k := 0; k < guesses && j < n && j-i <= maxPeriod; k++ {
				r, compared := g.repeat(i, j-i)
				left -= compared
				if r.Count >= LeastCount && r.Count*r.Period > best.Count*best.Period {
					best = r
				}
				j = int(next[j])
			}
		}
		if best.Count == 0 {
			i++
			continue
		}
		out = append(out, best)
		i = best.end()
	}
	return out
}

// repeat returns the stretch of the given period that begins with the call first,
// and how many calls were looked at. Its count is below [LeastCount] when there is
// none.
func (g *graph) repeat(first, period int) (r Repeat, looked int) {
	n := len(g.shape)
	r = Repeat{first, period, 1}
	for i := first; i < first+period; i++ {
		if looked++; i >= n || !g.may(first, period, i) || !g.keeps(first, i) {
			return r, looked
		}
	}
	for i := first + period; i < n && g.may(first, period, i) && g.same(first, period, i); i++ {
		looked++
		if i+1 == r.end()+period {
			r.Count++
		}
	}
	if g.wide >= first && g.wide < r.end() {
		r.Count = 1
	}
	// Nothing that comes later may refer to an object of the steps that are
	// spared.
	for i := first + 2*period; i < r.end()-period; i++ {
		if looked++; int(g.used[i]) >= r.end() {
			r.Count = (i-first)/period + 1
		}
	}
	return r, looked
}

// may reports whether call i may be part of a stretch that begins with the call
// first. Steps but the first must not take the name of an array that was there
// before the stretch, as the array would be no more: unless nothing comes that it
// could move with, nor anything that still calls something dead by its name.
func (g *graph) may(first, period, i int) bool {
	c := g.rec.Call(i)
	if !repeatable[c.Class()].may || c.Outside || len(c.Nested) > 0 {
		return false
	}
	return g.ends[i] < 0 || int(g.ends[i]) >= first || i < first+period || !g.moves[first] && g.stale < first
}

// keeps reports whether call i, of the first time step of a stretch that begins with
// the call first, changes only objects that the step itself created.
func (g *graph) keeps(first, i int) bool {
	c := g.rec.Call(i)
	changes := repeatable[c.Class()].changes
	if len(changes) == 0 {
		return true
	}
	header := headers[c.Class()]
	args, _ := g.rec.Blocks(i)
	refs := g.refs[g.first[i]:]
	for _, h := range g.blocks[args].names {
		if h.key == header {
			continue
		}
		by := int(refs[0])
		refs = refs[1:]
		if by < 0 || !slices.Contains(changes, h.key) {
			continue
		}
		if by < first || !repeatable[g.rec.Call(by).Class()].creates {
			return false
		}
	}
	return true
}

// same reports whether call i does what the call a period before it does, in a
// stretch that begins with the call first: on objects that were there before the
// stretch, or on those that the calls a period before them created in the step.
func (g *graph) same(first, period, i int) bool {
	j := i - period
	if g.shape[i] != g.shape[j] {
		return false
	}
	step := i - (i-first)%period
	a, b := g.refs[g.first[j]:g.first[j+1]], g.refs[g.first[i]:g.first[i+1]]
	for k := range a {
		before := a[k] == b[k] && int(a[k]) < first
		inStep := int(b[k]-a[k]) == period && int(b[k]) >= step
		if !before && !inStep {
			return false
		}
	}
	return true
}
