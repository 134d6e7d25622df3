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

// Observe delivers, under each semantics, the entities that pick selects of all outside known, which is in ascending order;
// pick receives them best first. It delivers all scores as well. Only a mixture in main memory, which computes the scores
// of every semantics, has them.
func (j *Judge) Observe(r *run.Result, known []int32, pick func(ranked []graph.EntityID) []graph.EntityID, use func(s model.Semantics, list []Observed, scores plan.Vector)) error {
	w := r.Workspace()
	if w == nil || j.Plan.Semantics != model.Mixed {
		return errors.New("only a mixture in main memory shows what all semantics rank by")
	}
	degrees := w.Degrees().Degrees(make(plan.Vector, len(w.Answer())))
	probabilities := w.Degrees().Probabilities()
	j.work = w
	for _, s := range model.AllSemantics {
		scores := map[model.Semantics]plan.Vector{model.NSMP: probabilities, model.FIT: degrees, model.Mixed: w.Answer()}[s]
		var ranked []graph.EntityID
		for _, e := range top.Of(scores, len(scores)) {
			if _, is := slices.BinarySearch(known, int32(e.Entity)); !is {
				ranked = append(ranked, e.Entity)
			}
		}
		if len(ranked) == 0 {
			continue
		}
		evidence := func(e graph.EntityID) float64 {
			if s == model.FIT {
				return fit.DegreeEvidence(float64(degrees[e]))
			}
			return fit.MixtureEvidence(float64(probabilities[e]), float64(degrees[e]), w.Settings().Degrees.OrDefault().Mixture)
		}
		list, err := j.observed(pick(ranked), evidence, evidence(ranked[0]))
		if err != nil {
			return err
		}
		use(s, list, scores)
	}
	return nil
}

// observed returns what entities show, given the evidence for the best one.
func (j *Judge) observed(entities []graph.EntityID, evidence func(e graph.EntityID) float64, best float64) ([]Observed, error) {
	if err := j.look(entities); err != nil {
		return nil, err
	}
	atoms := atomsOf(j.Plan.Disjuncts)
	list := make([]Observed, len(entities))
	for i, e := range entities {
		link := j.links[e]
		u := evidence(e)
		list[i] = Observed{
			Entity: e, Evidence: u, Margin: u - best, Relation: link.Relation, Head: link.Head, Tail: link.Tail, Terms: termsOf(j.Model, link, atoms),
		}
	}
	return list, nil
}
