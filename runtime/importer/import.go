package importer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/safetensors"
)

// importer is one run of Import.
type importer struct {
	options Options
	sources []runtime.Source
}

// progress reports how far a stage is.
func (im *importer) progress(stage string, done, total int64) {
	im.options.Progress(stage, done, total)
}

// Import reads the graph and the checkpoint, checks that they fit, saves the
// bundle, opens it again, and returns its manifest. An error, or the end of
// ctx, leaves no bundle behind; a bundle that was there before stays.
func Import(ctx context.Context, o Options) (*runtime.Manifest, error) {
	m, err := run(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return m, nil
}

func run(ctx context.Context, o Options) (*runtime.Manifest, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	im := &importer{options: o}
	g, err := im.readGraph(ctx)
	if err != nil {
		return nil, err
	}
	m, err := im.model(ctx, g)
	if err != nil {
		return nil, err
	}
	err = runtime.SaveBundle(ctx, o.Output, m, func(written, total int64) { im.progress(StageWrite, written, total) })
	if err != nil {
		return nil, err
	}
	saved, err := runtime.Open(o.Output)
	if err != nil {
		return nil, err
	}
	manifest := saved.Manifest
	return &manifest, saved.Close()
}

// model puts the graph and the checkpoint together.
func (im *importer) model(ctx context.Context, g *graphData) (*runtime.Model, error) {
	p, reciprocal, err := im.predictor(ctx, g)
	if err != nil {
		return nil, err
	}
	visible, err := runtime.NewGraph(g.n, g.relations, g.triples)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", im.options.Graph, err)
	}
	var heldout *runtime.Graph
	if g.heldout != nil {
		if heldout, err = runtime.NewGraph(g.n, g.relations, g.heldout); err != nil {
			return nil, fmt.Errorf("heldout facts: %w", err)
		}
	}
	if !im.options.SkipCheck {
		if err := im.checkLayout(ctx, visible, p, reciprocal); err != nil {
			return nil, err
		}
	}
	entities, relations, err := g.names()
	if err != nil {
		return nil, err
	}
	name := im.options.Name
	if name == "" {
		name = defaultName(im.options.Graph)
	}
	manifest := runtime.Manifest{
		Name:        name,
		Description: im.options.Description,
		Settings:    im.options.Settings,
		Visible:     g.visible,
		Reciprocal:  reciprocal,
		Sources:     im.sources,
	}
	return runtime.NewModel(manifest, visible, heldout, *p, entities, relations)
}

// defaultName is the name of the graph's folder or file.
func defaultName(graph string) string {
	if full, err := filepath.Abs(graph); err == nil {
		graph = full
	}
	name, _, _ := strings.Cut(filepath.Base(graph), ".")
	return name
}

// names returns the names of a graph, numbers where there are none.
func (g *graphData) names() (entities, relations *runtime.Names, err error) {
	entities, relations = runtime.NumberedNames("entity", g.n), runtime.NumberedNames("relation", g.relations)
	if g.entities != nil {
		if entities, err = g.entities.build(); err != nil {
			return nil, nil, err
		}
	}
	if g.relationNames != nil {
		if relations, err = g.relationNames.build(); err != nil {
			return nil, nil, err
		}
	}
	return entities, relations, nil
}

// predictor reads the embeddings. It fills in the counts of a graph that is
// known by its triples only.
func (im *importer) predictor(ctx context.Context, g *graphData) (p *runtime.Predictor, reciprocal bool, err error) {
	c, err := openCheckpoint(im.options.Checkpoint)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	im.sources = append(im.sources, c.source)
	entity, relation, err := c.tables(im.options.EntityTensor, im.options.RelationTensor)
	if err != nil {
		return nil, false, err
	}
	if reciprocal, err = g.fit(entity, relation); err != nil {
		return nil, false, fmt.Errorf("%s: %w", c.path, err)
	}
	p = &runtime.Predictor{Rank: entity.shape[1] / 2}
	var embeddings, rows []float32
	for _, part := range []struct {
		from candidate
		to   *[]float32
	}{{entity, &embeddings}, {relation, &rows}} {
		var t safetensors.Tensor
		if t, err = part.from.read(); err == nil {
			*part.to, err = im.toFloat32(ctx, t)
		}
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", c.path, err)
		}
	}
	if p.EntityTable, err = runtime.NewTable(embeddings, 2*p.Rank, im.options.Table); err != nil {
		return nil, false, fmt.Errorf("%s: tensor %q: %w", c.path, entity.name, err)
	}
	p.RelationTable = directRelations(rows, 2*p.Rank, reciprocal, im.options.Layout.InverseOffset)
	return p, reciprocal, nil
}

// fit compares the shapes of the tables with the graph, and tells whether there
// are rows for inverse relations.
func (g *graphData) fit(entity, relation candidate) (reciprocal bool, err error) {
	for _, t := range []candidate{entity, relation} {
		if len(t.shape) != 2 || t.shape[0] == 0 || t.shape[1] == 0 || t.shape[1]%2 != 0 {
			return false, fmt.Errorf("tensor %q has shape %v, want rows of twice the rank", t.name, t.shape)
		}
	}
	if entity.shape[1] != relation.shape[1] {
		return false, fmt.Errorf("tensors %q and %q are %d and %d wide: ComplEx has one rank", entity.name, relation.name, entity.shape[1], relation.shape[1])
	}
	rows, relationRows := entity.shape[0], relation.shape[0]
	if g.n == 0 {
		// The graph is known by numbers only: the checkpoint says how many.
		if int(g.topEntity) >= rows {
			g.maxEntity.err = fmt.Errorf("entity %d is out of range: tensor %q has %d rows", g.topEntity, entity.name, rows)
			return false, g.maxEntity
		}
		if int(g.topRelation) >= relationRows {
			g.maxRelation.err = fmt.Errorf("relation %d is out of range: tensor %q has %d rows", g.topRelation, relation.name, relationRows)
			return false, g.maxRelation
		}
		g.n, g.relations = rows, relationRows
		if relationRows%2 == 0 && int(g.topRelation) < relationRows/2 {
			g.relations = relationRows / 2
		}
	}
	if rows != g.n {
		return false, fmt.Errorf("tensor %q has %d rows, but the graph has %d entities", entity.name, rows, g.n)
	}
	switch relationRows {
	case 2 * g.relations:
		return true, nil
	case g.relations:
		return false, nil
	}
	return false, fmt.Errorf("tensor %q has %d rows, but the graph has %d relations: want %d rows, or %d with inverses", relation.name, relationRows, g.relations, g.relations, 2*g.relations)
}

// directRelations orders the rows of the relation table by directed id. Where
// there are no rows for inverses they are the conjugates.
func directRelations(rows []float32, width int, reciprocal, offset bool) []float32 {
	if reciprocal && !offset {
		return rows
	}
	count := len(rows) / width
	if !reciprocal {
		count *= 2
	}
	out := make([]float32, count*width)
	for r := range count {
		to := out[r*width : (r+1)*width]
		from := r / 2
		if reciprocal {
			from += r % 2 * (count / 2)
		}
		copy(to, rows[from*width:(from+1)*width])
		if !reciprocal && r%2 == 1 {
			for k := width / 2; k < width; k++ {
				to[k] = -to[k]
			}
		}
	}
	return out
}
