package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
)

// knownRows finds the best known rows of a disjunct by exact traversal. Values of each variable are
// tried in order of their probabilities, and those that cannot lead to a row among the best are left
// out. The product of probabilities is the score of a row by model.NSMP.
type knownRows struct {
	*Search
	solver   exact.Solver
	calls    int // of the solver
	whole    *Part
	within   [][]int32
	best     shortlist
	complete bool
}

const (
	callWork      = 256 // the work that a call of the solver takes at least
	searchBudgets = 100 // how many budgets of a traversal the search for known rows may take
)

// wantsKnown reports whether known rows have to be looked for. Message passing knows each variable
// apart from the others, so that its best rows often combine values of several known rows: under
// model.NSMP alone, known rows stand first. Without statuses, the score alone orders rows.
func (s *Search) wantsKnown() bool {
	return s.Semantics == model.NSMP && s.Statuses && s.Known
}

// known returns the best known rows, the best first, as many as are kept, and reports whether the
// budget sufficed to find them.
func (s *Search) known(ctx context.Context) (list []*prefix, complete bool, err error) {
	k := &knownRows{Search: s, solver: exact.Solver{Context: ctx, Budget: s.Budget}, complete: true}
	for _, parts := range s.Rest {
		k.whole = parts[0] // in which nothing is given
		k.within = make([][]int32, len(k.whole.Plan.Disjuncts[0].Variables))
		k.best = shortlist{keep: s.rows.keep}
		k.extend(nil, 1)
		k.best.cut()
		list = append(list, k.best.list...)
	}
	slices.SortFunc(list, (*prefix).compare)
	list = slices.CompactFunc(list, func(a, b *prefix) bool { return slices.Equal(a.values, b.values) })
	return list[:min(len(list), s.rows.keep)], k.complete, ctx.Err()
}

// extend adds the rows that begin with some values, of that probability.
func (k *knownRows) extend(values []model.EntityID, probability float64) {
	k.calls++
	if k.solver.Spent()+k.calls*callWork > searchBudgets*k.Budget {
		k.complete = false
		return
	}
	v := len(values)
	at := k.whole.Places[v]
	found, err := k.solver.Values(exact.Facts{k.Model().Graph}, &k.whole.Plan.Disjuncts[0], k.whole.Bindings, at, k.within)
	if err != nil {
		k.complete = false
		return
	}

	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b int32) int { return cmp.Compare(k.probabilities[v][b], k.probabilities[v][a]) })
	for _, e := range found {
		p := prefix{probability: probability * float64(k.probabilities[v][e])}
		p.score = k.score(p.probability*k.behind[v+1], 0)
		p.bound = p.score
		if v == k.Variables-1 {
			k.best.add(p, values, model.EntityID(e))
			continue
		}
		p.values = append(slices.Clip(values), model.EntityID(e))
		if last := k.best.full(); last != nil && p.loses(last) {
			continue
		}
		k.within[at] = []int32{e}
		k.extend(p.values, p.probability)
		if !k.complete {
			break
		}
	}
	k.within[at] = nil
}

// precede puts the known rows before the others, and drops the last ones beyond the number kept.
func (s *Search) precede(known []*prefix) {
	has := map[string]bool{}
	for _, p := range known {
		has[p.key()] = true
	}
	others := slices.DeleteFunc(s.rows.list, func(p *prefix) bool { return has[p.key()] })
	list := slices.Concat(known, others)
	s.rows.list = list[:min(len(list), s.rows.keep)]
}
