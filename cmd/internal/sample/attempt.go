package sample

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/scq"
)

// outcome is the result of an attempt. Without a query it was rejected; overBudget says that its answers took too
// much work.
type outcome struct {
	query      *queryset.Case
	key        string // the same for queries that count as one
	overBudget bool
}

// attempt draws one query.
func (s *Sampler) attempt(t *Template, solver *exact.Solver, rng *rand.Rand, number int) outcome {
	args, err := s.ground(t, solver, rng, number)
	if args == nil || err != nil {
		return outcome{overBudget: err != nil}
	}
	if t.trivial(args, s.options.Like) {
		return outcome{}
	}
	q, err := s.answer(t, solver, args)
	if q == nil || err != nil {
		return outcome{overBudget: err != nil}
	}
	key := fmt.Sprint(args) // identifies queries as the published protocols do
	if s.options.Like == Own {
		key = fmt.Sprint(t.keys(args))
	}
	return outcome{query: q, key: key}
}

// own fills all disjuncts, one by one.
func (w *walk) own(solver *exact.Solver) (bool, error) {
	for i := range w.patterns {
		if ok, err := w.disjunct(&w.patterns[i], solver); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// disjunct fills the free slots of a pattern: the positive atoms linked to the answer, then each negated atom with
// the atoms attached to it, then the rest. The error comes from the solver.
func (w *walk) disjunct(p *scq.Disjunct, solver *exact.Solver) (bool, error) {
	w.pattern, w.values = p, slices.Repeat([]int32{unset}, len(p.Variables))
	positive, negated := signed(p)
	main, rest := linked([]int{0}, positive)
	if !w.through(main) {
		return false, nil
	}
	for _, a := range negated {
		group, others := linked(variables(a), rest)
		if ok, err := w.otherSolution(main, solver); !ok || err != nil {
			return false, err
		}
		if !w.through(append([]scq.Atom{a}, group...)) {
			return false, nil
		}
		rest = others
	}
	return w.through(rest), nil
}

// signed returns the positive and the negated atoms of a pattern.
func signed(p *scq.Disjunct) (positive, negated []scq.Atom) {
	for _, a := range p.Atoms {
		if a.Negated {
			negated = append(negated, a)
		} else {
			positive = append(positive, a)
		}
	}
	return positive, negated
}

// otherSolution gives the variables of the atoms the values of another solution, preferably with another answer.
func (w *walk) otherSolution(atoms []scq.Atom, solver *exact.Solver) (bool, error) {
	p := &scq.Disjunct{Variables: w.pattern.Variables, Atoms: atoms}
	b := w.slots.bind(w.args)
	within := make([][]int32, len(p.Variables))
	for v, old := range w.values {
		if old == unset {
			continue
		}
		values, err := solver.Values(exact.Facts{w.index.graph}, p, b, v, within)
		if err != nil || len(values) == 0 {
			return false, err
		}
		w.values[v] = pick(w.rng, values)
		if v == 0 && len(values) > 1 && w.values[0] == old {
			i, _ := slices.BinarySearch(values, old)
			w.values[0] = values[(i+1+w.rng.IntN(len(values)-1))%len(values)]
		}
		within[v] = []int32{w.values[v]}
	}
	return true, nil
}

// variables returns the variables of an atom.
func variables(a scq.Atom) []int {
	var out []int
	for _, t := range []scq.Term{a.Head, a.Tail} {
		if !t.Constant {
			out = append(out, t.Index)
		}
	}
	return out
}

// linked splits atoms into those that a path of atoms links to one of the variables, and the others.
func linked(from []int, atoms []scq.Atom) (in, out []scq.Atom) {
	reached := slices.Clone(from)
	out = slices.Clone(atoms)
	for before := -1; before != len(out); {
		before = len(out)
		out = slices.DeleteFunc(out, func(a scq.Atom) bool {
			ends := variables(a)
			if !slices.ContainsFunc(ends, func(v int) bool { return slices.Contains(reached, v) }) {
				return false
			}
			reached = append(reached, ends...)
			return true
		})
	}
	in = slices.DeleteFunc(slices.Clone(atoms), func(a scq.Atom) bool { return slices.Contains(out, a) })
	return in, out
}
