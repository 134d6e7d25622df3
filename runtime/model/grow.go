package model

import (
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/runtime/internal/grow"
)

// Grown returns the model with more entities, whose rows of 2d numbers lie end to end in rows. It is a
// snapshot that shares what it can with m, which does not change. The entities take the ids from n on
// and have no facts yet: With adds some. Names must be new. Rows are rounded as the table's are.
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
	next.Predictor, err = m.Predictor.grown(rows)
	if err != nil {
		return nil, err
	}
	next.lows, next.columns = m.lows.grown(), &columnSquares{}
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

// grown returns the predictor with more rows.
func (p *Predictor) grown(values []float32) (Predictor, error) {
	t := &p.EntityTable
	table, exact := t.types()
	more, err := MakeTable(values, t.width, table, exact)
	if err != nil {
		return *p, err
	}
	norms := more.norms()
	for i, norm := range norms {
		if !(norm <= MaxLength) {
			return *p, fmt.Errorf("new row %d has length %v, want at most %v", i, norm, float32(MaxLength))
		}
	}
	if err := more.checkCodes(norms); err != nil {
		return *p, err
	}
	next := *p
	end, own := t.sharedEnd.Take(t.Rows(), more.Rows())
	next.EntityNorms = grow.Append(p.EntityNorms, norms, own)
	next.EntityTable = Table{
		dtype: t.dtype, width: t.width, f32: grow.Append(t.f32, more.f32, own), half: grow.Append(t.half, more.half, own),
		residual: max(t.residual, more.residual), norm: max(t.norm, more.norm), sharedEnd: end,
	}
	c := t.codes
	x := more.codes
	if c != nil {
		next.EntityTable.codes = &quant.Table{
			Width: c.Width, Codes: grow.Append(c.Codes, x.Codes, own),
			Scales: grow.Append(c.Scales, x.Scales, own), Residuals: grow.Append(c.Residuals, x.Residuals, own),
		}
	}
	return next, nil
}
