package training

import (
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/train"
)

// checkFrom refuses a model that cannot be trained further, and adopts its rank.
func (j *Job) checkFrom() error {
	if j.From == nil {
		return nil
	}
	p := &j.From.Predictor
	switch {
	case j.Given.Members != nil && *j.Given.Members > 1:
		return usagef("--from continues one training: leave out --members")
	case j.Given.Rank != nil && *j.Given.Rank != p.Rank:
		return usagef("--from: the model has rank %d, so that --rank cannot be %d", p.Rank, *j.Given.Rank)
	}
	rank := p.Rank
	j.Given.Rank = &rank
	return nil
}

// rows returns the rows of the model for the entities and directed relations of the graph, -1 for new ones, and the
// numbers of new entities and relations.
func (j *Job) rows() (e train.Embeddings, newEntities, newRelations int) {
	e.Predictor = &j.From.Predictor
	for id := range int32(j.Data.Entities.Len()) {
		from, unknown := j.From.Entities.Find(j.Data.Entities.Name(id))
		if unknown != nil {
			from = -1
			newEntities++
		}
		e.Entities = append(e.Entities, from)
	}
	for id := range int32(j.Data.Relations.Len()) {
		from, unknown := j.From.Relations.Find(j.Data.Relations.Name(id))
		if unknown != nil {
			e.Relations = append(e.Relations, -1, -1)
			newRelations++
			continue
		}
		e.Relations = append(e.Relations, 2*from, 2*from+1)
	}
	return e, newEntities, newRelations
}

// learntShare is the share of held-out facts that the model may have been trained on without a warning.
const learntShare = 0.05

// warnLearnt warns if the model was trained on facts for validation or testing. It was trained on its graph except
// for the facts that HoldOut took from it and that were put back.
func (j *Job) warnLearnt(e train.Embeddings) {
	m := j.From
	old := &importer.Dataset{Entities: m.Entities, Relations: m.Relations, Train: triples(m.Graph)}
	old.HoldOut(int(m.Manifest.Missing.HeldOut*float64(len(old.Train))+0.5), 1)
	learnt := map[graph.Triple]bool{}
	for _, t := range old.Train {
		learnt[t] = true
	}
	held := slices.Concat(j.Data.Valid, j.Data.Test)
	count := 0
	for _, t := range held {
		r := e.Relations[2*t.Relation]
		there := graph.Triple{Head: graph.EntityID(e.Entities[t.Head]), Relation: r / 2, Tail: graph.EntityID(e.Entities[t.Tail])}
		if r >= 0 && learnt[there] {
			count++
		}
	}
	if float64(count) > learntShare*float64(len(held)) {
		j.Out.Warn("%d of %d facts to validate and test by are among those that the model of --from has learnt: MRR and confidence come out too high; put the facts that it holds back into the graph, and hold out the same shares",
			count, len(held))
	}
}

// triples returns the facts of a graph.
func triples(g *graph.Graph) (list []graph.Triple) {
	for r := graph.RelationID(0); int(r) < g.NumRelations(); r += 2 {
		heads, tails := g.Edges(r)
		for i, h := range heads {
			list = append(list, graph.Triple{Head: graph.EntityID(h), Relation: int32(r / 2), Tail: graph.EntityID(tails[i])})
		}
	}
	return list
}

// startFrom starts the run with the embeddings of the model.
func (j *Job) startFrom(ctx context.Context, sample *train.Test) error {
	d := j.Data
	e, newEntities, newRelations := j.rows()
	if newEntities == d.Entities.Len() {
		return usagef("--from: the model has none of the graph's entities")
	}
	j.warnLearnt(e)

	j.Out.Progress("begin with the embeddings of the model", 0, 0)
	if err := j.run.Start(ctx, e); err != nil {
		return err
	}
	j.Out.Note("begin with the embeddings of %s: %d of %d entities and %d of %d relations are new",
		j.From.Manifest.Name, newEntities, d.Entities.Len(), newRelations, d.Relations.Len())
	if sample == nil {
		return nil
	}
	m, err := j.run.Evaluate(ctx, sample, j.Out.progress("validation"))
	if err != nil {
		return err
	}
	j.Out.Note("at the start: validation MRR %.4f, Hits@10 %.4f", m.MRR, m.Hits10)
	return nil
}
