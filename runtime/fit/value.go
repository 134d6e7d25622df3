package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/exchange"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Set is a fuzzy set over the entities: the same for all branches, or one per branch.
type Set struct {
	state
	each []*fuzzy.Set
	made origin
}

// origin records how a set was made, for the tracer.
type origin struct {
	op       op
	index    int // of an atom or a variable
	of       *Set
	with     []*Set
	rows     []*AtomRows
	branches *Branches
	constant graph.EntityID
	relation graph.RelationID
	negated  bool
}

// op identifies the op that made a set.
type op uint8

const (
	anything op = iota
	row
	peak
	diagonal
	push // Push times the known degrees
	leaf
	other
	each
	follow
	join
	times
	either
)

// Candidates are the best entities of a variable, best first. Some, the best at first, have rows of their own; the
// others only have rows of observed links.
type Candidates struct {
	state
	ids      []int32
	withRows []int32   // indices into ids, ascending
	exact    []float32 // exact degrees of the first ones

	of    *Set // the degrees of the variable
	times []*Set
	most  int // the bound on their number
}

// AtomRows holds a row per candidate under a directed relation, negated if the atom is, or under an inequality.
type AtomRows struct {
	state
	top      *Candidates
	relation graph.RelationID
	negated  bool
	unequal  bool // of an inequality, which has no atom
	atom     int
	each     []*fuzzy.Set
}

// Branches are the combinations of values of the variables in the cutset.
type Branches struct {
	state
	weights []float32 // products of the degrees of the values
	parents []int32   // branches of from
	values  []int32   // candidates of top
	top     *Candidates
	from    *Branches   // nil for the root
	of      *Set        // the degrees of the values
	rows    []*AtomRows // the rows that branches continue by
	index   int         // the variable
}

// state is the progress of a value.
type state uint8

const (
	made  state = iota
	again       // recomputed: it may differ from the result of observed links
	waits       // deferred
)

// worst returns the state of values that depend on x.
func worst[T interface{ at() state }](x []T) (s state) {
	for _, y := range x {
		s = max(s, y.at())
	}
	return s
}

func (s *state) at() state { return *s }

// branch returns the fuzzy set of branch b.
func (s *Set) branch(b int) *fuzzy.Set {
	if len(s.each) == 1 {
		return s.each[0]
	}
	return s.each[b]
}

// single returns the fuzzy set of a set that is the same for all branches.
func (s *Set) single() *fuzzy.Set { return s.each[0] }

// degree returns the degree of candidate i of a variable without branches.
func (c *Candidates) degree(i int32) float32 { return c.of.single().At(c.ids[i]) }

// asGood reports whether the best candidate without a row has the best degree.
func (c *Candidates) asGood() bool {
	n := len(c.withRows)
	return c.state == made && n > 0 && n < len(c.ids) && c.degree(int32(n)) >= c.degree(0)
}

// changes reports whether branch b of a set may differ from the result of observed links alone.
func (s *Set) changes(b int) bool {
	return s.state == again && (len(s.each) == 1 || s.made.changes(b))
}

// changes reports whether branch b of a set made by o may differ from its value along observed links:
// in a branch, only values with rows bring changes.
func (o *origin) changes(b int) bool {
	if o.branches != nil && o.branches.state == again {
		return true
	}
	switch o.op {
	case each:
		return slices.ContainsFunc(o.rows, func(r *AtomRows) bool {
			_, has := slices.BinarySearch(r.top.withRows, o.branches.values[b])
			return has && r.state == again
		})
	case follow:
		return o.of.changes(int(o.branches.parents[b]))
	case times:
		return slices.ContainsFunc(o.with, func(x *Set) bool { return x.changes(b) })
	}
	return true
}

// apart reports whether the links of a push include an inequality, which excludes links to the entity itself.
func apart(rows []*AtomRows) bool {
	return slices.ContainsFunc(rows, func(r *AtomRows) bool { return r.unequal })
}

// linked reports whether a link of r is observed from entity c to the entity of row t, on a part of a split model.
func (r *AtomRows) linked(g *graph.Graph, p *exchange.Shard, c, t int32) bool {
	if r.unequal {
		return c == p.Global(t)
	}
	return g.Has(graph.EntityID(c), r.relation, graph.EntityID(t))
}

// linkedBack reports whether the link of r is observed from the entity of row c to entity e.
func (r *AtomRows) linkedBack(g *graph.Graph, p *exchange.Shard, c, e int32) bool {
	if r.unequal {
		return p.Global(c) == e
	}
	return g.Has(graph.EntityID(e), r.relation.Inverse(), graph.EntityID(c))
}
