package runtime

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/pause"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// tupleSearch finds the best rows. It is best first over prefixes: values of the variables up to
// one of them. A prefix that is tried asks for the next variable with it as entities, and so gives
// longer prefixes or, at the last variable, rows. Prefixes are tried in order of their own scores,
// in which the variables behind are existential. Such a degree is no bound, because an atom may have
// another degree when it is read from its other end, and because candidates are bounded. What bounds
// a row's degree is the product of the atoms of its prefix alone, which the row reads from the same
// ends.
type tupleSearch struct {
	*tuples
	bindings []scq.Bindings // of each part
	options  Options
	n        int    // entities
	negates  []bool // by disjunct

	scorer        fit.Scorer
	probabilities []plan.Vector // of each variable's entities by message passing, nil under model.FIT
	behind        []float64     // the product of the largest probabilities of the variables from one on

	rows     shortlist
	frontier []*prefix // to be tried
	left     []*prefix // what bounds those that frontier has no room for
	searched int
	proved   bool
}

// prefix is values of the first variables, or of all.
type prefix struct {
	values      []model.EntityID
	probability float64   // the product of the values' probabilities
	own         []float64 // by disjunct, the degree of the atoms of the values alone
	alive       uint64    // the disjuncts that no inequality of the values excludes
	score       float32   // of the row; of a shorter prefix what orders it
	bound       float32   // of the scores of its rows
}

const (
	// DefaultPrefixes is the least default of Options.Prefixes.
	DefaultPrefixes = 64
	prefixesAtOnce  = 64       // how many prefixes are tried together at most
	expansionBytes  = 64 << 20 // what their degrees may take
	mostPredicted   = 0.9999   // the largest degree of a link that is not observed
	sameDegree      = 1 - 1e-6 // the ratio of degrees that may differ by rounding alone
)

// key identifies the values.
func (p *prefix) key() string { return fmt.Sprint(p.values) }

// loses reports whether no row with the prefix is better than the last of the best rows.
func (p *prefix) loses(last *prefix) bool {
	return p.bound < last.score || p.bound == last.score && slices.Compare(p.values, last.values[:len(p.values)]) > 0
}

// compare orders prefixes by score, ties by ids.
func (p *prefix) compare(o *prefix) int {
	return cmp.Or(cmp.Compare(o.score, p.score), slices.Compare(p.values, o.values))
}

// shortlist keeps the keep best prefixes.
type shortlist struct {
	list []*prefix // the first keep of them sorted, once that many are there
	keep int
	lost *prefix // the dropped one with the largest bound, the first of several
}

// full returns the last prefix that is among the best, nil while there are too few.
func (l *shortlist) full() *prefix {
	if len(l.list) < l.keep {
		return nil
	}
	return l.list[l.keep-1]
}

// add adds a prefix, which is before with e behind.
func (l *shortlist) add(p prefix, before []model.EntityID, e model.EntityID) {
	dropped := l.full() != nil && p.score < l.full().score
	if dropped && l.lost != nil && p.bound <= l.lost.bound {
		return
	}
	p.values, p.own = append(slices.Clip(before), e), slices.Clone(p.own)
	if dropped {
		l.lost = &p
		return
	}
	l.list = append(l.list, &p)
	if len(l.list) == l.keep || len(l.list) >= 2*l.keep+256 {
		l.cut()
	}
}

// cut sorts the list and drops all but the best.
func (l *shortlist) cut() {
	slices.SortFunc(l.list, (*prefix).compare)
	if len(l.list) <= l.keep {
		return
	}
	for _, p := range l.list[l.keep:] {
		if l.lost == nil || p.bound > l.lost.bound || p.bound == l.lost.bound && slices.Compare(p.values, l.lost.values) < 0 {
			l.lost = p
		}
	}
	clear(l.list[l.keep:])
	l.list = l.list[:l.keep]
}

// run finds the best rows.
func (s *tupleSearch) run(ctx context.Context) error {
	s.scorer = fit.NewScorer(s.options.Settings.Degrees.OrDefault().Mixture)
	for _, parts := range s.rest {
		s.negates = append(s.negates, scq.Negates(parts[0].plan.Patterns))
	}
	if err := s.marginalize(ctx); err != nil {
		return err
	}
	if !s.wantsKnown() {
		return s.search(ctx)
	}

	known, complete, err := s.known(ctx)
	if err != nil {
		return err
	}
	if complete && len(known) == s.rows.keep {
		s.rows.list = known
		s.proved = true
		return nil
	}
	if err := s.search(ctx); err != nil {
		return err
	}
	s.precede(known)
	s.proved = s.proved && complete
	return nil
}

// search finds the rows with the largest scores.
func (s *tupleSearch) search(ctx context.Context) error {
	root := &prefix{probability: 1, own: make([]float64, len(s.rest)), alive: 1<<len(s.rest) - 1, bound: float32(math.Inf(1))}
	for d := range root.own {
		root.own[d] = 1
	}
	s.frontier = []*prefix{root}
	for size := min(s.rows.keep, prefixesAtOnce/4); ; size = min(2*size, prefixesAtOnce) {
		s.rows.cut()
		s.proved = s.done()
		if s.proved || s.searched >= s.options.Prefixes || len(s.frontier) == 0 {
			return nil
		}
		if err := s.try(ctx, s.next(min(size, s.options.Prefixes-s.searched))); err != nil {
			return err
		}
	}
}

// marginalize finds the probabilities of each variable's entities.
func (s *tupleSearch) marginalize(ctx context.Context) error {
	s.behind = slices.Repeat([]float64{1}, len(s.variables)+1)
	for i, p := range s.marginals {
		err := p.Each(ctx, []scq.Bindings{s.bindings[p.at]}, s.options.Settings, func(_ int, r *Run) error {
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

// done drops the prefixes that have no row among the best, and reports whether none is left that
// might have one.
func (s *tupleSearch) done() bool {
	last := s.rows.full()
	if last == nil {
		return len(s.frontier)+len(s.left) == 0
	}
	loses := func(p *prefix) bool { return p.loses(last) }
	s.frontier, s.left = slices.DeleteFunc(s.frontier, loses), slices.DeleteFunc(s.left, loses)
	return len(s.frontier)+len(s.left) == 0
}

// next takes the prefixes of the same length that are to be tried next.
func (s *tupleSearch) next(size int) (batch []*prefix) {
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

// try asks for the next variable after prefixes of the same length.
func (s *tupleSearch) try(ctx context.Context, batch []*prefix) error {
	v := len(batch[0].values)
	vectors := 2 * len(s.rest)
	for part := range slices.Chunk(batch, max(1, expansionBytes/(4*s.n*vectors))) {
		rest, err := s.degrees(ctx, s.rest, v, part)
		if err != nil {
			return err
		}
		own := make([][]plan.Vector, len(part))
		if v < len(s.variables)-1 {
			own, err = s.degrees(ctx, s.own, v, part)
			if err != nil {
				return err
			}
		}
		for i, p := range part {
			if err := pause.Here(ctx); err != nil {
				return err
			}
			s.extend(p, rest[i], own[i])
		}
	}
	return nil
}

// degrees asks parts for the truth degrees of variable v after prefixes: of all entities, for each
// prefix and each disjunct, nil where there is nothing to ask.
func (s *tupleSearch) degrees(ctx context.Context, parts [][]*tuplePart, v int, batch []*prefix) ([][]plan.Vector, error) {
	found := make([][]plan.Vector, len(batch))
	for i := range found {
		found[i] = make([]plan.Vector, len(parts))
	}
	for d := range parts {
		x := parts[d][v]
		if x == nil || s.semantics == model.NSMP {
			continue
		}
		questions := make([]scq.Bindings, len(batch))
		for i, p := range batch {
			questions[i] = given(s.bindings[x.at], p.values)
		}
		err := x.Each(ctx, questions, s.options.Settings, func(i int, r *Run) error {
			found[i][d] = slices.Clone(r.Scores())
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// extend adds the prefixes, or rows, that one value more gives: rest and own are the degrees of its
// entities, by disjunct.
func (s *tupleSearch) extend(p *prefix, rest, own []plan.Vector) {
	v := len(p.values)
	last := len(p.values) == len(s.variables)-1
	list := &s.rows
	if !last {
		list = &shortlist{keep: s.options.Prefixes}
	}
	excluded := make([][]model.EntityID, len(s.rest))
	for d := range s.rest {
		excluded[d] = s.rest[d][v].excluded(given(s.bindings[s.rest[d][v].at], p.values))
	}
	degrees := slices.Clone(p.own)
	for e := range model.EntityID(s.n) {
		c := prefix{probability: p.probability, alive: p.alive, own: degrees}
		if s.probabilities != nil {
			c.probability *= float64(s.probabilities[v][e])
		}
		degree := 0.0
		most := 0.0 // of the prefix, and of its rows at most
		for d := range s.rest {
			switch {
			case c.alive>>d&1 == 0:
				continue
			case slices.Contains(excluded[d], e):
				c.alive &^= 1 << d
				continue
			case rest[d] == nil:
				continue
			}
			x := p.own[d] * float64(rest[d][e])
			bound := p.own[d]
			if !last {
				if own[d] != nil {
					bound *= float64(own[d][e])
				}
				degrees[d] = bound
				if !s.negates[d] && x < bound*sameDegree { // a link of the other variables is predicted
					bound *= mostPredicted
				}
			}
			degree = degree + x - degree*x
			most = most + bound - most*bound
		}
		reach := c.probability * s.behind[v+1]
		c.score, c.bound = s.score(reach, degree), s.score(reach, most)
		if last {
			c.bound = c.score
		}
		if c.alive != 0 && c.bound > 0 {
			list.add(c, p.values, e)
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

// excluded returns the entities that inequalities with entities keep from being an answer.
func (p *tuplePart) excluded(b scq.Bindings) (list []model.EntityID) {
	for _, a := range p.plan.Patterns[0].Atoms {
		if a.Unequal() && a.Head == scq.Var(0) && a.Tail.Constant {
			list = append(list, b.Constants[a.Tail.Index])
		}
	}
	return list
}

// score returns the score for a probability and a truth degree.
func (s *tupleSearch) score(probability, degree float64) float32 {
	switch s.semantics {
	case model.NSMP:
		return float32(probability)
	case model.Mixed:
		return s.scorer.Score(float32(probability), float32(degree))
	}
	return float32(degree)
}
