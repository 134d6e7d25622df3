package sample

import (
	"slices"

	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/scq"
)

// otherRelations is the number of relations that FIT tries for a negated atom besides the relations of its ends.
const otherRelations = 10

// fit fills a template of one disjunct as FIT does: first all terms, each with a neighbour, by any relation, of its
// linked term; then the relations between them; last the relations of negated atoms, so that each changes the
// answers.
func (s *Sampler) fit(w *walk, solver *exact.Solver) (bool, error) {
	w.pattern, w.values = &w.patterns[0], slices.Repeat([]int32{unset}, len(w.patterns[0].Variables))
	positive, negated := signed(w.pattern)
	q := newSkeleton(positive, negated)
	if !w.terms(q) || !w.through(positive) {
		return false, nil
	}
	p := &scq.Disjunct{Variables: w.pattern.Variables, Atoms: positive}
	without, err := solver.Answers(s.full, []scq.Disjunct{*p}, w.slots.bind(w.args))
	if err != nil || s.options.MaxHard > 0 && len(without) > fitPositive*s.options.MaxHard {
		return false, err
	}
	for _, a := range negated {
		if ok, err := s.negate(w, solver, p, a, without); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// negate gives a negated atom a relation that excludes some but not all of the answers without it: one between the
// current entities, or one from some values of its head and to some values of its tail.
func (s *Sampler) negate(w *walk, solver *exact.Solver, positive *scq.Disjunct, a scq.Atom, without []int32) (bool, error) {
	choices := w.index.between(w.term(a.Head), w.term(a.Tail))
	shuffle(w.rng, choices)
	var at [2][]int32
	for i, end := range []scq.Term{a.Head, a.Tail} {
		values := []int32{w.term(end)}
		if !end.Constant {
			var err error
			values, err = solver.Values(exact.Facts{s.full}, positive, w.slots.bind(w.args), end.Index, make([][]int32, len(positive.Variables)))
			if err != nil {
				return false, err
			}
		}
		at[i] = w.index.leaving(values)
	}
	others := slices.DeleteFunc(at[0], func(r int32) bool {
		_, comes := slices.BinarySearch(at[1], r^1)
		return !comes || slices.Contains(choices, r)
	})
	shuffle(w.rng, others)
	for _, r := range append(choices, others[:min(len(others), otherRelations)]...) {
		w.setRelation(a, r)
		all, err := solver.Answers(s.full, w.patterns, w.slots.bind(w.args))
		if err != nil {
			return false, err
		}
		if len(all) > 0 && len(all) < len(without) {
			return true, nil
		}
	}
	return false, nil
}

// skeleton is the query graph without relations: the number of atoms between two terms.
type skeleton struct {
	terms []scq.Term
	ties  map[[2]scq.Term]int
}

// newSkeleton counts the positive atoms, and negated ones between terms that occur in positive atoms, but not
// together.
func newSkeleton(positive, negated []scq.Atom) *skeleton {
	q := &skeleton{ties: map[[2]scq.Term]int{}}
	tie := func(a scq.Atom) {
		for _, t := range []scq.Term{a.Head, a.Tail} {
			if !slices.Contains(q.terms, t) {
				q.terms = append(q.terms, t)
			}
		}
		q.ties[[2]scq.Term{a.Head, a.Tail}]++
		q.ties[[2]scq.Term{a.Tail, a.Head}]++
	}
	for _, a := range positive {
		tie(a)
	}
	for _, a := range negated {
		if slices.Contains(q.terms, a.Head) && slices.Contains(q.terms, a.Tail) && q.ties[[2]scq.Term{a.Head, a.Tail}] == 0 {
			tie(a)
		}
	}
	return q
}

// order returns the terms in the order of drawing: terms with a single neighbour come last, the first of them at the
// very end, and so on.
func (q *skeleton) order() []scq.Term {
	left := slices.Clone(q.terms)
	last := []scq.Term(nil)
	for {
		i := slices.IndexFunc(left, func(t scq.Term) bool {
			others := 0
			for _, o := range left {
				others += min(1, q.ties[[2]scq.Term{t, o}])
			}
			return others == 1
		})
		if i < 0 {
			slices.Reverse(last)
			return append(left, last...)
		}
		last = append(last, left[i])
		left = slices.Delete(left, i, i+1)
	}
}

// terms draws all terms of a skeleton: the first one anywhere, each other one among the entities that enough facts
// link to its drawn neighbours.
func (w *walk) terms(q *skeleton) bool {
	order := q.order()
	w.setTerm(order[0], pick(w.rng, w.index.nodes))
	return w.rest(q, order, 1)
}

func (w *walk) rest(q *skeleton, order []scq.Term, from int) bool {
	if from == len(order) {
		return true
	}
	t := order[from]
	var fit []int32
	for _, o := range order[:from] {
		ties := q.ties[[2]scq.Term{t, o}]
		if ties == 0 {
			continue
		}
		e := w.term(o)
		near := slices.DeleteFunc(slices.Clone(w.index.neighbors[e]), func(x int32) bool {
			_, fits := slices.BinarySearch(fit, x)
			return fit != nil && !fits || ties > 1 && len(w.index.between(e, x)) < ties
		})
		fit = near
		if len(fit) == 0 {
			return false
		}
	}
	shuffle(w.rng, fit)
	for _, e := range fit {
		w.setTerm(t, e)
		if w.rest(q, order, from+1) {
			return true
		}
	}
	w.setTerm(t, unset)
	return false
}

// leaving returns the relations with facts from some of the entities, ascending.
func (x *index) leaving(entities []int32) []int32 {
	var list []int32
	for _, e := range entities {
		list = append(list, x.relations[x.offsets[e]:x.offsets[e+1]]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
