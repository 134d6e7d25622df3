package model

import (
	"fmt"
	"math"
)

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
