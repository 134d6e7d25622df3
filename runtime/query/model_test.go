package query

import (
	"bytes"
	"testing"

	"github.com/efoc/efoc/runtime/model"
)

// smallModel is a model of five entities and two relations.
func smallModel(t testing.TB) *Model { return smallModelOf(t, model.Float32) }

// smallModelOf has numbers that all types of tables hold exactly.
func smallModelOf(t testing.TB, table model.TableType) *Model {
	t.Helper()
	p := model.Predictor{Rank: 2, RelationTable: make([]float32, 16)}
	embeddings := make([]float32, 20)
	for i := range embeddings {
		embeddings[i] = float32(i) - 7.5
	}
	for i := range p.RelationTable {
		p.RelationTable[i] = 1 / float32(i+1)
	}
	visible, err := model.NewGraph(5, 2, []model.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 2}, {Head: 1, Relation: 1, Tail: 1}, {Head: 4, Relation: 1, Tail: 0}})
	if err != nil {
		t.Fatal(err)
	}
	entities, err := model.NewNames("entity", []string{"e0", "e1", "e2", "e3", "e4"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	relations, err := model.NewNames("relation", []string{"knows", "likes"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.EntityTable, err = model.NewTable(embeddings, 4, table); err != nil {
		t.Fatal(err)
	}
	m, err := model.New(model.Manifest{Name: "small", Settings: model.DefaultSettings(), Visible: "train"}, visible, nil, p, entities, relations)
	if err != nil {
		t.Fatal(err)
	}
	return NewModel(m)
}

// smallBundle is the bundle of smallModel.
func smallBundle(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := model.Write(&out, smallModel(t).Model); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
