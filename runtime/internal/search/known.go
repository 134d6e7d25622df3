package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
)

// knownRows finds the best known rows of a disjunct by exact traversal. It tries values of each variable in order of
// their probabilities, and skips those that cannot give one of the best rows. The truth degree of a known row counts
// as 1, which holds unless an atom is negated.
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

	mostGraded   = 4096 // the known rows whose truth degrees are computed
	gradedAtOnce = 256
)

// wantsKnown reports whether to search for known rows. Message passing treats variables independently, so its best
// rows often combine values of several known rows: therefore known rows come first under model.NSMP. Without
// statuses, the score alone orders rows.
func (s *Search) wantsKnown() bool { return s.Semantics == model.NSMP && s.Known }

// known returns the best known rows, best first, up to the number kept, and reports whether the budget sufficed.
func (s *Search) known(ctx context.Context) (list []*prefix, complete bool, err error) {
	k := &knownRows{Search: s, solver: exact.Solver{Context: ctx}, complete: true}
	for _, parts := range s.Rest {
		k.whole = parts[0] // the part without given values
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

// extend adds the rows that begin with the given values, of that probability.
func (k *knownRows) extend(values []graph.EntityID, probability float64) {
	k.calls++
	k.solver.Budget = searchBudgets*k.Budget - k.solver.Spent() - k.calls*callWork
	if k.solver.Budget <= 0 {
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
	if k.probabilities != nil {
		slices.SortStableFunc(found, func(a, b int32) int { return cmp.Compare(k.probabilities[v][b], k.probabilities[v][a]) })
	}
	for _, e := range found {
		p := prefix{probability: probability}
		if k.probabilities != nil {
			p.probability *= float64(k.probabilities[v][e])
		}
		p.score = k.score(p.probability*k.behind[v+1], 1)
		p.bound = p.score
		if v == k.Variables-1 {
			k.best.add(p, values, graph.EntityID(e))
			continue
		}
		p.values = append(slices.Clip(values), graph.EntityID(e))
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

// onlyKnown finds the best known rows by exact traversal, and computes truth degrees only if an atom is negated.
func (s *Search) onlyKnown(ctx context.Context) (err error) {
	keep := s.rows.keep
	grades := s.Semantics != model.NSMP && slices.Contains(s.negates, true)
	if grades {
		s.rows.keep = max(keep, mostGraded)
	}
	var complete bool
	s.rows.list, complete, err = s.known(ctx)
	s.cut = !complete || err != nil
	if grades && err == nil {
		s.cut = s.cut || len(s.rows.list) == s.rows.keep
		s.rows.list, err = s.graded(ctx, s.rows.list)
		slices.SortFunc(s.rows.list, (*prefix).compare)
	}
	s.cut = s.cut || err != nil
	s.proved = !s.cut
	s.rows.list = s.rows.list[:min(len(s.rows.list), keep)]
	return err
}

// graded scores rows by their truth degrees, and like extend leaves out rows of degree 0; if ctx ends, it returns
// the rows scored so far.
func (s *Search) graded(ctx context.Context, rows []*prefix) (graded []*prefix, err error) {
	for some := range slices.Chunk(rows, gradedAtOnce) {
		level := []*prefix{s.root()}
		for v := range s.Variables {
			behind := map[string][]graph.EntityID{}
			for _, r := range some {
				before := prefix{values: r.values[:v]}
				key := before.key()
				if !slices.Contains(behind[key], r.values[v]) {
					behind[key] = append(behind[key], r.values[v])
				}
			}
			var next []*prefix
			err := s.each(ctx, level, func(x *step) {
				for _, e := range behind[x.key()] {
					p := s.after(x, e, slices.Clone(x.prefix.own))
					if p.bound == 0 {
						continue
					}
					p.values = append(slices.Clip(x.values), e)
					next = append(next, &p)
				}
			})
			if err != nil {
				return graded, err
			}
			level = next
			if len(level) == 0 {
				break
			}
		}
		graded = append(graded, level...)
	}
	return graded, nil
}

// precede puts the known rows before the others, and truncates the list to the number kept.
func (s *Search) precede(known []*prefix) {
	has := map[string]bool{}
	for _, p := range known {
		has[p.key()] = true
	}
	others := slices.DeleteFunc(s.rows.list, func(p *prefix) bool { return has[p.key()] })
	list := slices.Concat(known, others)
	s.rows.list = list[:min(len(list), s.rows.keep)]
}
