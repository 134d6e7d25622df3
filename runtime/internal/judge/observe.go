package judge

import (
	"errors"
	"slices"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// Observed is a predicted answer that confidence is fitted to: see Basis.
type Observed struct {
	Entity   graph.EntityID
	Place    int     // in the ranking of all entities, from 1 on
	Stands   float64 // the number of entities that it stands for: 1 if it is one of the best
	Evidence float64
	Margin   float64
	Relation graph.RelationID // -1 if the witness predicts no link
	Head     graph.EntityID   // of that link, as Tail; -1 if it is unknown
	Tail     graph.EntityID
	Terms    model.LinkTerms // of that link
}

// Observe delivers the best answers under each semantics that are not in known, which is in ascending order: model.Judged,
// and a sample of the others behind, to which counts are fitted, if wanted. It also delivers the scores of every entity. Only
// a mixture in main memory, which computes the scores of every semantics, has them.
func (j *Judge) Observe(r *run.Result, behind bool, known []int32, use func(s model.Semantics, list []Observed, scores plan.Vector)) error {
	w := r.Workspace()
	if w == nil || j.Plan.Semantics != model.Mixed {
		return errors.New("only a mixture in main memory shows what all semantics rank by")
	}
	degrees := w.Degrees().Degrees(make(plan.Vector, len(w.Answer())))
	probabilities := w.Degrees().Probabilities()
	ofDegrees := make([]float64, len(degrees))
	ofBoth := make([]float64, len(degrees))
	g := w.Settings().Degrees.OrDefault().Mixture
	for e, d := range degrees {
		ofDegrees[e] = fit.DegreeEvidence(float64(d))
		ofBoth[e] = fit.MixtureEvidence(float64(probabilities[e]), float64(d), g)
	}

	j.work = w
	for _, s := range model.AllSemantics {
		scores := map[model.Semantics]plan.Vector{model.NSMP: probabilities, model.FIT: degrees, model.Mixed: w.Answer()}[s]
		all := ofBoth
		if s == model.FIT {
			all = ofDegrees
		}
		list, err := j.observed(sample(scores, behind, known), all)
		if err != nil {
			return err
		}
		use(s, list, scores)
	}
	return nil
}

// sampled sets how fast a sample thins out behind the best answers: the one at index i stands for i/sampled answers.
const sampled = 8

// sample returns the best answers that are not in known, and behind them, if that is wanted, ever fewer of the others.
func sample(scores plan.Vector, behind bool, known []int32) (list []Observed) {
	size := model.Judged + len(known)
	if behind {
		size = len(scores)
	}
	ranked := top.Of(scores, size)
	var open []int // of the ranked
	for i, e := range ranked {
		if _, is := slices.BinarySearch(known, int32(e.Entity)); !is {
			open = append(open, i)
		}
	}
	for i := 0; i < len(open) && (behind || i < model.Judged); {
		stands := min(len(open)-i, max(1, i/sampled))
		list = append(list, Observed{Entity: ranked[open[i]].Entity, Place: open[i] + 1, Stands: float64(stands)})
		i += stands
	}
	return list
}

// observed completes answers, best first, by the evidence in all and by their links.
func (j *Judge) observed(list []Observed, all []float64) ([]Observed, error) {
	atoms := atomsOf(j.Plan.Disjuncts)
	entities := make([]graph.EntityID, len(list))
	for i := range list {
		entities[i] = list[i].Entity
	}
	if err := j.look(entities); err != nil {
		return nil, err
	}
	for i := range list {
		x := &list[i]
		link := j.links[x.Entity]
		x.Evidence = all[x.Entity]
		x.Margin = x.Evidence - list[0].Evidence
		x.Relation = link.Relation
		x.Head = link.Head
		x.Tail = link.Tail
		x.Terms = termsOf(j.Model, link, atoms)
	}
	return list, nil
}
