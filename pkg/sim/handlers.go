package sim

import (
	"bytes"
	"strconv"

	"dvmtools/pkg/call"
	"dvmtools/pkg/interval"
	"dvmtools/pkg/layout"
	"dvmtools/pkg/libdvm"
	"dvmtools/pkg/object"
	"dvmtools/pkg/units"
)

// handler is what a class of functions does beside the ordinary.
type handler struct {
	// run is called between the two times of a call; nil for nothing.
	run func(*Sim, *call.Call) error
	// ownCall, ownRet say that run deals with call_time or ret_time itself.
	ownCall, ownRet bool
}

// follow makes a handler of a function that only changes objects.
func follow(f func(*object.Table, *call.Call) error) handler {
	return handler{run: func(s *Sim, c *call.Call) error { return f(s.objects, c) }}
}

// handlers has one entry per class of functions; ordinary functions have the
// zero entry.
var handlers = [libdvm.NumClasses]handler{
	libdvm.BeginUser:       {run: beginInterval(interval.User)},
	libdvm.BeginSequential: {run: beginInterval(interval.Sequential)},
	libdvm.BeginParallel:   {run: beginInterval(interval.Parallel)},
	libdvm.EndUser:         {run: endInterval(isUser, "a user interval")},
	libdvm.EndLoop:         {run: endInterval(isLoop, "a loop")},

	libdvm.GetSystem:     follow((*object.Table).GetSystem),
	libdvm.ViewSystem:    follow((*object.Table).ViewSystem),
	libdvm.CreateSystem:  follow((*object.Table).CreateSystem),
	libdvm.GetMachine:    follow((*object.Table).GetMachine),
	libdvm.ElementAM:     follow((*object.Table).ElementMachine),
	libdvm.MapMachine:    follow((*object.Table).MapMachine),
	libdvm.RunMachine:    {run: runMachine},
	libdvm.StopMachine:   {run: stopMachine},
	libdvm.CreateAMView:  follow((*object.Table).CreateTemplate),
	libdvm.AMViewOfArray: follow((*object.Table).TemplateOfArray),
	libdvm.Distribute:    follow((*object.Table).Distribute),
	libdvm.Redistribute:  {run: redistribute},
	libdvm.BlockDivisor:  follow((*object.Table).BlockDivisor),
	libdvm.BlockSizes:    follow((*object.Table).BlockSizes),
	libdvm.LoadWeights:   follow((*object.Table).LoadWeights),
	libdvm.CreateArray:   follow((*object.Table).CreateArray),
	libdvm.CreateReplica: follow((*object.Table).CreateReplica),
	libdvm.AddHeader:     follow((*object.Table).AddHeader),
	libdvm.Align:         follow((*object.Table).Align),
	libdvm.Realign:       {run: realign},
	libdvm.Delete:        follow((*object.Table).Delete),

	libdvm.IO:        {run: ioCall, ownRet: true},
	libdvm.ArrayIO:   {run: arrayIO, ownRet: true},
	libdvm.BeginIO:   {run: beginIO},
	libdvm.SendStore: {run: sendStore},

	libdvm.CreateShadowGroup: follow((*object.Table).CreateShadowGroup),
	libdvm.InsertShadow:      follow((*object.Table).InsertShadow),
	libdvm.InsertShadowDims:  follow((*object.Table).InsertShadowDims),
	libdvm.StartShadow:       {run: startShadow},
	libdvm.SendShadow:        {run: sendShadow},
	libdvm.ReceiveShadow:     {run: sendShadow},
	libdvm.WaitShadow:        {run: waitShadow},
	libdvm.ExportFirst:       {run: exportFirst},
	libdvm.ImportLast:        {run: importLast},

	libdvm.CreateReductionGroup: follow((*object.Table).CreateReductionGroup),
	libdvm.CreateReduction:      follow((*object.Table).CreateReduction),
	libdvm.InsertReduction:      follow((*object.Table).InsertReduction),
	libdvm.StartReduction:       {run: startReduction},
	libdvm.WaitReduction:        {run: waitReduction},

	libdvm.CopyArray: {run: copyArray},
	libdvm.StartCopy: {run: startCopy},
	libdvm.WaitCopy:  {run: waitCopy},

	libdvm.CreateLoopBuffer:    follow((*object.Table).CreateLoopBuffer),
	libdvm.CreateSectionBuffer: follow((*object.Table).CreateSectionBuffer),
	libdvm.LoadBuffer:          {run: loadBuffer},
	libdvm.WaitBuffer:          {run: waitBuffer},
	libdvm.CreateBufferGroup:   follow((*object.Table).CreateBufferGroup),
	libdvm.InsertBuffer:        follow((*object.Table).InsertBuffer),
	libdvm.LoadBufferGroup:     {run: loadGroup},
	libdvm.WaitBufferGroup:     {run: waitGroup},

	libdvm.CreateLoop:  follow((*object.Table).CreateLoop),
	libdvm.MapLoop:     follow((*object.Table).MapLoop),
	libdvm.DoLoop:      {run: doLoop, ownCall: true},
	libdvm.EndLoopNest: {run: endLoop},
	libdvm.Across:      {run: across},
}

// runMachine enters a task: its interval members are the task's processors
// from now on.
func runMachine(s *Sim, c *call.Call) error {
	_, err := s.objects.Run(c)
	if err != nil {
		return err
	}
	s.clocks.Join(s.objects.Current())
	return nil
}

func stopMachine(s *Sim, c *call.Call) error { return s.objects.Stop(c) }

// beginIO begins Fortran input or output: until its end everything that
// passes is I/O time of the I/O processor (model section 5).
func beginIO(s *Sim, _ *call.Call) error {
	s.after = func() { s.io = true }
	return nil
}

// stepIO simulates a call between biof_ and eiof_.
func (s *Sim) stepIO(c *call.Call, h *handler) error {
	s.inOut("time in input and output", c.CallTime)
	if c.Class() == libdvm.EndIO {
		s.io = false
		s.system(s.objects.Current(), c.RetTime)
		return nil
	}
	if h.run != nil && !h.ownCall && c.Class() != libdvm.BeginIO {
		if _, err := s.handle(c, h); err != nil {
			return err
		}
	}
	if !h.ownRet {
		s.inOut("time inside the call", c.RetTime)
	}
	if s.after != nil {
		s.after()
	}
	return nil
}

// inOut passes t of I/O time on the I/O processor; the power of processors
// makes input and output no faster.
func (s *Sim) inOut(what string, t units.Seconds) {
	if t == 0 {
		return
	}
	p := s.ioProcessor()
	if s.explained != nil {
		s.say("%s %s: I/O time of processor %d alone, whatever its power", what, micro(t), p)
	}
	s.clocks.AddOne(p, Amount{IO: t})
}

// ioProcessor returns the root's number of the I/O processor: processor 0 of
// the root, or the first of a system that lacks it.
func (s *Sim) ioProcessor() int {
	sys := s.objects.Current()
	if _, ok := sys.Contains(0); ok {
		return 0
	}
	return sys.Rank(0)
}

// doLoop passes the time of a parallel loop: processor i does N_i of the N
// iterations; what several processors do alike is insufficient parallelism
// (model section 8).
func doLoop(s *Sim, c *call.Call) error {
	l, err := s.objects.CurrentLoop(c)
	if err != nil {
		return err
	}
	if l.Across != nil && s.pipe != nil {
		return s.doAcross(c, l)
	}
	if l.Share == nil || l.Share.Total == 0 {
		s.user(s.objects.Current(), c.CallTime)
		return nil
	}
	if c.CallTime == 0 {
		return nil
	}
	share := l.Share
	its, err := portion(c, l)
	if err != nil {
		return err
	}
	if its != nil {
		if share, err = l.Portion(c, its); err != nil {
			return err
		}
		if share.Total == 0 {
			s.user(s.objects.Current(), c.CallTime)
			return nil
		}
	}
	if len(s.edges) > 0 {
		s.keepPart(c.CallTime, its, share)
		if s.keepBack {
			return nil
		}
	}
	s.passLoop(l, share, c.CallTime)
	return nil
}

// passLoop passes t of the time of loop l on its processors.
func (s *Sim) passLoop(l *object.Loop, share *layout.Share, t units.Seconds) {
	s.sayShare("loop time", t, share, l.System)
	twice := inVain(share.Same)
	total := float64(share.Total)
	s.clocks.AddBy(l.System, share.Labels, func(labels []int64) Amount {
		return Amount{User: scaled(t, float64(share.Count(labels))/total), UserTwice: twice}
	})
}

// portion reads the lines "Dim0: Lower=1 Upper=12 Step=1" that a trace made
// with dopl_Trace=1 has for the part of the loop that a call hands out; nil
// when there are none.
func portion(c *call.Call, l *object.Loop) ([]layout.Iterations, error) {
	var its []layout.Iterations
	for _, line := range c.Text {
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte("Dim"))
		if !ok {
			continue
		}
		num, rest, ok := bytes.Cut(rest, []byte(":"))
		if d, err := strconv.Atoi(string(num)); !ok || err != nil || d != len(its) {
			continue
		}
		var it layout.Iterations
		for _, f := range []struct {
			key string
			dst *int64
		}{{"Lower=", &it.Init}, {"Upper=", &it.Last}, {"Step=", &it.Step}} {
			_, val, ok := bytes.Cut(rest, []byte(f.key))
			if !ok {
				return nil, object.Error(c, "portion", "%q lacks %s", line, f.key)
			}
			val, _, _ = bytes.Cut(bytes.TrimLeft(val, " "), []byte(" "))
			n, err := strconv.ParseInt(string(bytes.TrimRight(val, ";")), 10, 64)
			if err != nil {
				return nil, object.Error(c, "portion", "%q: %s%s is not an integer", line, f.key, val)
			}
			*f.dst = n
		}
		its = append(its, it)
	}
	if len(its) != l.Rank || l.Iterations == nil {
		return nil, nil
	}
	return its, nil
}
