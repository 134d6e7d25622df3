package model

import (
	"errors"
	"fmt"

	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
)

// New assembles a model from its parts, sets the counts of the manifest and checks that everything fits. If
// p.EntityNorms is nil, New computes it from the stored numbers. heldout may be nil. The model takes ownership of the
// slices.
func New(manifest Manifest, visible, heldout *graph.Graph, p Predictor, entities, relations *names.Names) (*Model, error) {
	m := &Model{Manifest: manifest, Graph: visible, Heldout: heldout, Predictor: p, Entities: entities, Relations: relations, kin: &kin{}, core: &core{pool: pool.New(0)}}
	if visible == nil || entities == nil || relations == nil {
		return nil, errors.New("a model needs a graph and names")
	}
	m.Manifest.Version = BundleVersion
	m.Manifest.Entities = visible.NumEntities()
	m.Manifest.Relations = visible.NumRelations() / 2
	m.Manifest.Rank = p.Rank
	m.Manifest.Triples = visible.NumTriples()
	if heldout != nil {
		m.Manifest.Heldout = heldout.NumTriples()
	}
	m.Manifest.Attributes = nil // see WithValues
	m.Manifest.Regularities = visible.Regularities()
	m.Manifest.Table, m.Manifest.Exact = p.EntityTable.Types()
	if p.EntityNorms == nil {
		m.Predictor.EntityNorms = p.EntityTable.Norms()
	}
	if err := m.validate(); err != nil {
		return nil, err
	}
	if name := manifest.TypeRelation; name != "" {
		if _, err := m.Relation(name); err != nil {
			return nil, fmt.Errorf("the relation of types: %w", err)
		}
	}
	return m, nil
}

// validate checks that the parts of a model fit its manifest and one another. The graphs and names are already valid.
func (m *Model) validate() error {
	if err := m.Manifest.validate(); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	n := m.Manifest.Entities
	relations := m.Manifest.Relations
	d := m.Manifest.Rank
	rows := m.Manifest.rows()
	triples := m.Manifest.Triples
	if s := m.Manifest.Shard; s != nil && !s.Head() {
		n = rows
		triples = m.Graph.NumTriples() // of the whole model
	}
	var beside [2]int
	for i, g := range []*graph.Graph{m.Heldout, m.Untrue} {
		if g == nil {
			continue
		}
		beside[i] = g.NumTriples()
		if g.NumEntities() != n || g.NumRelations() != 2*relations {
			return fmt.Errorf("the %s graph does not have the entities and relations of the graph", []string{prefixHeldout, prefixUntrue}[i])
		}
	}
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"entities in the graph", m.Graph.NumEntities(), n},
		{"directed relations in the graph", m.Graph.NumRelations(), 2 * relations},
		{"triples", m.Graph.NumTriples(), triples},
		{"heldout triples", beside[0], m.Manifest.Heldout},
		{"untrue triples", beside[1], m.Manifest.Untrue},
		{"entity names", m.Entities.Len(), n},
		{"relation names", m.Relations.Len(), relations},
		{"rank", m.Predictor.Rank, d},
		{"rows of the entity table", m.Predictor.EntityTable.Rows(), rows},
		{"numbers in a row of the entity table", m.Predictor.EntityTable.Width(), 2 * d},
		{"numbers in the relation table", len(m.Predictor.RelationTable), 2 * relations * 2 * d},
		{"entity norms", len(m.Predictor.EntityNorms), rows},
	} {
		if c.got != c.want {
			return fmt.Errorf("%s: there are %d, the manifest wants %d", c.what, c.got, c.want)
		}
	}
	table, exact := m.Predictor.EntityTable.Types()
	if table != m.Manifest.Table || exact != m.Manifest.Exact {
		return fmt.Errorf("entity table: its numbers are %s and %q beside them, the manifest wants %s and %q", table, exact, m.Manifest.Table, m.Manifest.Exact)
	}
	return m.Predictor.validateNumbers(m.leave)
}
