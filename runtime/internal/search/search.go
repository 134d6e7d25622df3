// Package search finds the best rows of a question with several answer variables: an entity for each variable. It
// runs queries with one answer variable, the question's parts.
//
// The truth degree of a row (a, b, c) is the degree of c in the query in which a and b are entities.
// Under model.FIT it is the row's score. Under model.NSMP the score is the product of each entity's
// probability, with the other answer variables existential, and under model.Mixed the mixture of both,
// as package fit defines it.
package search

import (
	"context"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Search finds the best rows. It is a best-first search over prefixes: values of the first variables. Trying a prefix
// queries the next variable with the prefix's values as entities, which gives longer prefixes or, at the last
// variable, rows. Prefixes are tried in order of their own scores, with later variables existential. Such a degree is
// no bound, because an atom may have another degree when read from its other end, and because candidates are bounded.
// A row's degree is bounded by the product of the atoms of its prefix alone, which the row reads from the same ends.
type Search struct {
	*Parts
	Settings *model.Settings
	Keep     int    // the number of rows to find
	Prefixes int    // the number of prefixes to try
	Known    bool   // find known rows
	Others   bool   // find other rows
	Doubtful bool   // find other rows if the budget does not suffice to find the known ones
	Budget   int    // of each exact traversal
	n        int    // entities
	negates  []bool // by disjunct

	scorer        fit.Scorer
	probabilities []plan.Vector // of each variable's entities by message passing, nil under model.FIT
	behind        []float64     // the product of the largest probabilities of the variables from each on

	rows     shortlist
	frontier []*prefix // to be tried
	left     []*prefix // bounds for prefixes that did not fit frontier
	searched int
	proved   bool
	cut      bool // known rows may be missing, and no others are wanted
}

const (
	prefixesAtOnce = 64       // how many prefixes are tried together at most
	expansionBytes = 64 << 20 // the memory of their degrees
	mostPredicted  = 0.9999   // the largest degree of an unobserved link
	sameDegree     = 1 - 1e-6 // the ratio of degrees that may differ only by rounding
)

// search finds the rows with the largest scores.
func (s *Search) search(ctx context.Context) error {
	s.frontier = []*prefix{s.root()}
	for size := min(s.rows.keep, prefixesAtOnce/4); ; size = min(2*size, prefixesAtOnce) {
		s.rows.cut()
		s.proved = s.done()
		if s.proved || s.searched >= s.Prefixes || len(s.frontier) == 0 {
			return nil
		}
		if err := s.try(ctx, s.next(min(size, s.Prefixes-s.searched))); err != nil {
			s.rows.cut()
			return err
		}
	}
}

// root returns the prefix without values.
func (s *Search) root() *prefix {
	return &prefix{probability: 1, own: slices.Repeat([]float64{1}, len(s.Rest)), alive: 1<<len(s.Rest) - 1, bound: float32(math.Inf(1))}
}

// marginalize computes the probabilities of each variable's entities.
func (s *Search) marginalize(ctx context.Context) error {
	s.behind = slices.Repeat([]float64{1}, s.Variables+1)
	for i, p := range s.Marginals {
		err := s.runPart(ctx, p, []scq.Bindings{p.Bindings}, func(_ int, r run.Result) error {
			s.probabilities = append(s.probabilities, slices.Clone(r.Scores()))
			return nil
		})
		if err != nil {
			return err
		}
		for j := range i + 1 {
			s.behind[j] *= float64(slices.Max(s.probabilities[i]))
		}
	}
	return nil
}

// runPart runs a part for a batch.
func (s *Search) runPart(ctx context.Context, p *Part, batch []scq.Bindings, use func(i int, r run.Result) error) error {
	_, err := p.Each(ctx, batch, run.Want{Settings: *s.Settings}, use)
	return err
}

// done drops the prefixes that cannot give one of the best rows, and reports whether none is left.
func (s *Search) done() bool {
	last := s.rows.full()
	if last == nil {
		return len(s.frontier)+len(s.left) == 0
	}
	loses := func(p *prefix) bool { return p.loses(last) }
	s.frontier, s.left = slices.DeleteFunc(s.frontier, loses), slices.DeleteFunc(s.left, loses)
	return len(s.frontier)+len(s.left) == 0
}

// next takes the next prefixes to try, all of the same length.
func (s *Search) next(size int) (batch []*prefix) {
	slices.SortFunc(s.frontier, (*prefix).compare)
	length := len(s.frontier[0].values)
	s.frontier = slices.DeleteFunc(s.frontier, func(p *prefix) bool {
		if len(batch) == size || len(p.values) != length {
			return false
		}
		batch = append(batch, p)
		return true
	})
	if length > 0 {
		s.searched += len(batch)
	}
	return batch
}

// try queries the next variable after prefixes of the same length.
func (s *Search) try(ctx context.Context, batch []*prefix) error {
	return s.each(ctx, batch, s.extend)
}

// step is a prefix with the degrees of the next variable's entities after it, by disjunct: of all atoms, and of the
// atoms over the prefix and that variable only.
type step struct {
	*prefix
	bindings  []scq.Bindings
	rest, own []plan.Vector
}

// each queries the next variable after prefixes of the same length.
func (s *Search) each(ctx context.Context, batch []*prefix, use func(*step)) error {
	v := len(batch[0].values)
	vectors := 2 * len(s.Rest)
	for part := range slices.Chunk(batch, max(1, expansionBytes/(4*s.n*vectors))) {
		rest, err := s.degrees(ctx, s.Rest, v, part)
		if err != nil {
			return err
		}
		own := make([][]plan.Vector, len(part))
		if v < s.Variables-1 {
			own, err = s.degrees(ctx, s.Own, v, part)
			if err != nil {
				return err
			}
		}
		for i, p := range part {
			if err := pause.Here(ctx); err != nil {
				return err
			}
			x := &step{prefix: p, rest: rest[i], own: own[i], bindings: make([]scq.Bindings, len(s.Rest))}
			for d := range s.Rest {
				x.bindings[d] = s.Rest[d][v].Given(p.values)
			}
			use(x)
		}
	}
	return nil
}

// degrees runs parts for the truth degrees of variable v after prefixes: of all entities, for each prefix and each
// disjunct, nil without a part.
func (s *Search) degrees(ctx context.Context, parts [][]*Part, v int, batch []*prefix) ([][]plan.Vector, error) {
	found := make([][]plan.Vector, len(batch))
	for i := range found {
		found[i] = make([]plan.Vector, len(parts))
	}
	for d := range parts {
		x := parts[d][v]
		if x == nil || s.Semantics == model.NSMP {
			continue
		}
		questions := make([]scq.Bindings, len(batch))
		for i, p := range batch {
			questions[i] = x.Given(p.values)
		}
		err := s.runPart(ctx, x, questions, func(i int, r run.Result) error {
			found[i][d] = slices.Clone(r.Scores())
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// extend adds the prefixes, or rows, with one more value.
func (s *Search) extend(x *step) {
	last := len(x.values) == s.Variables-1
	list := &s.rows
	if !last {
		list = &shortlist{keep: s.Prefixes}
	}
	degrees := slices.Clone(x.prefix.own)
	for e := range graph.EntityID(s.n) {
		c := s.after(x, e, degrees)
		if c.alive != 0 && c.bound > 0 {
			list.add(c, x.values, e)
		}
	}
	if !last {
		list.cut()
		s.frontier = append(s.frontier, list.list...)
		if list.lost != nil {
			s.left = append(s.left, list.lost)
		}
	}
}

// after returns a prefix with one more value, without its list of values. Its degrees are in own.
func (s *Search) after(x *step, e graph.EntityID, own []float64) prefix {
	v := len(x.values)
	last := v == s.Variables-1
	c := prefix{probability: x.probability, alive: x.alive, own: own}
	if s.probabilities != nil {
		c.probability *= float64(s.probabilities[v][e])
	}
	degree := 0.0
	most := 0.0 // of the prefix, and an upper bound for its rows
	for d := range s.Rest {
		switch {
		case c.alive>>d&1 == 0:
			continue
		case s.Rest[d][v].Plan.Disjuncts[0].Excludes(x.bindings[d], e):
			c.alive &^= 1 << d
			continue
		case x.rest[d] == nil:
			continue
		}
		all := x.prefix.own[d] * float64(x.rest[d][e])
		bound := x.prefix.own[d]
		if !last {
			if x.own[d] != nil {
				bound *= float64(x.own[d][e])
			}
			own[d] = bound
			if !s.negates[d] && all < bound*sameDegree { // a link of the other variables is predicted
				bound *= mostPredicted
			}
		}
		degree = degree + all - degree*all
		most = most + bound - most*bound
	}
	reach := c.probability * s.behind[v+1]
	c.score = s.score(reach, degree)
	c.bound = s.score(reach, most)
	if last {
		c.bound = c.score
	}
	return c
}

// score returns the score for a probability and a truth degree.
func (s *Search) score(probability, degree float64) float32 {
	switch s.Semantics {
	case model.NSMP:
		return float32(probability)
	case model.Mixed:
		return s.scorer.Score(float32(probability), float32(degree))
	}
	return float32(degree)
}

// Bytes bounds the memory of a search over n entities with the given disjuncts and marginals, without the workspaces
// of its parts.
func Bytes(n, disjuncts, marginals int) int64 {
	vector := 4 * int64(n)
	one := 2 * vector * int64(disjuncts)
	return vector*int64(marginals) + max(one, min(expansionBytes, prefixesAtOnce*one))
}
