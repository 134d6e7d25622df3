package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// Basis explains the confidence of a predicted answer: see model.Calibration.
type Basis struct {
	// Evidence is the logarithm of the score before normalisation: of the truth degree d under
	// fit, and of p^(1−g)·d^g under nsmp and mixed, where p is the probability by message
	// passing.
	Evidence float64 `json:"evidence"`
	// Margin is the distance to the evidence of the best predicted answer.
	Margin float64 `json:"margin"`
	// Relation is the relation of the weakest predicted link in the answer's best witness, and
	// Offset what it adds. Relation is empty if there is no witness or the witness predicts no
	// link.
	Relation string  `json:"relation,omitempty"`
	Offset   float64 `json:"offset"`
	// Graph is what the graph's evidence on such a link adds: see model.LinkTerms.
	Graph float64 `json:"graph"`
}

// leastConfidence is the smallest confidence reported; never 0, which means none.
const leastConfidence = 1e-6

// linkFinder looks at answers, as long as the workspace of their plan lasts. It is nil if that takes a
// run of the query's truth degrees.
type linkFinder func(entities []model.EntityID) ([]plan.Link, error)

// findLinks returns a function that looks at the answers of a run.
func (q *Query) findLinks(r run.Result) linkFinder {
	w := r.Workspace()
	if q.plan.Semantics == model.NSMP || w == nil || !w.HasLinks() {
		return nil
	}
	return func(entities []model.EntityID) ([]plan.Link, error) { return w.Links(q.plan, entities) }
}

// links looks at answers by a run of the query's truth degrees.
func (q *Query) links(ctx context.Context, b scq.Bindings, s *model.Settings, entities []model.EntityID) (list []plan.Link, err error) {
	d := q.Degrees()
	if d == nil {
		return nil, errNoEvidence
	}
	list, err = d.runner.Links(ctx, b, *s, entities)
	if memory := (*fit.MemoryError)(nil); errors.As(err, &memory) {
		err = noEvidence("truth degrees, on which it depends, take more memory than there is")
	}
	return list, err
}

// noEvidence is why there is no confidence, as it turns out while answers are judged.
type noEvidence string

func (e noEvidence) Error() string { return string(e) }

const errNoEvidence = noEvidence("what answers here leaves no evidence beside the scores")

// errNoStatus is why there is no confidence without statuses.
const errNoStatus = "the statuses of answers were left out, on which it depends"

// confidence turns the answers of one question into chances of being true.
type confidence struct {
	calibration *model.Calibration // nil if there is none
	query       *Query
	local       bool    // the plan has left what fetch needs
	mixture     float64 // g
	known       float64
	most        float64 // bounds what a link adds
	atoms       float64 // see model.TermAtoms
	claims      *model.Claims
	heldOut     bool
	odds        float64 // see model.Missing
	found       map[model.EntityID]plan.Link
	fetch       linkFinder
	// skipped are the best entities whose status nobody has looked at yet, best the best one that
	// is not known, nil before it is found.
	skipped []rank.Ranked
	best    *rank.Ranked
	least   float64 // its evidence, once it is computed
	ready   bool
}

// newConfidence returns the confidence of a question, or why there is none.
func (q *Query) newConfidence(ctx context.Context, b scq.Bindings, o Options, find linkFinder) (confidence, string) {
	c, why := q.model.calibration(q.plan.Semantics, o.Settings)
	switch {
	case why != "":
	case o.NoStatus:
		why = errNoStatus
	case find == nil && q.here() && q.Degrees() == q:
		why = errNoEvidence.Error()
	}
	if why != "" {
		return confidence{}, why
	}
	x := confidence{calibration: c, query: q, local: find != nil, fetch: find, mixture: o.Settings.Degrees.OrDefault().Mixture, known: 1, found: map[model.EntityID]plan.Link{}}
	x.claims, x.heldOut, x.odds = c.Of(o.HeldOut), o.HeldOut, q.model.Manifest.Missing.Odds()
	x.atoms = atomsOf(q.plan.Patterns)
	if find == nil {
		x.fetch = func(entities []model.EntityID) ([]plan.Link, error) { return q.links(ctx, b, o.Settings, entities) }
	}
	x.most = c.Unlinked + c.Terms[model.TermAtoms]*x.atoms
	for _, r := range b.Relations {
		x.most = max(x.most, c.Offset(r)+q.model.MostTerms(&c.Terms, r, x.atoms))
	}
	if scq.Negates(q.plan.Patterns) {
		x.known = c.Refutable
	}
	return x, ""
}

// look fetches the links of entities that were not looked at yet.
func (c *confidence) look(entities []model.EntityID) error {
	entities = slices.DeleteFunc(slices.Clone(entities), func(e model.EntityID) bool { _, ok := c.found[e]; return ok })
	if len(entities) == 0 {
		return nil
	}
	list, err := c.fetch(entities)
	for i, x := range list {
		c.found[entities[i]] = x
	}
	return err
}

// byScore reports whether scores alone give the evidence.
func (c *confidence) byScore() bool { return c.query.plan.Semantics != model.NSMP }

// evidence returns the evidence for an entity, whose link has been looked at unless its score alone
// gives it.
func (c *confidence) evidence(e rank.Ranked) float64 {
	return evidenceOf(c.query.plan.Semantics, float64(e.Score), c.found[e.Entity].Degree, c.mixture)
}

// evidenceOf returns the evidence of a score, for which model.NSMP takes the truth degree too.
func evidenceOf(by model.Semantics, score, degree, mixture float64) float64 {
	switch by {
	case model.NSMP:
		return fit.MixtureEvidence(score, degree, mixture)
	case model.Mixed:
		return fit.ScoreEvidence(score, mixture)
	}
	return fit.DegreeEvidence(score)
}

// atomsOf returns the logarithm of the number of positive atoms of the longest disjunct.
func atomsOf(patterns []scq.Graph) float64 {
	most := 1
	for i := range patterns {
		n := 0
		for _, a := range patterns[i].Atoms {
			if !a.Negated {
				n++
			}
		}
		most = max(most, n)
	}
	return math.Log(float64(most))
}

// termsOf returns what the graph tells of a link in a question with the given number of atoms.
func (x *Model) termsOf(l plan.Link, atoms float64) (t model.LinkTerms) {
	if l.Relation >= 0 {
		t = x.LinkTerms(l.Head, l.Relation, l.Tail)
		if !l.Needed { // another witness may do without the loop
			t[model.TermLoop] = 0
		}
	}
	t[model.TermAtoms] = atoms
	return t
}

// judged returns the confidence by evidence, given the evidence of the best answer that is not known
// (best) and the weakest predicted link.
func (c *confidence) judged(m *Model, evidence, best float64, l plan.Link) (float64, *Basis) {
	terms := m.termsOf(l, c.atoms)
	b := &Basis{Evidence: evidence, Margin: evidence - best, Offset: c.calibration.Offset(l.Relation), Graph: terms.Weighed(&c.calibration.Terms)}
	if l.Relation >= 0 {
		b.Relation = m.RelationName(l.Relation)
	}
	return c.chance(&c.claims.Curve, c.calibration.Sum(b.Evidence, b.Margin, b.Offset+b.Graph)), b
}

// chance returns the confidence that a curve gives a sum of evidence.
func (c *confidence) chance(curve *model.Curve, sum float64) float64 {
	p := curve.At(sum)
	if c.heldOut {
		return max(leastConfidence, model.AmongMissing(p))
	}
	return max(leastConfidence, model.Shifted(p, c.odds))
}

// seeks reports whether the best predicted answer is still to be found.
func (c *checker) seeks() bool { return c.calibration != nil && c.best == nil }

// see notes the best answer that is not known.
func (c *checker) see(e rank.Ranked, s Status) {
	if c.seeks() && s != Known {
		c.best = &e
	}
}

// reference finds the best predicted answer among the entities that were skipped, and its
// evidence.
func (c *checker) reference(ctx context.Context) error {
	if c.ready {
		return nil
	}
	for _, e := range c.skipped {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !c.excluded(e.Entity) && c.status(e.Entity) != Known {
			c.best = &e
			break
		}
	}
	if !c.byScore() {
		if err := c.look([]model.EntityID{c.best.Entity}); err != nil {
			return err
		}
	}
	c.least = c.evidence(*c.best)
	c.ready = true
	return nil
}

// judge sets the confidence of answers whose status has been looked at; one of them, or one
// skipped before, is the best predicted one, unless all are known.
func (c *checker) judge(ctx context.Context, found []*finding) error {
	if c.calibration == nil {
		return nil
	}
	var predicted []*finding
	var entities []model.EntityID
	for _, a := range found {
		a.confidence = max(leastConfidence, c.known)
		if a.status != Known {
			predicted = append(predicted, a)
			entities = append(entities, a.entity)
		}
	}
	if len(predicted) == 0 {
		return nil
	}
	if err := c.look(entities); err != nil {
		return err
	}
	if err := c.reference(ctx); err != nil {
		return err
	}
	for _, a := range predicted {
		u := c.evidence(rank.Ranked{Entity: a.entity, Score: a.score})
		a.confidence, a.basis = c.judged(c.query.model, u, c.least, c.found[a.entity])
	}
	return nil
}

// judgeAll sets the confidence of all answers, or says why they have none.
func (c *checker) judgeAll(ctx context.Context, found []finding) (why string, err error) {
	all := make([]*finding, len(found))
	for i := range all {
		all[i] = &found[i]
	}
	err = c.judge(ctx, all)
	none := noEvidence("")
	if !errors.As(err, &none) {
		return "", err
	}
	for _, a := range all {
		a.confidence = 0
		a.basis = nil
	}
	return string(none), nil
}

// atMost bounds the confidence of an entity, if it is not known, by its score.
func (c *checker) atMost(e rank.Ranked) float64 {
	if c.seeks() {
		return 1
	}
	u := c.evidence(e)
	if c.query.plan.Semantics == model.NSMP {
		u = fit.MixtureEvidence(float64(e.Score), 1, c.mixture)
	}
	margin := 0.0
	if c.ready {
		margin = u - c.least
	} else if c.query.plan.Semantics == model.NSMP {
		return 1
	}
	return c.chance(&c.claims.Curve, c.calibration.Sum(u, margin, c.most))
}

// ahead yields entities, and looks at several of them at once before they come.
func (c *checker) ahead(ranked iter.Seq[rank.Ranked], failed *error) iter.Seq[rank.Ranked] {
	if c.options.NoStatus {
		return ranked
	}
	return func(yield func(rank.Ranked) bool) {
		var list []rank.Ranked
		size := c.options.Offset + c.options.K
		flush := func() bool {
			*failed = c.foresee(list)
			if *failed != nil {
				return false
			}
			for _, e := range list {
				if !yield(e) {
					return false
				}
			}
			list = list[:0]
			size = 2 * size
			return true
		}
		for e := range ranked {
			list = append(list, e)
			if len(list) == size && !flush() {
				return
			}
		}
		flush()
	}
}

// foresee finds the statuses of those entities that the report needs, and their links if that takes a
// run of truth degrees.
func (c *checker) foresee(list []rank.Ranked) error {
	f := &c.options.Filter
	if !f.any() {
		list = list[min(c.options.Offset, len(list)):]
	}
	var linked, open []model.EntityID
	for _, e := range list {
		if f.MinConfidence > 0 && !c.local && c.atMost(e) >= f.MinConfidence {
			linked = append(linked, e.Entity)
		}
		if c.ofTypes(e.Entity) && !c.excluded(e.Entity) {
			open = append(open, e.Entity)
		}
	}
	c.decide(open)
	return c.look(linked)
}

// Uncalibrated says why answers under the given settings have no confidence; it is empty if
// they have one. nil settings are the model's.
func (q *Query) Uncalibrated(s *model.Settings) string {
	s = q.possible(cmp.Or(s, &q.model.Manifest.Settings))
	_, why := q.model.calibration(q.plan.Semantics, s)
	return why
}

// calibration returns how evidence by a semantics under some settings, nil for the model's, is judged.
// Without calibration it says why there is none.
func (x *Model) calibration(by model.Semantics, s *model.Settings) (*model.Calibration, string) {
	m := &x.Manifest
	s = cmp.Or(s, &m.Settings)
	c := m.Confidence.Of(by)
	if c == nil {
		return nil, fmt.Sprintf("the model is not calibrated for semantics %s: train it with --holdout, or calibrate it by a validation split (efoc calibrate)", by)
	}
	own := m.Settings
	used := *s
	own.Degrees, used.Degrees = own.Degrees.OrDefault(), used.Degrees.OrDefault()
	if own == used {
		return c, ""
	}
	regular := used
	regular.Degrees.Regularities = own.Degrees.Regularities
	if own == regular && own.Degrees.Regularities {
		return nil, "the model was calibrated with regularities, which are off here, as for truth degrees on a device"
	}
	return nil, "the model was calibrated with other settings than these"
}

// noConfidence is the error for a filter by a confidence that there is not.
func noConfidence(why string) error {
	return fmt.Errorf("answers have no confidence to filter by: %s", why)
}
