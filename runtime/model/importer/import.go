package importer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/efoc/efoc/runtime/model"
)

// importer is one run of Import.
type importer struct {
	options Options
	sources []model.Source
	// numberNames says that names need no table: no checkpoint has rows for them.
	numberNames bool
}

// progress reports how far a stage is.
func (im *importer) progress(stage string, done, total int64) {
	im.options.Progress(stage, done, total)
}

// Import reads the graph and the checkpoint, checks that they fit, saves the
// bundle, opens it again, and returns its manifest. An error, or the end of
// ctx, leaves no bundle behind; a bundle that was there before stays.
func Import(ctx context.Context, o Options) (*model.Manifest, error) {
	m, err := run(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return m, nil
}

func run(ctx context.Context, o Options) (*model.Manifest, error) {
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
	err = model.Save(ctx, o.Output, m, func(written, total int64) { im.progress(StageWrite, written, total) })
	if err != nil {
		return nil, err
	}
	saved, err := model.Open(o.Output, model.Mapped())
	if err != nil {
		return nil, err
	}
	manifest := saved.Manifest
	return &manifest, saved.Close()
}

// model puts the graph and the checkpoint together.
func (im *importer) model(ctx context.Context, g *graphData) (m *model.Model, err error) {
	c, err := openCheckpoint(ctx, im.options.Checkpoint)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	im.sources = append(im.sources, c.sources...)
	pair, err := c.tables(im.options.EntityTensor, im.options.RelationTensor)
	if err != nil {
		return nil, err
	}
	rows, err := im.readRows(ctx, g)
	if err != nil {
		return nil, err
	}
	inverses, err := g.fit(pair, rows, im.options.Layout.Inverse)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	visible, err := model.NewGraph(g.n, g.relations, g.triples)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", im.options.Graph, err)
	}
	var heldout *model.Graph
	if g.heldout != nil {
		if heldout, err = model.NewGraph(g.n, g.relations, g.heldout); err != nil {
			return nil, fmt.Errorf("heldout facts: %w", err)
		}
	}
	p, layout, err := im.predictor(ctx, visible, c.path, pair, rows, inverses)
	if err != nil {
		return nil, err
	}
	entities, relations, err := g.names()
	if err != nil {
		return nil, err
	}
	name := im.options.Name
	if name == "" {
		name = defaultName(im.options.Graph)
	}
	manifest := model.Manifest{
		Name:        name,
		Description: im.options.Description,
		Settings:    im.options.Settings,
		Visible:     g.visible,
		Reciprocal:  layout.Inverse != NoInverse,
		Sources:     im.sources,
	}
	return model.New(manifest, visible, heldout, *p, entities, relations)
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
func (g *graphData) names() (entities, relations *model.Names, err error) {
	entities, relations = model.NumberedNames("entity", g.n), model.NumberedNames("relation", g.relations)
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

// predictor reads the embeddings and brings them into the layout of a bundle.
func (im *importer) predictor(ctx context.Context, g *model.Graph, path string, pair tablePair, rows *rowOrder, inverses []Inverse) (*model.Predictor, Layout, error) {
	t := &tables{width: pair.entity.shape[1], order: rows.relations}
	for _, part := range []struct {
		from candidate
		rows []int32
		to   *[]float32
	}{{pair.entity, rows.entities, &t.entities}, {pair.relation, nil, &t.relations}} {
		tensor, err := part.from.read()
		if err == nil {
			*part.to, err = im.toFloat32(ctx, tensor, part.rows)
		}
		if err != nil {
			return nil, Layout{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	layout, err := im.detectLayout(ctx, g, t, pair.layout.likely(inverses))
	if err != nil {
		return nil, layout, err
	}
	p := &model.Predictor{Rank: t.width / 2, RelationTable: t.directed(g.NumRelations(), layout)}
	if p.EntityTable, err = model.MakeTable(t.halves(layout), t.width, im.options.Table, im.options.Exact); err != nil {
		return nil, layout, fmt.Errorf("%s: tensor %q: %w", path, pair.entity.name, err)
	}
	return p, layout, nil
}

// fit compares the shapes of the tables with the graph and returns where the
// inverse relations may be. It fills in the counts of a graph that is known by
// its triples only, and the number of relations in the order of the rows.
func (g *graphData) fit(pair tablePair, rows *rowOrder, stated Inverse) ([]Inverse, error) {
	entity, relation := pair.entity, pair.relation
	for _, t := range []candidate{entity, relation} {
		if len(t.shape) != 2 || t.shape[0] == 0 || t.shape[1] == 0 || t.shape[1]%2 != 0 {
			return nil, fmt.Errorf("tensor %q has shape %v, want rows of twice the rank", t.name, t.shape)
		}
	}
	if entity.shape[1] != relation.shape[1] {
		return nil, fmt.Errorf("tensors %q and %q are %d and %d wide: ComplEx has one rank", entity.name, relation.name, entity.shape[1], relation.shape[1])
	}
	if g.n == 0 {
		if err := g.count(entity, relation, stated); err != nil {
			return nil, err
		}
	}
	want, of := g.n, "the graph has"
	if rows.entities != nil {
		want, of = rows.entityCount, rows.entityFile+" has"
	}
	if entity.shape[0] != want {
		return nil, fmt.Errorf("tensor %q has %d rows, but %s %d entities", entity.name, entity.shape[0], of, want)
	}
	order := &rows.relations
	of = "the graph has"
	if order.rows == nil {
		order.count = g.relations
	} else {
		of = rows.relationFile + " has"
	}
	have := relation.shape[0]
	switch {
	case order.directed && have == order.count:
		return []Inverse{XOR}, nil
	case !order.directed && have == 2*order.count:
		return []Inverse{XOR, Offset}, nil
	case !order.directed && have == order.count:
		return []Inverse{NoInverse}, nil
	case order.directed:
		return nil, fmt.Errorf("tensor %q has %d rows, but %s %d relations with their inverses", relation.name, have, of, order.count)
	}
	return nil, fmt.Errorf("tensor %q has %d rows, but %s %d relations: want %d rows, or %d with inverses", relation.name, have, of, order.count, order.count, 2*order.count)
}

// count takes the counts of a graph that is known by numbers only from the
// checkpoint.
func (g *graphData) count(entity, relation candidate, stated Inverse) error {
	rows, relationRows := entity.shape[0], relation.shape[0]
	if int(g.topEntity) >= rows {
		g.maxEntity.err = fmt.Errorf("entity %d is out of range: tensor %q has %d rows", g.topEntity, entity.name, rows)
		return g.maxEntity
	}
	if int(g.topRelation) >= relationRows {
		g.maxRelation.err = fmt.Errorf("relation %d is out of range: tensor %q has %d rows", g.topRelation, relation.name, relationRows)
		return g.maxRelation
	}
	g.n, g.relations = rows, relationRows
	if relationRows%2 == 0 && int(g.topRelation) < relationRows/2 && stated != NoInverse {
		g.relations = relationRows / 2
	}
	return nil
}
