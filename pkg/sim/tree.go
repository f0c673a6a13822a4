package sim

import (
	"dvmtools/pkg/call"
	"dvmtools/pkg/clock"
	"dvmtools/pkg/interval"
)

// node is an interval of the tree (docs/model.md#3-intervals).
type node struct {
	account clock.Account
	parent  *node
	level   int
	typ     interval.Type
	file    string
	line    int
	expr    *int64
	count   int64
	ops     interval.Operations
	kids    []*node
	byKey   map[nodeKey]*node
	// lines are its lines when they are wanted, in the order of first use.
	lines  []*lineAccount
	byLine map[lineKey]*lineAccount
}

// nodeKey identifies an interval among its siblings.
type nodeKey struct {
	typ     interval.Type
	file    string
	line    int
	expr    int64
	hasExpr bool
}

// tree are the intervals of the program.
type tree struct {
	root  *node
	cur   *node
	nodes []*node
	// accounts is how many accounts intervals and lines have, of has for each that
	// of the interval.
	accounts clock.Account
	of       []clock.Account
	// exchanges are those of all places, in the order of their first starts; none
	// when lines are not wanted.
	exchanges []*exchangesAt
}

func newTree(file string, line int) *tree {
	root := &node{typ: interval.Main, file: file, line: line, count: 1}
	return &tree{root: root, cur: root, nodes: []*node{root}, accounts: 1, of: []clock.Account{0}}
}

// newAccount returns an account that nothing has been booked to, of a line of
// interval n, or of a new interval for nil.
func (t *tree) newAccount(n *node) clock.Account {
	a := t.accounts
	t.accounts++
	if n != nil {
		t.of = append(t.of, n.account)
	} else {
		t.of = append(t.of, a)
	}
	return a
}

// begin enters an interval and returns its node; the caller counts it.
func (t *tree) begin(typ interval.Type, c *call.Call, expr *int64) *node {
	k := nodeKey{typ: typ, file: c.File, line: c.Line}
	if expr != nil {
		k.expr, k.hasExpr = *expr, true
	}
	n := t.cur.byKey[k]
	if n == nil {
		n = &node{account: t.newAccount(nil), parent: t.cur, level: t.cur.level + 1, typ: typ, file: c.File, line: c.Line, expr: expr}
		t.nodes = append(t.nodes, n)
		t.cur.kids = append(t.cur.kids, n)
		if t.cur.byKey == nil {
			t.cur.byKey = map[nodeKey]*node{}
		}
		t.cur.byKey[k] = n
	}
	t.cur = n
	return n
}

// open returns the type of the innermost open interval, main at the root.
func (t *tree) open() interval.Type {
	return t.cur.typ
}

// end leaves the innermost interval.
func (t *tree) end() {
	t.cur = t.cur.parent
}
