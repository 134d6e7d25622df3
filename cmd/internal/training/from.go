package training

import (
	"context"

	"github.com/efoc/efoc/runtime/model/train"
)

// checkFrom reports that a model cannot be trained on, and takes its rank.
func (j *Job) checkFrom() error {
	if j.From == nil {
		return nil
	}
	p := &j.From.Predictor
	switch {
	case p.Blocks != 0:
		return usagef("--from: the model maps by matrices; only embeddings of complex numbers, as of ComplEx, can be trained on")
	case j.Given.Rank != nil && *j.Given.Rank != p.Rank:
		return usagef("--from: the model has rank %d, so that --rank cannot be %d", p.Rank, *j.Given.Rank)
	}
	rank := p.Rank
	j.Given.Rank = &rank
	return nil
}

// warnLearnt warns if facts to validate by or to test with are among those that the model has learnt.
func (j *Job) warnLearnt(all int) {
	if j.From == nil || !j.heldOut {
		return
	}
	m := &j.From.Manifest
	back := float64(m.Heldout) // facts that the model has not learnt
	facts := back + float64(m.Triples)
	unseen := (back + m.Missing.HeldOut*float64(m.Triples)) / facts
	out := float64(len(j.Data.Valid)+len(j.Data.Heldout)) / float64(all)
	if out > moreHeldOut*unseen {
		j.Out.Warn("the model of --from was trained with %.1f%% of its facts held out, now it is %.1f%%: it has learnt some of them already, so that MRR and confidence come out too high",
			100*unseen, 100*out)
	}
}

// moreHeldOut is the ratio up to which the share of facts that are held out may grow.
const moreHeldOut = 1.1

// startFrom begins the run with the embeddings of the model.
func (j *Job) startFrom(ctx context.Context, sample *train.Test) error {
	d := j.Data
	e := train.Embeddings{Predictor: &j.From.Predictor}
	newEntities := 0
	for id := range int32(d.Entities.Len()) {
		from, unknown := j.From.Entities.Find(d.Entities.Name(id))
		if unknown != nil {
			from = -1
			newEntities++
		}
		e.Entities = append(e.Entities, from)
	}
	newRelations := 0
	for id := range int32(d.Relations.Len()) {
		forward, inverse := int32(-1), int32(-1)
		if from, unknown := j.From.Relations.Find(d.Relations.Name(id)); unknown == nil {
			forward = 2 * from
			inverse = forward + 1
		} else {
			newRelations++
		}
		e.Relations = append(e.Relations, forward, inverse)
	}
	if newEntities == d.Entities.Len() {
		return usagef("--from: the model has none of the graph's entities")
	}

	j.Out.Progress("begin with the embeddings of the model", 0, 0)
	if err := j.run.Start(ctx, e); err != nil {
		return err
	}
	j.Out.Note("begin with the embeddings of %s: %d of %d entities and %d of %d relations are new",
		j.From.Manifest.Name, newEntities, d.Entities.Len(), newRelations, d.Relations.Len())
	if sample == nil {
		return nil
	}
	m, _, err := j.run.Evaluate(ctx, sample, j.Out.progress("validation"))
	if err != nil {
		return err
	}
	j.Out.Note("at the start: validation MRR %.4f, Hits@10 %.4f", m.MRR, m.Hits10)
	return nil
}
