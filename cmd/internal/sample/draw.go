package sample

import (
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// maxDraws is the number of entities to try for an unconstrained term.
const maxDraws = 100

// choice is the set of constraints on a term by open atoms.
type choice struct {
	index *index
	// near are sets that must contain the value; each comes from an atom whose other end has a value.
	near [][]int32
	// leads are required relations of the value.
	leads []int32
	// free is the last of the atoms of near with an open relation, from the value at its other end, and back says
	// that it is read backwards from there.
	free *scq.Atom
	from int32
	back bool
}

// choiceOf collects the constraints of the open atoms on a term without a value.
func (w *walk) choiceOf(t scq.Term, open []scq.Atom) *choice {
	c := &choice{index: w.index}
	for i, a := range open {
		if a.Head != t && a.Tail != t {
			continue
		}
		other := a.Head
		back := a.Tail != t
		if back {
			other = a.Tail
		}
		e := w.term(other)
		r := w.relation(a, back)
		switch {
		case e == unset && r != unset:
			c.leads = append(c.leads, r^1)
		case e != unset && r != unset:
			c.near = append(c.near, w.index.graph.Tails(graph.EntityID(e), graph.RelationID(r)))
		case e != unset:
			c.near = append(c.near, w.index.neighbors[e])
			c.free = &open[i]
			c.from = e
			c.back = back
		}
	}
	return c
}

// draw gives a term a value that satisfies each open atom individually.
func (w *walk) draw(t scq.Term, open []scq.Atom) bool {
	c := w.choiceOf(t, open)
	if c.free != nil && len(c.near) == 1 && len(c.leads) == 0 {
		r, e, ok := w.index.edge(w.rng, c.from)
		if !ok {
			return false
		}
		if c.back {
			r ^= 1
		}
		w.setRelation(*c.free, r)
		w.setTerm(t, e)
		return true
	}
	if len(c.near) == 0 {
		base := c.base()
		for range maxDraws {
			if len(base) == 0 {
				return false
			}
			if e := pick(w.rng, base); c.fits(e) {
				w.setTerm(t, e)
				return true
			}
		}
		return false
	}
	least := slices.MinFunc(c.near, func(a, b []int32) int { return len(a) - len(b) })
	var fit []int32
	for _, e := range least {
		if c.fits(e) {
			fit = append(fit, e)
		}
	}
	if len(fit) == 0 {
		return false
	}
	w.setTerm(t, pick(w.rng, fit))
	return true
}

// base returns the values to draw from without near sets: the heads of a required relation, once per fact, or all
// entities with edges.
func (c *choice) base() []int32 {
	if len(c.leads) > 0 {
		heads, _ := c.index.graph.Edges(graph.RelationID(c.leads[0]))
		return heads
	}
	return c.index.nodes
}

// fits reports whether a value satisfies each of the atoms.
func (c *choice) fits(e int32) bool {
	g := c.index.graph
	id := graph.EntityID(e)
	for _, set := range c.near {
		if _, found := slices.BinarySearch(set, e); !found {
			return false
		}
	}
	for _, r := range c.leads {
		if len(g.Tails(id, graph.RelationID(r))) == 0 {
			return false
		}
	}
	return true
}
