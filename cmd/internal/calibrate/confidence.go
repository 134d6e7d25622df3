package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/query"
)

const (
	// leastAnswers is the number of answers that a level of the curve over scores is made of
	// at least, leastTrue that of true ones expected in one over strengths, and leastFamily
	// the number of answers to a family with curves of its own.
	leastAnswers = 50
	leastTrue    = 20
	leastFamily  = 300
	// drawnWeight is what an answer counts to a question that was put together at random: enough
	// to see that weak evidence means nothing.
	drawnWeight = 0.05
	// rounds is how often score and strength are fitted in turn.
	rounds = 4
	// floor is below all scores and strengths that matter; curves are over their logarithms.
	floor = 1e-15
)

// confidence asks validation queries of all benchmark shapes and returns what scores mean;
// there is nothing in it if the facts are too few for any such query.
func confidence(ctx context.Context, m *model.Model, valid []model.Triple, o Options) (model.Confidence, error) {
	full, err := withFacts(m, valid)
	if err != nil {
		return nil, err
	}
	judged := cmp.Or(o.Judged, judgedFor(m, o))
	observer := &observer{
		model: query.NewModel(m), full: full, options: o,
		sampler: sample.New(m.Graph, full, sample.Options{
			Count: judged, Seed: o.Seed, Like: sample.FIT, MinHard: 1, MaxHard: 100, Budget: answerBudget, Attempts: attemptsEach * judged,
		}),
	}
	by := map[model.Semantics]map[string]*observed{}
	for _, s := range model.AllSemantics {
		by[s] = map[string]*observed{}
	}
	for i, shape := range lang.Shapes {
		if progress := o.stage("confidence"); progress != nil {
			progress(i, len(lang.Shapes))
		}
		if err := observer.shape(ctx, shape.Name, o.Plans, by); err != nil {
			return nil, fmt.Errorf("shape %s: %w", shape.Name, err)
		}
	}
	c := model.Confidence{}
	for s, families := range by {
		for family, seen := range families {
			if len(seen.answers) < leastFamily && (family != model.AnyFamily || len(seen.answers) < leastAnswers) {
				continue
			}
			if c[s.String()] == nil {
				c[s.String()] = map[string]model.Calibration{}
			}
			x := seen.fit(s)
			if family != "negation" {
				x.Known = 1 // what is observed stays true, whatever comes in
			}
			c[s.String()][family] = x
		}
	}
	return c, nil
}

// attemptsEach bounds the attempts for a query: a small graph has few of some shapes.
const attemptsEach = 300

// withFacts returns the observed graph with further facts.
func withFacts(m *model.Model, facts []model.Triple) (*model.Graph, error) {
	g, err := model.NewGraph(m.NumEntities(), m.NumRelations()/2, facts)
	if err != nil {
		return nil, err
	}
	return exact.Union(m.Graph, g)
}

// fit fits both curves to what was seen: in turn, each as a factor of the other.
func (o *observed) fit(s model.Semantics) model.Calibration {
	c := model.Calibration{Known: 1, Queries: o.queries, Answers: len(o.answers)}
	if o.known > 0 {
		c.Known = float64(o.right) / float64(o.known)
	}
	for range rounds {
		c.Score = isotonic(o.points(func(a *observation) (x, expected float64) {
			if a.drawn && len(c.Strength.X) == 0 && s != model.FIT {
				return a.score, 0 // until the strength explains what is wrong with it
			}
			return a.score, c.Strength.At(a.strength)
		}), leastAnswers)
		if s == model.FIT {
			break // a truth degree is evidence itself
		}
		c.Strength = isotonic(o.points(func(a *observation) (x, expected float64) {
			return a.strength, c.Score.At(a.score)
		}), leastTrue)
	}
	if len(c.Score.Y) > 0 { // no guess is more certain
		c.Known = max(c.Known, c.Confidence(math.MaxFloat64, 1))
	}
	return c
}

// points weighs the answers; those of which nothing is expected are left out.
func (o *observed) points(at func(a *observation) (x, expected float64)) []point {
	var points []point
	for i := range o.answers {
		a := &o.answers[i]
		x, expected := at(a)
		weight := 1.0
		if a.drawn {
			weight = drawnWeight
		}
		if !(expected > 1e-9) {
			continue
		}
		p := point{x: math.Max(x, floor), expected: weight * expected}
		if a.true {
			p.true = weight
		}
		points = append(points, p)
	}
	return points
}
