package fit

import (
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
)

// contest decides which rows of candidates can change the k best answers. Observed links alone give entities their
// least degrees, and the k-th best answer the score τ. A candidate of degree x gives entity e at most
//
//	T(limit, x)                     for any e; x where the atom is negated
//	T(P(e), T(x, known(e)))         in the push that is the answer, by the candidate's row P
//
// and is outdone if that takes no entity to τ. The second bound applies to contenders: the usually few entities that
// reach τ by the first. It bounds P(e) by some dozen rows of the table instead of all: see request.bound.
type contest struct {
	*sharpener
	*deferral
	scorer Scorer
	most   []float32 // upper bounds of the probabilities in a mixture, nil for degrees alone
	least  []float32
	tau    float32
	log    float64        // of τ in a mixture
	terms  int            // of deferred disjunctions: each may raise a degree
	last   [2][]*AtomRows // the rows for the answer: in its push, and in branches that narrow it
	known  *fuzzy.Set     // the degrees that also narrow that push, fuzzy.All if none do
	lowest *fuzzy.Set     // the answer without the rows, nil where known is fuzzy.All
	near   float32        // the tolerance for rounding and coarse degrees in comparisons of bounds with τ
	asked  float32        // the last argument of leastOf
	found  float32        // its result
}

// How many contenders get bounds of their own, and how many entities a failed test skips at once.
const (
	maxContenders = 256
	passedOver    = 64
)

// near allows for rounding in comparisons of bounds with τ.
const near = 1 + 1e-6

// newContest returns the contest of the steps deferred in d for an answer of score tau or more, which is a degree if
// most is nil.
func newContest(m *sharpener, d *deferral, answer *Set, most []float32, tau float32) contest {
	c := contest{sharpener: m, deferral: d, most: most, least: d.pending.degrees, tau: tau, terms: d.unions(), known: fuzzy.All, near: near}
	last := answer
	if last.made.op == join { // of branches
		last = last.made.of
	}
	if o := &last.made; o.op == push && c.terms == 0 {
		c.last[0] = o.rows
		for _, known := range o.with {
			if known.made.op == each {
				c.last[1] = known.made.rows
			} else if last == answer && !slices.ContainsFunc(d.steps, func(x step) bool { return x.set == known }) {
				c.known = known.single()
				c.lowest = answer.single()
			}
		}
	}
	if c.known != fuzzy.All || c.terms > 0 {
		c.near *= m.Slack()
	}
	switch {
	case most != nil:
		c.scorer = NewScorer(m.settings.Mixture)
		c.log = c.scorer.Log(tau) - 1e-6
	case c.terms > 0 || c.known != fuzzy.All: // otherwise degrees alone decide
		c.least = m.arena.Floats.Take(m.arena.N)
		answer.single().Dense(c.least)
	}
	return c
}

// drop removes the rows of candidates that are outdone.
func (c *contest) drop(rows []*AtomRows) {
	for i, r := range rows {
		top := r.top
		of := func(o *AtomRows) bool { return o.top == r.top }
		most := float32(atoms.Limit)
		switch {
		case slices.ContainsFunc(rows[:i], of):
			continue
		case c.waits(func(o *AtomRows) bool { return of(o) && o.negated }):
			most = 1
		case slices.ContainsFunc(c.last[0], of), slices.ContainsFunc(c.last[1], of):
			elsewhere := c.leadElsewhere(top)
			top.withRows = slices.DeleteFunc(top.withRows, func(i int32) bool { return c.outdone(top, i, elsewhere) })
			continue
		}
		for n := len(top.withRows); n > 0; n-- {
			if _, none := c.contenders(c.arena.Norm.Both(most, c.degree(top, top.withRows[n-1])), 0); !none {
				break
			}
			top.withRows = top.withRows[:n-1]
		}
	}
}

// leadElsewhere reports whether some deferred rows of the candidates contribute to more than the answer.
func (c *contest) leadElsewhere(top *Candidates) bool {
	return c.waits(func(r *AtomRows) bool {
		return r.top == top && !slices.Contains(c.last[0], r) && !slices.Contains(c.last[1], r)
	})
}

// contenders lists the entities that a contribution of the given degree takes to τ, and reports whether there are at
// most most of them.
func (c *contest) contenders(degree float32, most int) (list []int32, whole bool) {
	list = c.arena.Ints.Take(most)[:0]
	needed := c.needed(degree * near)
	add := func(e int32, known float32) bool {
		switch {
		case c.most != nil && c.most[e] < needed, !c.comes(e, c.arena.Norm.Both(degree, known)), c.full(e, known):
			return true
		case len(list) == most:
			return false
		}
		list = append(list, e)
		return true
	}
	if !c.known.Wide() {
		for i, e := range c.known.IDs {
			if !add(e, c.known.Deg[i]) {
				return nil, false
			}
		}
		return list, true
	}
	if c.most == nil && c.terms == 0 && c.known == fuzzy.All { // most entities come to the degree
		return nil, degree*c.near < c.tau
	}
	for lo := 0; lo < c.arena.N; lo += passedOver {
		hi := min(lo+passedOver, c.arena.N)
		switch {
		case c.most != nil && simd.Max(c.most[lo:hi]) < needed:
			continue
		case c.most == nil && c.known.Full != nil && c.arena.Norm.Both(degree, simd.Max(c.known.Full[lo:hi]))*c.near < c.tau:
			continue
		}
		for e := lo; e < hi; e++ {
			if !add(int32(e), c.known.At(int32(e))) {
				return nil, false
			}
		}
	}
	return list, true
}

// full reports whether an entity has all of its known degree without the rows, which cannot raise it then.
func (c *contest) full(e int32, known float32) bool {
	return c.lowest != nil && c.lowest.At(e) >= known
}

// needed returns a lower bound on the probability that an entity needs to reach τ with a degree; in a disjunction
// other terms may raise the degree.
func (c *contest) needed(degree float32) float32 {
	switch {
	case c.most == nil:
		return 0
	case c.terms > 0:
		degree = near
	}
	return c.scorer.Probability(c.log, degree)
}

// degree bounds the degree of candidate i.
func (c *contest) degree(top *Candidates, i int32) float32 {
	if int(i) < len(top.exact) {
		return top.exact[i]
	}
	return top.degree(i) * c.Slack()
}

// comes reports whether a degree exceeds an entity's own and takes it to τ.
func (c *contest) comes(e int32, degree float32) bool {
	if c.terms > 0 {
		degree *= c.near
		raised := degree
		for range c.terms - 1 {
			raised = c.arena.Norm.Either(raised, degree)
		}
		degree = c.arena.Norm.Either(c.least[e], raised)
	}
	switch {
	case c.least[e] >= 1, c.least[e] >= degree*c.Slack():
		return false
	case c.most == nil:
		return degree*c.near >= c.tau
	}
	p := c.most[e]
	degree *= c.near
	return c.scorer.Rough(p, degree) >= c.log-RoughError && p >= c.leastOf(degree)
}

// leastOf caches the least probability that reaches τ with a degree, which many entities share.
func (c *contest) leastOf(degree float32) float32 {
	if degree != c.asked {
		c.asked = degree
		c.found = c.scorer.Probability(c.log, degree)
	}
	return c.found
}

// outdone reports whether the rows of candidate i take no contender to τ. elsewhere says that the answer does not use
// some of these rows directly.
func (c *contest) outdone(top *Candidates, i int32, elsewhere bool) bool {
	degree := c.degree(top, i)
	list, whole := c.contenders(c.arena.Norm.Both(atoms.Limit, degree), maxContenders)
	if !whole || len(list) == 0 {
		return whole
	}
	bounds := c.arena.Floats.Take(len(list))
	news := c.arena.Ints.Take(len(list))
	clear(news)
	for i, e := range list {
		bounds[i] = c.arena.Norm.Both(degree, c.known.At(e))
		if elsewhere {
			news[i] = 1
		}
	}
	for _, rows := range c.last {
		for _, r := range rows {
			if r.top == top && !r.negated {
				c.request.Bound(&c.arena, bounds, news, list, atoms.Key{H: top.ids[i], R: r.relation})
			}
		}
	}
	for i, e := range list {
		if news[i] > 0 && c.comes(e, bounds[i]) {
			return false
		}
	}
	return true
}
