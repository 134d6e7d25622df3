package judge

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Basis explains the confidence of an answer.
type Basis struct {
	Evidence float64
	Margin   float64
	Relation string
	Offset   float64
	Graph    float64
	Applies  float64
	Complete bool
}

// leastConfidence is the smallest confidence reported; never 0, which means none.
const leastConfidence = 1e-6

// scale turns evidence into confidence, for one question.
type scale struct {
	claims    *model.Claims // nil if there are none
	lacking   *model.Claims // of links whose head has no fact of their relation
	semantics model.Semantics
	mixture   float64 // g
	refuting  float64 // the factor of the odds that missing facts refute known answers, 0 if none can
	unlinked  float64 // the factor of the odds, see model.Missing, of answers without a witness
	atoms     float64 // see model.TermAtoms
	heldOut   float64 // see Asking
	memo
}

// memo is what the methods of a scale have returned for its question.
type memo struct {
	applying map[question]float64
	names    map[graph.RelationID]string
}

// question is r(h, y).
type question struct {
	head     graph.EntityID
	relation graph.RelationID
}

// newScale returns the scale of a question with the given disjuncts, or why there is none.
func newScale(m *model.Model, by model.Semantics, s *model.Settings, heldOut float64, noStatus bool, disjuncts []scq.Disjunct) (scale, string) {
	c, why := Calibration(m, by, s)
	if why == "" && noStatus {
		why = errNoStatus
	}
	if why != "" {
		return scale{}, why
	}
	x := scale{
		claims: c.Of(heldOut > 0), lacking: &c.Lacking, semantics: by, mixture: s.Degrees.OrDefault().Mixture, atoms: atomsOf(disjuncts), heldOut: heldOut,
	}
	return x, ""
}

// heed looks at the shares of missing facts of a disjunct's relations.
func (s *scale) heed(m *model.Model, d *scq.Disjunct, relations []graph.RelationID) {
	for _, a := range d.Atoms {
		if a.Unequal() {
			continue
		}
		odds := s.odds(m, relations[a.Relation])
		switch {
		case !a.Negated:
			s.unlinked = max(s.unlinked, odds)
		default:
			s.refuting = max(s.refuting, odds)
		}
	}
}

// odds returns the factor of the odds of answers that rest on a link of a relation, or on an unknown one if r is negative.
func (s *scale) odds(m *model.Model, r graph.RelationID) float64 {
	if r < 0 {
		return s.unlinked
	}
	if s.heldOut > 0 {
		return m.Manifest.Missing.Odds(s.heldOut)
	}
	return m.Manifest.Missing.Odds(m.MissingOf(r))
}

// errNoStatus is why there is no confidence without statuses.
const errNoStatus = "the statuses of answers were left out, on which it depends"

// Calibration returns how evidence by a semantics under some settings, nil for the model's, is judged.
// Without calibration it says why there is none.
func Calibration(on *model.Model, by model.Semantics, s *model.Settings) (*model.Calibration, string) {
	m := &on.Manifest
	s = cmp.Or(s, &m.Settings)
	c := m.Confidence.Of(by)
	if c == nil {
		return nil, fmt.Sprintf("the model is not calibrated for semantics %s: that takes at least %d facts that its graph lacks, and it holds back %d; "+
			"calibrate it with a validation split, or train on more facts", by, model.LeastValidation, m.Heldout)
	}
	own := m.Settings
	own.Degrees = own.Degrees.OrDefault()
	used := *s
	used.Degrees = used.Degrees.OrDefault()
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

// noEvidence is why there is no confidence, as it turns out while answers are judged.
type noEvidence string

func (e noEvidence) Error() string { return string(e) }

const errNoEvidence = noEvidence("what answers here leaves no evidence beside the scores")

// orNoEvidence turns the error for a lack of memory into the reason why there is no confidence.
func orNoEvidence(err error) error {
	if err == nil {
		return nil
	}
	if memory := (*fit.MemoryError)(nil); errors.As(err, &memory) {
		return noEvidence("truth degrees, on which it depends, take more memory than there is")
	}
	return err
}

// evidence returns the evidence of a score, for which model.NSMP takes the truth degree too. It leaves out the factor
// that the degree has of unknown values; message passing normalises it away.
func (s *scale) evidence(score float32, degree, factor float64) float64 {
	switch s.semantics {
	case model.NSMP:
		return fit.MixtureEvidence(float64(score), min(1, degree/factor), s.mixture)
	case model.Mixed:
		u := fit.ScoreEvidence(float64(score), s.mixture)
		if factor < 1 {
			u += fit.MixtureEvidence(1, min(1, degree/factor), s.mixture) - fit.MixtureEvidence(1, degree, s.mixture)
		}
		return u
	}
	return fit.DegreeEvidence(min(1, float64(score)/factor))
}

// byScore reports whether scores alone give the evidence.
func (s *scale) byScore() bool { return s.semantics != model.NSMP }

// judged returns the confidence by evidence, given the evidence of the best answer that is not known
// (best), the weakest predicted link, and the factor of unknown values.
func (s *scale) judged(m *model.Model, evidence, best float64, l plan.Link, factor float64) (float64, Basis) {
	head := question{l.Head, l.Relation}
	c := s.of(m, head)
	terms := termsOf(m, l, s.atoms)
	b := Basis{Evidence: evidence, Margin: evidence - best, Offset: c.Offset(l.Relation), Graph: terms.Weighed(&c.Terms), Applies: 1}
	if l.Relation >= 0 {
		b.Relation = s.nameOf(m, l.Relation)
	}
	if l.Needed && untrue(m, l) {
		return leastConfidence, b
	}
	b.Complete = s.odds(m, l.Relation) == 0
	confirmed := c.Curve.At(c.Sum(b.Evidence, b.Margin, b.Offset+b.Graph))
	p := s.chance(m, head, confirmed)
	if !b.Complete && l.Relation >= 0 && s.heldOut == 0 {
		if tail := (question{l.Tail, l.Relation.Inverse()}); c == s.lacking {
			b.Applies = model.Shifted(s.applies(m, head), c.Applies)
		} else if lacks(m, tail) {
			p = model.Shifted(confirmed, s.applies(m, tail)*c.Applies) // evidence compares tails, so it shows in part whether this one has such facts at all
		}
	}
	return max(leastConfidence, p*b.Applies*factor), b
}

// nameOf returns the name of a relation, which many links of a question share.
func (s *scale) nameOf(m *model.Model, r graph.RelationID) string {
	name, seen := s.names[r]
	if !seen {
		name = m.RelationName(r)
		s.names[r] = name
	}
	return name
}

// lacks reports whether the graph has no answer to a question about a known entity, and so perhaps there is none.
func lacks(m *model.Model, q question) bool {
	return min(q.head, graph.EntityID(q.relation)) >= 0 && m.Manifest.Missing.HeldOut > 0 && len(m.Graph.Tails(q.head, q.relation)) == 0
}

// of returns the claims about links that answer a question.
func (s *scale) of(m *model.Model, q question) *model.Claims {
	if lacks(m, q) {
		return s.lacking
	}
	return s.claims
}

// chance returns the probability of a link that answers a question, if there is any, given that validation facts confirm
// it with some probability.
func (s *scale) chance(m *model.Model, q question, confirmed float64) float64 {
	odds := s.odds(m, q.relation)
	if odds > 0 && lacks(m, q) { // all its answers are missing, by any share
		return confirmed
	}
	if s.heldOut == 0 && s.atoms > 0 { // there are several ways to confirm it, so that fewer true ones are left
		return min(model.MostChance, confirmed*odds)
	}
	return model.AmongMissing(confirmed, odds)
}

// applies returns the chance that a question without known answers has one.
func (s *scale) applies(m *model.Model, q question) float64 {
	p, seen := s.applying[q]
	if !seen {
		p = m.Applies(q.head, q.relation, m.MissingOf(q.relation))
		s.applying[q] = p
	}
	return p
}

// untrue reports whether a user has marked a link as not true.
func untrue(m *model.Model, l plan.Link) bool {
	return m.Untrue != nil && min(l.Head, l.Tail, graph.EntityID(l.Relation)) >= 0 && m.Untrue.Has(l.Head, l.Relation, l.Tail)
}

// holds returns the chance that no missing fact refutes an answer that follows, by its truth degree.
func (s *scale) holds(degree float64) float64 {
	if s.refuting == 0 || len(s.claims.Refuted.X) == 0 {
		return 1
	}
	return 1 - model.Shifted(s.claims.Refuted.At(model.Doubt(degree)), s.refuting)
}

// atomsOf returns the logarithm of the number of positive atoms of the longest disjunct.
func atomsOf(disjuncts []scq.Disjunct) float64 {
	most := 1
	for i := range disjuncts {
		n := 0
		for _, a := range disjuncts[i].Atoms {
			if !a.Negated {
				n++
			}
		}
		most = max(most, n)
	}
	return math.Log(float64(most))
}

// termsOf returns what the graph tells of a link in a question with the given number of atoms.
func termsOf(m *model.Model, l plan.Link, atoms float64) (t model.LinkTerms) {
	if l.Relation >= 0 {
		t = m.LinkTerms(l.Head, l.Relation, l.Tail)
		if !l.Needed { // another witness may do without the loop
			t[model.TermLoop] = 0
		}
	}
	t[model.TermAtoms] = atoms
	return t
}
