package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/runtime"
)

// walk fills the parameters of a template by walking through the graph.
type walk struct {
	*Template
	index *index
	rng   *rand.Rand
	// args are the values of the parameters, values those of the variables of
	// the pattern under way; unset where there is none.
	args, values []int32
	pattern      *runtime.Pattern
}

// term returns the value of a term.
func (w *walk) term(t runtime.PatternTerm) int32 {
	if t.Constant {
		return w.constants[t.Index].value(w.args)
	}
	return w.values[t.Index]
}

// setTerm gives a term its value.
func (w *walk) setTerm(t runtime.PatternTerm, e int32) {
	if t.Constant {
		w.args[w.constants[t.Index].param] = e
	} else {
		w.values[t.Index] = e
	}
}

// relation returns the relation of an atom, read backwards if back is set.
func (w *walk) relation(a runtime.PatternAtom, back bool) int32 {
	r := w.relations[a.Relation].value(w.args)
	if back && r != unset {
		r ^= 1
	}
	return r
}

// setRelation gives the relation of an atom its value.
func (w *walk) setRelation(a runtime.PatternAtom, r int32) {
	s := w.relations[a.Relation]
	if s.inverse {
		r ^= 1
	}
	w.args[s.param] = r
}

// through fills all terms and relations of the atoms so that each holds in the
// graph, whatever its sign. It reports false where the walk leads nowhere.
func (w *walk) through(atoms []runtime.PatternAtom) bool {
	open := slices.Clone(atoms)
	for len(open) > 0 {
		rest := open[:0]
		for _, a := range open {
			if w.term(a.Head) == unset || w.term(a.Tail) == unset {
				rest = append(rest, a)
			} else if !w.close(a, atoms) {
				return false
			}
		}
		if open = rest; len(open) > 0 && !w.draw(w.next(open), open) {
			return false
		}
	}
	return true
}

// close fills or checks the relation of an atom whose ends have values. It is to
// be another one than those of the atoms between the same ends.
func (w *walk) close(a runtime.PatternAtom, atoms []runtime.PatternAtom) bool {
	h, t := w.term(a.Head), w.term(a.Tail)
	if r := w.relation(a, false); r != unset {
		return w.index.graph.Has(runtime.EntityID(h), runtime.RelationID(r), runtime.EntityID(t))
	}
	choices := slices.DeleteFunc(w.index.between(h, t), func(r int32) bool {
		return slices.ContainsFunc(atoms, func(o runtime.PatternAtom) bool {
			return o.Head == a.Head && o.Tail == a.Tail && w.relation(o, false) == r ||
				o.Head == a.Tail && o.Tail == a.Head && w.relation(o, true) == r
		})
	})
	if len(choices) == 0 {
		return false
	}
	w.setRelation(a, pick(w.rng, choices))
	return true
}

// next returns the term to draw: the one that most atoms tie to what has a value,
// the first variable if none is tied, variables before constants.
func (w *walk) next(open []runtime.PatternAtom) runtime.PatternTerm {
	best, bestRank := runtime.PatternTerm{}, -1
	for _, a := range open {
		for _, t := range []runtime.PatternTerm{a.Head, a.Tail} {
			if w.term(t) != unset {
				continue
			}
			rank := 0
			for _, o := range open {
				if o.Head == t && w.term(o.Tail) != unset || o.Tail == t && w.term(o.Head) != unset {
					rank += 4
				}
			}
			if !t.Constant {
				rank++
				if t.Index == 0 {
					rank++
				}
			}
			if rank > bestRank {
				best, bestRank = t, rank
			}
		}
	}
	return best
}

// draw gives a term a value that agrees with each open atom by itself.
func (w *walk) draw(t runtime.PatternTerm, open []runtime.PatternAtom) bool {
	var near [][]int32 // one of which the value must be in, each
	var alone *runtime.PatternAtom
	type filter struct {
		relation int32
		loop     bool
	}
	var filters []filter
	var from int32
	var backwards bool
	ties := 0
	for i, a := range open {
		if a.Head != t && a.Tail != t {
			continue
		}
		other, back := a.Head, a.Tail != t // seen from the other end
		if back {
			other = a.Tail
		}
		e, r := w.term(other), w.relation(a, back)
		switch {
		case a.Head == a.Tail:
			filters = append(filters, filter{r, true})
		case e == unset && r != unset:
			filters = append(filters, filter{r ^ 1, false})
		case e != unset && r != unset:
			ties++
			near = append(near, w.index.graph.Tails(runtime.EntityID(e), runtime.RelationID(r)))
		case e != unset:
			ties++
			near = append(near, w.index.neighbors[e])
			alone, from, backwards = &open[i], e, back
		}
	}
	if ties == 1 && alone != nil && len(filters) == 0 {
		r, e, ok := w.index.edge(w.rng, from)
		if !ok {
			return false
		}
		if backwards {
			r ^= 1
		}
		w.setRelation(*alone, r)
		w.setTerm(t, e)
		return true
	}
	fits := func(e int32) bool {
		for _, set := range near {
			if _, found := slices.BinarySearch(set, e); !found {
				return false
			}
		}
		for _, f := range filters {
			switch {
			case f.loop && f.relation == unset:
				if _, found := slices.BinarySearch(w.index.neighbors[e], e); !found {
					return false
				}
			case f.loop:
				if !w.index.graph.Has(runtime.EntityID(e), runtime.RelationID(f.relation), runtime.EntityID(e)) {
					return false
				}
			case len(w.index.graph.Tails(runtime.EntityID(e), runtime.RelationID(f.relation))) == 0:
				return false
			}
		}
		return true
	}
	base := w.index.nodes
	for _, f := range filters {
		if f.relation != unset {
			heads, _ := w.index.graph.Edges(runtime.RelationID(f.relation))
			if len(near) == 0 && len(heads) > 0 {
				base = heads // as often as it has the relation
			}
		}
	}
	for _, set := range near {
		if len(set) < len(base) {
			base = set
		}
	}
	var choices []int32
	if len(near) == 0 {
		// Sets of the size of the graph: try a few.
		for range 100 {
			if len(base) == 0 {
				return false
			}
			if e := pick(w.rng, base); fits(e) {
				choices = []int32{e}
				break
			}
		}
	} else {
		for _, e := range base {
			if fits(e) {
				choices = append(choices, e)
			}
		}
	}
	if len(choices) == 0 {
		return false
	}
	w.setTerm(t, pick(w.rng, choices))
	return true
}
