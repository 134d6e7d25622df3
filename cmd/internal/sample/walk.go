package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// walk fills the parameters of a template by walking through the graph.
type walk struct {
	*Template
	index *index
	rng   *rand.Rand
	// args are the values of the parameters; values are the values of the current pattern's variables, or unset.
	args, values []int32
	pattern      *scq.Disjunct
}

// term returns the value of a term.
func (w *walk) term(t scq.Term) int32 {
	if t.Constant {
		return w.slots.entity(t.Index, w.args)
	}
	return w.values[t.Index]
}

// setTerm gives a term its value.
func (w *walk) setTerm(t scq.Term, e int32) {
	if t.Constant {
		w.args[w.slots.Constants[t.Index].Index] = e
	} else {
		w.values[t.Index] = e
	}
}

// relation returns the relation of an atom, inverted if back is set.
func (w *walk) relation(a scq.Atom, back bool) int32 {
	r := w.slots.relation(a.Relation, w.args)
	if back && r != unset {
		r ^= 1
	}
	return r
}

// setRelation sets the relation of an atom.
func (w *walk) setRelation(a scq.Atom, r int32) {
	s := w.slots.Relations[a.Relation]
	if s.Inverse {
		r ^= 1
	}
	w.args[s.Index] = r
}

// through fills all terms and relations of the atoms so that each holds in the graph, negated atoms too. It reports
// false at a dead end.
func (w *walk) through(atoms []scq.Atom) bool {
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
		open = rest
		if len(open) > 0 && !w.draw(w.next(open), open) {
			return false
		}
	}
	return true
}

// close fills or checks the relation of an atom whose ends have values. It chooses a relation that no other atom
// between the same ends has.
func (w *walk) close(a scq.Atom, atoms []scq.Atom) bool {
	h := w.term(a.Head)
	t := w.term(a.Tail)
	if r := w.relation(a, false); r != unset {
		return w.index.graph.Has(graph.EntityID(h), graph.RelationID(r), graph.EntityID(t))
	}
	choices := slices.DeleteFunc(w.index.between(h, t), func(r int32) bool {
		return slices.ContainsFunc(atoms, func(o scq.Atom) bool {
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

// next returns the term to draw: the one that most atoms link to terms with values, otherwise the first variable;
// variables before constants.
func (w *walk) next(open []scq.Atom) scq.Term {
	best := scq.Term{}
	bestRank := -1
	for _, a := range open {
		for _, t := range []scq.Term{a.Head, a.Tail} {
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
				best = t
				bestRank = rank
			}
		}
	}
	return best
}
