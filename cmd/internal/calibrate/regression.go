package calibrate

import (
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

const (
	// folds is the number of parts of the questions. The answers to each part are judged by what
	// was fitted to the others before the curve is: offsets that were fitted to an answer
	// look better on it than they are.
	folds = 5
	// leastAnswers is the number of answers that a level of the curve is made of at least.
	leastAnswers = 50
)

// observation is a predicted answer.
type observation struct {
	question         int
	evidence, margin float64
	relation         graph.RelationID // -1 for none
	terms            model.LinkTerms
	isTrue           bool
	kind             kind
	form             int     // of the question: see scq.Form
	ends             [2]end  // of the link
	applies          float64 // see observer.ends
	stands           float64 // the number of entities that it stands for
	place, known     int     // see model.Behind
}

// end is what the graphs have of an end of a link.
type end int

const (
	// linked is an end of which the observed graph has a fact of the relation, or which is unknown.
	linked end = iota
	// lost is an end of which only the full graph has such a fact.
	lost
	// unsure is an end of which neither has: the relation may not apply to it.
	unsure
)

// isUnsure reports whether the relation of the link may not apply to an end.
func (a *observation) isUnsure() bool { return max(a.ends[0], a.ends[1]) == unsure }

// kind is the kind of a question.
type kind int

const (
	// heldOut questions are drawn like benchmark questions: each lacks a fact.
	heldOut kind = iota
	// ordinary questions are drawn from all facts.
	ordinary
	// extra questions are drawn neither way: their answers count towards weights and offsets, and not
	// towards a curve.
	extra
	// lacking questions are drawn from entities and relations that the observed graph has no fact of. They show how often
	// a relation applies.
	lacking
)

// observed is what was seen under some semantics.
type observed struct {
	answers   []observation
	relations int // directed ones
	queries   [extra]int
	// doubts are the answers to questions with a negated atom that follow from the observed graph: hits are those that
	// the full graph refutes.
	doubts [extra][]point
	// behind is a sample of the answers behind the best, and hard the number of answers to find, of the questions that
	// counts are fitted to.
	behind  []observation
	hard    map[int]float64
	overlap overlap
	// ratios are those of model.Coverage, of questions that lack an answer, by kind and form.
	ratios [extra][model.Forms][]float64
}

// weights are a logistic regression: an intercept for ordinary questions and one for all others,
// evidence, margin, terms, and an offset for each directed relation and for none.
type weights []float64

const (
	intercept = iota
	ofOrdinary
	ofEvidence
	ofMargin
	firstTerm
	firstOffset = firstTerm + model.NumLinkTerms
)

// column is the column of the offset of an observation's relation.
func (w weights) column(a *observation) int {
	if a.relation < 0 {
		return len(w) - 1
	}
	return firstOffset + int(a.relation)
}

// intercept is the column of the intercept of an observation's question.
func (a *observation) intercept() int {
	if a.kind == ordinary {
		return ofOrdinary
	}
	return intercept
}

// link is what the link of an observation adds.
func (w weights) link(a *observation) float64 {
	return a.terms.Weighed((*model.LinkTerms)(w[firstTerm:firstOffset])) + w[w.column(a)]
}

// sum is what evidence and link add up to.
func (w weights) sum(a *observation) float64 {
	return w[ofEvidence]*a.evidence + w[ofMargin]*a.margin + w.link(a)
}

func (w weights) at(a *observation) float64 { return w[a.intercept()] + w.sum(a) }

// fitted are weights fitted to all questions, and to those outside each fold.
type fitted struct {
	whole weights
	folds [folds]weights
}

// fit fits weights, offsets and the curves. Held-out questions have the weights that are fitted to all questions;
// the weights of ordinary ones are fitted to those, from the weights fitted to all.
func (o *observed) fit() (c model.Calibration, err error) {
	all := those(o.answers, func(a *observation) bool { return a.kind != lacking })
	start := o.usual()
	shared, err := regressFolds(all, func(int) prior { return start })
	if err != nil {
		return c, err
	}

	c.HeldOut, err = o.claims(heldOut, those(o.answers, func(a *observation) bool { return a.kind == heldOut }), shared)
	if err != nil {
		return c, err
	}
	c.Ordinary, err = o.near(ordinary, those(o.answers, func(a *observation) bool { return a.kind == ordinary && !a.isUnsure() }), shared)
	if err != nil {
		return c, err
	}
	c.Lacking, err = o.near(lacking, those(o.answers, func(a *observation) bool { return a.kind < extra && a.ends[0] == lost }), shared)
	if err != nil {
		return c, err
	}
	if len(c.Ordinary.Curve.X) == 0 {
		c.Ordinary = c.HeldOut
	}
	if len(c.HeldOut.Curve.X) == 0 {
		c.HeldOut = c.Ordinary
	}
	if len(c.Lacking.Curve.X) == 0 {
		c.Lacking = c.Ordinary
	}
	o.apply(&c)
	o.bounds(&c, heldOut)
	o.bounds(&c, ordinary)
	c.HeldOut.Curve = o.overlap.lessen(c.HeldOut.Curve)
	return c, nil
}

// those returns the answers that are wanted.
func those(all []observation, wanted func(a *observation) bool) (list []*observation) {
	for i := range all {
		if a := &all[i]; wanted(a) {
			list = append(list, a)
		}
	}
	return list
}

// regressFolds fits weights to the answers, and for each fold to the answers outside it. priors returns the
// prior of each fold, and of all for -1.
func regressFolds(answers []*observation, priors func(fold int) prior) (f *fitted, err error) {
	f = &fitted{}
	f.whole, err = regress(answers, priors(-1), nil)
	if err != nil {
		return nil, err
	}
	var group errgroup.Group
	for k := range folds {
		group.Go(func() (err error) {
			others := slices.DeleteFunc(slices.Clone(answers), func(a *observation) bool { return a.question%folds == k })
			f.folds[k], err = regress(others, priors(k), f.whole)
			return err
		})
	}
	return f, group.Wait()
}

// near fits weights to answers, near those fitted to all, and the curves.
func (o *observed) near(of kind, own []*observation, shared *fitted) (c model.Claims, err error) {
	fit, err := regressFolds(own, func(fold int) prior {
		if fold < 0 {
			return near(shared.whole)
		}
		return near(shared.folds[fold])
	})
	if err != nil {
		return c, err
	}
	return o.claims(of, own, fit)
}

// claims fits the curves of a kind of questions to answers, each of which is judged by what was fitted to the questions of
// other folds.
func (o *observed) claims(of kind, own []*observation, fit *fitted) (c model.Claims, err error) {
	var points []point
	questions := map[int]bool{}
	for _, a := range own {
		w := fit.folds[a.question%folds]
		// Folds differ in what all their sums have in common.
		p := point{x: w.at(a) - fit.whole[a.intercept()], weight: 1}
		if a.isTrue {
			p.hits = 1
		}
		points = append(points, p)
		questions[a.question] = true
	}
	if len(points) < leastAll {
		return c, nil
	}
	c = fit.whole.claims()
	c.Curve = isotonic(points, leastAnswers)
	c.Queries = len(questions)
	c.Answers = len(points)
	if of == lacking {
		return c, nil
	}
	c.Queries = o.queries[of]
	if len(o.doubts[of]) > 0 {
		c.Refuted = isotonic(o.doubts[of], leastAnswers)
	}
	for form, ratios := range o.ratios[of] {
		c.Coverage[form] = model.NewCoverage(ratios)
	}
	return c, nil
}

// claims returns the weights of claims.
func (w weights) claims() model.Claims {
	c := model.Claims{Evidence: digits(w[ofEvidence]), Margin: digits(w[ofMargin]), Unlinked: digits(w[len(w)-1])}
	for i := range c.Terms {
		c.Terms[i] = digits(w[firstTerm+i])
	}
	for _, x := range w[firstOffset : len(w)-1] {
		c.Offsets = append(c.Offsets, digits(x))
	}
	return c
}
