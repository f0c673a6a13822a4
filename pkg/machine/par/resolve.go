package par

import (
	"fmt"
	"math"
	"strings"

	"dvmtools/pkg/diag"
	"dvmtools/pkg/machine"
	"dvmtools/pkg/units"
)

// resolution is what the second pass finds out about an entity.
type resolution struct {
	// bad says that the entity, or one that it depends on, has an error. No
	// further errors are reported for it.
	bad bool
	// used says that another entity names this one; lent, that a cluster of the
	// machine uses its medium.
	used, lent bool
	node       *machine.Node
	total      int64
	children   int64
	height     int
	medium     medium
}

// medium is the medium of an entity, from its own statements and those of the
// entities that its CommType refers to.
type medium struct {
	done, bad          bool
	kind               machine.Kind
	channels           int
	start              units.Seconds
	byteTime           units.SecPerByte
	hasStart, hasBytes bool
}

// resolve looks up the names of all statements of the 2010 form and returns
// the machine, nil when there are errors.
func (p *parser) resolve() *machine.Machine {
	p.checkNames()
	p.checkTree()
	for _, e := range p.order {
		p.resolveMedium(e)
	}
	for _, e := range p.order {
		p.checkMedium(e)
	}
	root := p.simulatedCluster()
	if p.failed || root == nil {
		return nil
	}
	p.build(root)
	p.warnUnused()
	m, err := machine.New(root.node)
	if err != nil {
		// Every rule of the model is checked above, with a position: an error
		// here is unexpected.
		p.errorf(p.simulated.at, "par/machine", "%v", err)
		return nil
	}
	m.Search = p.searchMode
	return m
}

// maxCompared bounds the running time of all suggestions for one description, in
// pairs of letters. It is enough for thousands of names of ordinary length, and
// for few that are very long.
const maxCompared = 20_000_000

// suggest returns a hint for a name that is not defined.
func (p *parser) suggest(name string) string {
	if p.full() {
		return ""
	}
	var known []string
	for _, e := range p.order {
		if e.def.set && e.name != name {
			if p.compared += len(name) * len(e.name); p.compared > maxCompared {
				return ""
			}
			known = append(known, e.name)
		}
	}
	return diag.DidYouMean(name, known)
}

// checkNames reports names that are not defined, and processors with a medium.
func (p *parser) checkNames() {
	for _, e := range p.order {
		switch {
		case !e.def.set:
			e.bad = true
			p.errorf(e.first, "par/undefined", "found a property of %q, expected \"%s = {...};\" somewhere: it is not defined%s", e.name, e.name, p.suggest(e.name))
		case !e.def.ok:
			e.bad = true
		case e.leaf:
			for _, s := range []struct {
				setting
				name string
			}{{e.comm, "CommType"}, {e.tstart, "TStart"}, {e.tbyte, "TByte"}} {
				if s.set {
					p.errorf(s.at, "par/leaf", "found %s of %q, which is a processor, expected a cluster; a processor has no medium", s.name, e.name)
				}
			}
		}
		for _, g := range e.groups {
			child := p.names[g.name]
			if child == nil || !child.def.set {
				e.bad = true
				p.errorf(g.at, "par/undefined", "found %q, which is not defined, expected a cluster or a processor%s", g.name, p.suggest(g.name))
				continue
			}
			child.used = child.used || child != e
		}
		p.checkOther(e)
	}
}

// checkOther checks the name OTHER in e.CommType = OTHER.CommType.
func (p *parser) checkOther(e *entity) {
	if !e.comm.ok || e.other.name == "" {
		return
	}
	other := p.names[e.other.name]
	switch {
	case other == nil || !other.def.set:
		p.errorf(e.other.at, "par/undefined", "found %q, which is not defined, expected a cluster whose medium %q takes%s", e.other.name, e.name, p.suggest(e.other.name))
	case other.leaf:
		p.errorf(e.other.at, "par/leaf", "found %q, which is a processor and has no medium, expected a cluster whose medium %q takes", e.other.name, e.name)
	default:
		other.used = other.used || other != e
		return
	}
	e.comm.ok = false
}

// visit is an entity on the stack of checkTree; next is the index of the group
// to look at next.
type visit struct {
	e    *entity
	next int
}

// checkTree reports clusters that contain themselves, and those with too many
// processors or levels. It keeps its own stack, so that deep nesting cannot
// overflow the stack of the goroutine.
func (p *parser) checkTree() {
	const (
		unseen = iota
		open
		closed
	)
	state := make(map[*entity]int, len(p.order))
	for _, start := range p.order {
		if state[start] != unseen {
			continue
		}
		state[start] = open
		stack := []visit{{e: start}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(top.e.groups) {
				p.measure(top.e)
				state[top.e] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			g := top.e.groups[top.next]
			top.next++
			child := p.names[g.name]
			switch {
			case child == nil || !child.def.set:
			case state[child] == unseen:
				state[child] = open
				stack = append(stack, visit{e: child})
			case state[child] == open:
				p.reportCycle(stack, child, g)
			}
		}
	}
}

// reportCycle reports that g, in the list of the last entity of stack, closes
// a cycle, and marks its members.
func (p *parser) reportCycle(stack []visit, child *entity, g group) {
	if p.full() {
		// Finding the members of a cycle takes time proportional to its length.
		return
	}
	i := len(stack) - 1
	for stack[i].e != child {
		i--
	}
	var names []string
	for _, v := range stack[i:] {
		v.e.bad = true
		names = append(names, v.e.name)
	}
	p.errorf(g.at, "par/cycle", "found %q in a list of which it is a part, expected a cluster that does not contain itself: %s", g.name, chain(append(names, child.name)))
}

// chain prints names with arrows between them, without the middle of a long list.
func chain(names []string) string {
	const ends = 5
	if len(names) > 2*ends+1 {
		names = append(append(names[:ends:ends], fmt.Sprintf("(%d more)", len(names)-2*ends)), names[len(names)-ends:]...)
	}
	return strings.Join(names, " -> ")
}

// measure counts the processors and levels of e. Its children are measured
// already.
func (p *parser) measure(e *entity) {
	e.total, e.height = 1, 1
	if e.leaf || e.bad {
		return
	}
	e.total = 0
	for _, g := range e.groups {
		child := p.names[g.name]
		if child.bad {
			e.bad = true
			return
		}
		// Counts and totals are at most 1e9 + 1, so that the product does not
		// overflow.
		e.total = min(e.total+g.count*child.total, machine.MaxProcessors+1)
		e.children = min(e.children+g.count, math.MaxInt32)
		e.height = max(e.height, child.height+1)
	}
	if e.total > machine.MaxProcessors {
		e.bad = true
		p.errorf(e.def.at, "par/limit", "found more than %d processors in %q, expected at most that many", machine.MaxProcessors, e.name)
	}
	if e.height > machine.MaxDepth {
		e.bad = true
		p.errorf(e.def.at, "par/limit", "found %q with %d nodes one inside the other, expected at most %d", e.name, e.height, machine.MaxDepth)
	}
}

// resolveMedium sets e.medium, and the media of the clusters that its CommType
// refers to, directly or through others.
func (p *parser) resolveMedium(e *entity) {
	var way []*entity
	onWay := map[*entity]int{}
	for !e.medium.done {
		if first, again := onWay[e]; again {
			p.reportMediumCycle(way[first:])
			break
		}
		onWay[e] = len(way)
		way = append(way, e)
		if !e.comm.ok || e.other.name == "" {
			break
		}
		e = p.names[e.other.name]
	}
	for i := len(way) - 1; i >= 0; i-- {
		e := way[i]
		if e.medium.done {
			continue
		}
		md := medium{done: true, bad: e.bad || e.comm.set && !e.comm.ok}
		if e.comm.ok && e.other.name != "" {
			md = p.names[e.other.name].medium
			md.bad = md.bad || e.bad
			if !md.bad && md.kind == machine.NoMedium {
				md.bad = true
				p.errorf(e.other.at, "par/medium", "found %q, which has no CommType, expected a cluster with one that %q can take", e.other.name, e.name)
			}
		} else if e.comm.ok {
			md.kind, md.channels = e.kind, e.channels
		}
		if e.tstart.set {
			md.start, md.hasStart = e.start, true
			md.bad = md.bad || !e.tstart.ok
		}
		if e.tbyte.set {
			md.byteTime, md.hasBytes = e.byteTime, true
			md.bad = md.bad || !e.tbyte.ok
		}
		e.medium = md
	}
}

// reportMediumCycle reports a cycle of clusters whose CommTypes refer to each
// other.
func (p *parser) reportMediumCycle(members []*entity) {
	var names []string
	for _, e := range members {
		e.medium = medium{done: true, bad: true}
		names = append(names, e.name)
	}
	first := members[0]
	p.errorf(first.other.at, "par/cycle", "found a CommType of %q that is taken from itself, expected a medium at the end of the way: %s", first.name, chain(append(names, first.name)))
}

// checkMedium reports what is missing in the medium of e.
func (p *parser) checkMedium(e *entity) {
	if e.bad || e.leaf || e.medium.bad {
		return
	}
	var missing []string
	if e.medium.kind == machine.NoMedium {
		missing = append(missing, "CommType")
	}
	if !e.medium.hasStart {
		missing = append(missing, "TStart")
	}
	if !e.medium.hasBytes {
		missing = append(missing, "TByte")
	}
	if len(missing) == 0 {
		return
	}
	list := e.name + "." + strings.Join(missing, ", "+e.name+".")
	if e.children > 1 {
		p.errorf(e.def.at, "par/missing", "found no %s, expected CommType, TStart and TByte: %q connects %d children", strings.ReplaceAll(list, ", ", " and no "), e.name, e.children)
		return
	}
	if len(missing) < 3 {
		p.warnf(e.def.at, "par/unused-medium", "found no %s: the other properties of the medium are left out, because %q has one child and sends no messages", strings.ReplaceAll(list, ", ", " and no "), e.name)
	}
	e.medium = medium{done: true}
}

// simulatedCluster returns the entity that the cluster statement names.
func (p *parser) simulatedCluster() *entity {
	if !p.cluster.set && !p.clusterTried {
		hint := ""
		for _, e := range p.order {
			if e.def.ok && !e.used && !e.leaf {
				hint = fmt.Sprintf("; perhaps \"cluster = %s;\"", e.name)
				break
			}
		}
		p.errorf(place{p.files[0], 0}, "par/cluster", "found no \"cluster = NAME;\", expected one that names the cluster to simulate%s", hint)
		return nil
	}
	if !p.cluster.ok {
		return nil
	}
	e := p.names[p.simulated.name]
	if e == nil || !e.def.set {
		p.errorf(p.simulated.at, "par/undefined", "found %q, which is not defined, expected the name of the cluster to simulate%s", p.simulated.name, p.suggest(p.simulated.name))
		return nil
	}
	return e
}

// build makes the nodes of the tree below root. There are no errors and no
// cycles, and the tree is at most machine.MaxDepth deep.
func (p *parser) build(e *entity) *machine.Node {
	if e.node != nil {
		return e.node
	}
	if e.leaf {
		e.node = machine.NewProcessor(e.name, e.power)
		return e.node
	}
	groups := make([]machine.Group, len(e.groups))
	for i, g := range e.groups {
		groups[i] = machine.Group{Count: g.count, Node: p.build(p.names[g.name])}
	}
	for l := p.names[e.other.name]; l != nil && !l.lent; l = p.names[l.other.name] {
		l.lent = true
	}
	md := machine.Medium{Kind: e.medium.kind, Channels: e.medium.channels, TStart: e.medium.start, TByte: e.medium.byteTime}
	e.node = machine.NewCluster(e.name, md, groups...)
	return e.node
}

// warnUnused warns of clusters that are not part of the machine. Libraries have
// many of them, so that only the file with the cluster statement is checked.
func (p *parser) warnUnused() {
	for _, e := range p.order {
		if e.node == nil && e.def.at.f == p.cluster.at.f && !e.lent {
			p.warnf(e.def.at, "par/unused", "found %q, which is no part of %q; remove it or list it in a cluster%s", e.name, p.simulated.name, diag.DidYouMean(e.name, keywords))
		}
	}
}
