package runtime

import (
	"errors"
	"slices"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/rank"
)

// Observed is a predicted answer that confidence is fitted to: see Basis.
type Observed struct {
	Entity           model.EntityID
	Evidence, Margin float64
	Relation         model.RelationID // -1 if the witness predicts no link
	Terms            model.LinkTerms  // of that link
}

// Observe delivers the k best answers under each semantics that are not in known, which is in ascending order,
// and the evidence for every entity. Only a mixture in main memory, which computes the scores of every
// semantics, has them.
func (x *Run) Observe(k int, known []int32, use func(s model.Semantics, list []Observed, all []float64)) error {
	q := x.query
	w, err := x.Workspace()
	if err != nil || q.plan.Semantics != model.Mixed {
		return errors.New("only a mixture in main memory shows what all semantics rank by")
	}
	degrees := w.Degrees().Degrees(make(plan.Vector, len(w.Answer())))
	probabilities := w.Degrees().Probabilities()
	ofDegrees := make([]float64, len(degrees))
	ofBoth := make([]float64, len(degrees))
	g := w.Settings().Degrees.OrDefault().Mixture
	found := map[model.EntityID]plan.Link{}
	atoms := atomsOf(q.plan.Patterns)
	for e, d := range degrees {
		ofDegrees[e], ofBoth[e] = fit.DegreeEvidence(float64(d)), fit.MixtureEvidence(float64(probabilities[e]), float64(d), g)
	}
	for _, s := range model.AllSemantics {
		scores := map[model.Semantics]plan.Vector{model.NSMP: probabilities, model.FIT: degrees, model.Mixed: w.Answer()}[s]
		all := ofBoth
		if s == model.FIT {
			all = ofDegrees
		}
		var list []Observed
		for _, e := range rank.Top(scores, k+len(known)) {
			if _, ok := slices.BinarySearch(known, int32(e.Entity)); ok {
				continue
			}
			link, ok := found[e.Entity]
			if !ok {
				links, err := w.Links(q.plan, []model.EntityID{e.Entity})
				if err != nil {
					return err
				}
				link = links[0]
				found[e.Entity] = link
			}
			u := all[e.Entity]
			list = append(list, Observed{Entity: e.Entity, Evidence: u, Relation: link.Relation, Terms: q.model.termsOf(link, atoms)})
			if len(list) == k {
				break
			}
		}
		for i := range list {
			list[i].Margin = list[i].Evidence - list[0].Evidence
		}
		use(s, list, all)
	}
	return nil
}
