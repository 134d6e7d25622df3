package model

import (
	"fmt"
	"math"
)

// Lent is Grown for a model that is dropped soon, such as the model of one question. It appends to a table that GiveBack
// returned, if there is one, and otherwise to a copy. The garbage collector may free tables that were given back.
func (m *Model) Lent(names []string, rows []float32) (*Model, error) {
	r, idle := m.rooms.Get().(*room)
	if !idle || !r.of.Predictor.EntityTable.Is(&m.Predictor.EntityTable) {
		r = &room{table: m.Predictor.EntityTable, norms: m.Predictor.EntityNorms, names: m.Entities}
	}
	r.of = m
	base := *m
	base.Entities = r.names
	base.Predictor.EntityTable = r.table
	base.Predictor.EntityNorms = r.norms
	next, err := base.Grown(names, rows)
	if err == nil {
		next.lent = r
	}
	return next, err
}

// Kept returns where plans keep memory for the next model that Lent appends to the same table, given a model from Lent,
// or one that With made from it. It returns nil for other models.
func (m *Model) Kept() *any {
	if m.lent == nil {
		return nil
	}
	return &m.lent.kept
}

// GiveBack gives back the entity table of a model from Lent, or of one that With made from it. The table must not be read
// afterwards. For other models it does nothing.
func (m *Model) GiveBack() {
	if m.lent == nil {
		return
	}
	of := m.lent.of
	m.rooms.Put(&room{
		of: of, table: of.Predictor.EntityTable.Within(&m.Predictor.EntityTable), norms: m.Predictor.EntityNorms[:of.NumEntities()],
		names: of.Entities.Within(m.Entities), kept: m.lent.kept,
	})
}

// GrowthBytes returns the memory that the first call of Grown takes: see there.
func (m *Model) GrowthBytes() int64 {
	bytes := 4 * len(m.Predictor.EntityNorms)
	for _, t := range m.Predictor.EntityTable.Tensors() {
		bytes += len(t.Data)
	}
	return int64(bytes + bytes/4)
}

// Grown returns the model with more entities, given their names and their concatenated rows of 2d numbers. It is a
// snapshot that shares memory with m, which does not change. The entities take the ids from n on and have no facts
// yet: With adds some. Names must be new. Rows are rounded to the table's type.
//
// The first call copies the entity table to Go's heap, with room for a quarter more rows. Later
// calls on its result copy only the new rows, and the order of the names: 4 bytes per entity.
func (m *Model) Grown(names []string, rows []float32) (*Model, error) {
	if err := m.Hold(); err != nil {
		return nil, err
	}
	defer m.Release()
	width := 2 * m.Predictor.Rank
	if len(names) == 0 || len(rows) != len(names)*width {
		return nil, fmt.Errorf("%d numbers for %d new entities, want %d for each", len(rows), len(names), width)
	}
	if n := m.NumEntities(); n > math.MaxInt32-len(names) {
		return nil, fmt.Errorf("%d entities and %d more, want at most %d", n, len(names), math.MaxInt32)
	}
	next := *m
	var err error
	next.Entities, err = m.Entities.Grown(names)
	if err != nil {
		return nil, err
	}
	next.Predictor.EntityTable, next.Predictor.EntityNorms, err = m.Predictor.EntityTable.Grown(rows, m.Predictor.EntityNorms)
	if err != nil {
		return nil, err
	}
	next.Graph = m.Graph.Grown(len(names))
	if m.Heldout != nil {
		next.Heldout = m.Heldout.Grown(len(names))
	}
	if m.Untrue != nil {
		next.Untrue = m.Untrue.Grown(len(names))
	}
	next.Manifest.Entities += len(names)
	return &next, nil
}
