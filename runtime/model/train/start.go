package train

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Embeddings are rows of another model, the initial values of a training.
type Embeddings struct {
	Predictor *model.Predictor
	// Entities and Relations map each entity and each directed relation of the graph to its row, -1 if the model
	// lacks it: then it starts with random numbers.
	Entities, Relations []int32
}

// Start initialises a run with the embeddings of another model, before its first step. Models do not store Adagrad's
// sums of squares, so a first epoch computes them without moving the embeddings. Otherwise the first steps, each as
// long as the rate, would undo the earlier training.
func (r *Run) Start(ctx context.Context, e Embeddings) error {
	t := r.Trainer
	if p := e.Predictor; p.Rank != t.options.Rank {
		return fmt.Errorf("embeddings of rank %d, want rank %d", p.Rank, t.options.Rank)
	}
	var buf []float32
	for i, from := range e.Entities {
		if from >= 0 {
			buf = e.Predictor.EntityTable.Row(graph.EntityID(from), buf)
			t.entities.set(i, buf)
		}
	}
	for i, from := range e.Relations {
		if from >= 0 {
			t.relations.set(i, e.Predictor.Relation(graph.RelationID(from)))
		}
	}

	t.fixed = true
	for t.number == 0 || t.order != nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := t.Step(); err != nil {
			return err
		}
	}
	t.fixed = false
	t.number = 0
	t.loss = Loss{}
	return nil
}

// set copies an embedding, real half first, to a row.
func (t *weights) set(i int, embedding []float32) {
	row := t.values.row(i)
	copy(row[:t.rank], embedding[:t.rank])
	copy(row[t.half:t.half+t.rank], embedding[t.rank:2*t.rank])
}
