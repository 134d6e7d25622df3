package query

import (
	"fmt"
	"math"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// evidence is what a plan leaves beside the scores, which are shares: what they were before
// they were normalised. The zero evidence is that of a plan that leaves none, as that of message
// passing on a device, or the reference.
type evidence struct {
	// peak is how true the best answer is, see notes; total, if not 0, is what mixtures
	// were divided by.
	peak, total float64
}

// strength is how true the answer of a question is at its best, given the best score.
func (e evidence) strength(best float32) float64 {
	if e.total > 0 {
		return e.total * float64(best)
	}
	return e.peak
}

// leastConfidence is the confidence of what hardly anybody believes: nothing is impossible.
const leastConfidence = 1e-6

// confidence turns the scores of one question into chances of being true.
type confidence struct {
	calibration *model.Calibration // nil if there is none
	support     float64
}

// newConfidence returns that of a question by what its plan has left, or why there is none.
func (q *Query) newConfidence(o Options, e evidence, best float32) (confidence, string) {
	c, why := q.calibration(o.Settings)
	if why == "" && e == (evidence{}) {
		c, why = nil, "what answers here leaves no evidence beside the scores"
	}
	if c == nil {
		return confidence{}, why
	}
	return confidence{calibration: c, support: c.Strength.At(max(math.SmallestNonzeroFloat64, e.strength(best)))}, ""
}

// of returns the confidence of an answer by its score, 0 if there is none.
func (c *confidence) of(score float32, status Status) float64 {
	switch {
	case c.calibration == nil:
		return 0
	case status == Known:
		return max(leastConfidence, c.calibration.Known)
	}
	return max(leastConfidence, c.calibration.Confidence(float64(score), c.support))
}

// Uncalibrated says why answers under some settings have no confidence; it is empty if they
// have. Settings that are nil are the model's.
func (q *Query) Uncalibrated(s *model.Settings) string {
	if s == nil {
		own := q.plan.settings(q.model)
		s = &own
	}
	_, why := q.calibration(s)
	return why
}

// calibration returns what the scores mean under some settings. Without calibration it
// says why there is none.
func (x *executor) calibration(s *model.Settings) (*model.Calibration, string) {
	p, m := x.plan, &x.model.Manifest
	c := m.Confidence.Of(p.Semantics, scq.Family(p.Patterns))
	if c == nil {
		return nil, fmt.Sprintf("the model is not calibrated for semantics %s: see efoc calibrate", p.Semantics)
	}
	if x.remote != nil {
		if why := x.remote.uncalibrated(); why != "" {
			return nil, why
		}
	}
	own, used := p.settings(x.model), *s
	own.Degrees, used.Degrees = own.Degrees.OrDefault(), used.Degrees.OrDefault()
	if own != used {
		return nil, "the model was calibrated with other settings than these"
	}
	return c, ""
}

// evidence returns what the plan has left in the workspace. Truth degrees are evidence
// themselves.
func (w *Workspace) evidence(s model.Semantics) evidence {
	switch {
	case s == model.FIT:
		return evidence{peak: 1}
	case s == model.Mixed && w.degrees != nil:
		return evidence{total: w.degrees.Total()}
	case s == model.NSMP && len(w.notes) > 0:
		return evidence{peak: w.strength}
	}
	return evidence{}
}

// Strength returns how true the answer that the plan has left is at its best, given its
// best score, before normalisation; 0 if nobody can say.
func (w *Workspace) Strength(s model.Semantics, best float32) float64 {
	return w.evidence(s).strength(best)
}

// noConfidence is the error for a filter by a confidence that there is not.
func noConfidence(why string) error {
	return fmt.Errorf("answers have no confidence to filter by: %s", why)
}
