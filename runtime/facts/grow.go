package facts

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/newrow"
)

// grow returns the model with the new entities, whose rows it computes from the facts to be added. allow is nil if they
// last; otherwise it may refuse them.
func (r *reader) grow(ctx context.Context, add []graph.Triple, allow func() error) (*model.Model, []journal.Entity, error) {
	if len(r.fresh) == 0 {
		return r.model, nil, nil
	}
	grown := r.model.Grown
	if allow != nil {
		grown = r.model.Lent
		if err := allow(); err != nil {
			return nil, nil, err
		}
	}
	rows, err := newrow.Rows(ctx, r.model, r.fresh, add)
	if err != nil {
		return nil, nil, err
	}
	m, err := grown(r.fresh, rows)
	if err != nil {
		return nil, nil, fmt.Errorf("new entities: %w", err)
	}
	entities := make([]journal.Entity, len(r.fresh))
	width := len(rows) / len(r.fresh)
	for i, name := range r.fresh {
		entities[i].Name = name
		for _, v := range rows[i*width : (i+1)*width] {
			entities[i].Row = binary.LittleEndian.AppendUint32(entities[i].Row, math.Float32bits(v))
		}
	}
	return m, entities, nil
}
