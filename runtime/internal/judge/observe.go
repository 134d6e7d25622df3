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
	Evidence float64
	Margin   float64
	Relation graph.RelationID // -1 if the witness predicts no link
	Head     graph.EntityID   // of that link, as Tail; -1 if it is unknown
	Tail     graph.EntityID
	Terms    model.LinkTerms // of that link
}

// Observe delivers the k best answers under each semantics that are not in known, which is in ascending order,
// and the scores of and the evidence for every entity. Only a mixture in main memory, which computes the scores of every
// semantics, has them.
func (j *Judge) Observe(r *run.Result, k int, known []int32, use func(s model.Semantics, list []Observed, scores plan.Vector, all []float64)) error {
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
		list, err := j.observed(top.Of(scores, k+len(known)), k, known, all)
		if err != nil {
			return err
		}
		use(s, list, scores, all)
	}
	return nil
}

// observed returns the first k entities that are not in known, with the evidence in all.
func (j *Judge) observed(ranked []top.Ranked, k int, known []int32, all []float64) (list []Observed, err error) {
	atoms := atomsOf(j.Plan.Disjuncts)
	for _, e := range ranked {
		if _, ok := slices.BinarySearch(known, int32(e.Entity)); ok {
			continue
		}
		if err := j.look([]graph.EntityID{e.Entity}); err != nil {
			return nil, err
		}
		link := j.links[e.Entity]
		list = append(list, Observed{
			Entity: e.Entity, Evidence: all[e.Entity], Relation: link.Relation, Head: link.Head, Tail: link.Tail, Terms: termsOf(j.Model, link, atoms),
		})
		if len(list) == k {
			break
		}
	}
	for i := range list {
		list[i].Margin = list[i].Evidence - list[0].Evidence
	}
	return list, nil
}
