package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// Observed is a predicted answer that confidence is fitted to: see Basis.
type Observed struct {
	Entity           model.EntityID
	Evidence, Margin float64
	Relation         model.RelationID // -1 if the witness predicts no link
	Terms            model.LinkTerms  // of that link
}

// Observe answers questions with the mixture, which computes the scores of every semantics. For
// each question it delivers the k best answers under each semantics that are not in known,
// which is in ascending order, and the evidence for every entity.
// Questions run together as in AnswerBatch; use is called once for each, possibly concurrently.
func (q *Query) Observe(ctx context.Context, batch []scq.Bindings, s *model.Settings, k int, known func(i int) []int32,
	use func(i int, s model.Semantics, list []Observed, all []float64)) error {
	q = q.Snapshot()
	if q.remote != nil || q.plan.Semantics != model.Mixed {
		return q.fail(fmt.Errorf("only a mixture in main memory shows what all semantics rank by"))
	}
	o, err := q.checkAll(batch, s)
	if err != nil {
		return err
	}
	x := q.local
	x.Observed = true
	i, err := q.runBatch(ctx, len(batch), func(ctx context.Context, i int, d *drive.Query) error {
		return x.Run(ctx, batch[i], *o.Settings, d, 0, true, func(w *plan.Workspace) error {
			return q.observe(w, k, known(i), func(s model.Semantics, list []Observed, all []float64) { use(i, s, list, all) })
		})
	})
	if err != nil {
		return inBatch(i, q, err)
	}
	return nil
}

// observe lists the best answers of a mixture that are not known, under each semantics.
func (q *Query) observe(w *plan.Workspace, k int, known []int32, use func(s model.Semantics, list []Observed, all []float64)) error {
	degrees, probabilities := w.Degrees().Degrees(make(plan.Vector, len(w.Answer()))), w.Degrees().Probabilities()
	ofDegrees, ofBoth := make([]float64, len(degrees)), make([]float64, len(degrees))
	g, found := w.Settings().Degrees.OrDefault().Mixture, map[model.EntityID]plan.Link{}
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
			x, ok := found[e.Entity]
			if !ok {
				links, err := w.Links(q.plan, []model.EntityID{e.Entity})
				if err != nil {
					return err
				}
				x = links[0]
				found[e.Entity] = x
			}
			u := all[e.Entity]
			if list = append(list, Observed{Entity: e.Entity, Evidence: u, Relation: x.Relation, Terms: q.model.termsOf(x, atoms)}); len(list) == k {
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
