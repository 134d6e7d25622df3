// Package modeltest makes small models for tests, of what a test says of them and of nothing else.
package modeltest

import (
	"cmp"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// Spec says what a model has.
type Spec struct {
	// Manifest has the default settings if it has none, and is called "test" if it has no name.
	Manifest model.Manifest
	// Entities and Relations count those that are numbered. The others have names.
	Entities, Relations           int
	EntityNames, EntityLabels     []string
	RelationNames, RelationLabels []string
	Facts, Heldout                []graph.Triple
	Rank                          int        // 1 if it is 0
	Rows, RelationRows            []float32  // of zeros if they are nil
	Table, Exact                  table.Type // float32 alone if they are empty
}

// Model makes the model.
func (s Spec) Model() (*model.Model, error) {
	entities := names.Numbered("entity", s.Entities)
	relations := names.Numbered("relation", s.Relations)
	var err error
	if s.EntityNames != nil {
		s.Entities = len(s.EntityNames)
		entities, err = names.New("entity", s.EntityNames, s.EntityLabels)
		if err != nil {
			return nil, err
		}
	}
	if s.RelationNames != nil {
		s.Relations = len(s.RelationNames)
		relations, err = names.New("relation", s.RelationNames, s.RelationLabels)
		if err != nil {
			return nil, err
		}
	}
	visible, err := graph.New(s.Entities, s.Relations, s.Facts)
	if err != nil {
		return nil, err
	}
	var heldout *graph.Graph
	if s.Heldout != nil {
		heldout, err = graph.New(s.Entities, s.Relations, s.Heldout)
		if err != nil {
			return nil, err
		}
	}
	p := model.Predictor{Rank: cmp.Or(s.Rank, 1), RelationTable: s.RelationRows}
	width := 2 * p.Rank
	if p.RelationTable == nil {
		p.RelationTable = make([]float32, 2*s.Relations*width)
	}
	if s.Rows == nil {
		s.Rows = make([]float32, s.Entities*width)
	}
	p.EntityTable, err = table.Make(s.Rows, width, cmp.Or(s.Table, table.Float32), s.Exact)
	if err != nil {
		return nil, err
	}
	s.Manifest.Name, s.Manifest.Visible = cmp.Or(s.Manifest.Name, "test"), cmp.Or(s.Manifest.Visible, "all")
	s.Manifest.Settings = cmp.Or(s.Manifest.Settings, model.DefaultSettings())
	return model.New(s.Manifest, visible, heldout, p, entities, relations)
}

// New makes a model, which the caller closes.
func New(tb require.TB, s Spec) *model.Model {
	tb.Helper()
	m, err := s.Model()
	require.NoError(tb, err)
	return m
}
