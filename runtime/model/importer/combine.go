package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
)

// rowBatch is the number of rows between two checks of the context.
const rowBatch = 1 << 10

// predictor returns the predictor whose score of a link is the weighted mean of the checkpoints' scores. It puts their
// rows side by side, part by part, and multiplies their relations by the weights.
func (im *importer) predictor(ctx context.Context, visible *graph.Graph, list []*checkpoint) (*model.Predictor, error) {
	for _, c := range list {
		if err := im.readEmbeddings(ctx, visible, c); err != nil {
			return nil, fmt.Errorf("%s: %w", c.path, err)
		}
	}
	p, err := combineRelations(list, im.options.Weights, visible.NumRelations())
	if err != nil {
		return nil, err
	}

	n := visible.NumEntities()
	reading := list[0]
	p.EntityTable, err = table.Build(n, 2*p.Rank, im.options.Table, im.options.Exact, func(e int, to []float32) error {
		if e%rowBatch == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			im.options.Progress(stageCheckpoint, int64(e), int64(n))
		}
		for _, reading = range list {
			if err := reading.entity(reading.row, e, reading.layout); err != nil {
				return err
			}
			place(to, reading.row, reading.first)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", reading.path, err)
	}
	im.options.Progress(stageCheckpoint, int64(n), int64(n))
	return &p, nil
}

// readEmbeddings reads the tables of a checkpoint, and finds their layout.
func (im *importer) readEmbeddings(ctx context.Context, visible *graph.Graph, c *checkpoint) (err error) {
	for _, t := range []*embeddings{&c.entities, &c.relations} {
		t.data, err = t.read()
		if err != nil {
			return err
		}
	}
	c.row = make([]float32, c.parts(im.options.Layout.Parts)[0].width(c.entities.shape[1]))
	c.layout, err = im.detectLayout(ctx, visible, c)
	return err
}

// combineRelations returns the predictor of n directed relations without an entity table, and sets the positions of
// the checkpoints' rows.
func combineRelations(list []*checkpoint, weights []float64, n int) (p model.Predictor, err error) {
	parts := make([]model.Predictor, len(list))
	for i, c := range list {
		parts[i], err = c.predictor(n, c.layout)
		if err != nil {
			return p, fmt.Errorf("%s: %w", c.path, err)
		}
		c.first = p.Rank
		p.Rank += parts[i].Rank
	}
	if len(list) == 1 {
		return parts[0], nil
	}

	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(list))
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	width := 2 * p.Rank
	p.RelationTable = make([]float32, n*width)
	for i, c := range list {
		for r := range n {
			row := parts[i].Relation(graph.RelationID(r))
			simd.Scale(row, row, float32(weights[i]/total))
			place(p.RelationTable[r*width:(r+1)*width], row, c.first)
		}
	}
	return p, nil
}

// place copies the real and imaginary parts of from into those of to, which are longer, from position first on.
func place(to, from []float32, first int) {
	d := len(from) / 2
	copy(to[first:], from[:d])
	copy(to[len(to)/2+first:], from[d:])
}
