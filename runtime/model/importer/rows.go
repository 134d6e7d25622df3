package importer

import (
	"fmt"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// row returns the row of the directed relation r, and whether to conjugate it.
func (o rowOrder) row(r int, inverse Inverse) (row int, conjugate bool) {
	if o.directed {
		return int(o.rows[r]), false
	}
	row = r / 2
	back := r % 2
	if o.rows != nil {
		row = int(o.rows[row])
	}
	switch inverse {
	case inverseOffset:
		return row + back*o.count, false
	case inverseNone:
		return row, back == 1
	}
	return 2*row + back, false
}

// entity reads the row of entity e of the graph.
func (c *checkpoint) entity(to []float32, e int, l Layout) error {
	if rows := c.entities.order.rows; rows != nil {
		e = int(rows[e])
	}
	return c.read(to, &c.entities, e, l.copyRow)
}

// relation reads the row of the directed relation r.
func (c *checkpoint) relation(to []float32, r int, l Layout) error {
	row, conjugate := c.relations.order.row(r, l.Inverse)
	err := c.read(to, &c.relations, row, l.copyRow)
	if conjugate && err == nil {
		imaginary := to[len(to)/2:]
		simd.Scale(imaginary, imaginary, -1)
	}
	return err
}

// read reads a row, which copyRow converts to the format of bundles.
func (c *checkpoint) read(to []float32, from *embeddings, row int, copyRow func(to, from []float32)) error {
	c.raw = reuse.Slice(c.raw, from.shape[1])
	if err := readRow(c.raw, from.data, row); err != nil {
		return fmt.Errorf("tensor %q: %w", from.name, err)
	}
	copyRow(to, c.raw)
	return nil
}

// predictor returns the predictor of n directed relations without an entity table. The next call overwrites it.
func (c *checkpoint) predictor(n int, l Layout) (model.Predictor, error) {
	w := len(c.row)
	p := model.Predictor{Rank: w / 2}
	c.directed = reuse.Slice(c.directed, n*w)
	p.RelationTable = c.directed
	for r := range n {
		if err := c.relation(p.RelationTable[r*w:(r+1)*w], r, l); err != nil {
			return p, err
		}
	}
	return p, nil
}
