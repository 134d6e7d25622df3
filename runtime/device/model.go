package device

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
)

// maxRank is the largest rank that fits the shared memory of a sweep's block.
const maxRank = 2048

var (
	floatRows = rows{"f32", 4, batchShared(3, 4)}
	codeRows  = rows{"i8", 1, batchShared(4, 1)}
)

// batchShared returns the shared memory of stages of tiles, for table numbers of the given bytes and packed rows with
// four bytes a number.
func batchShared(stages, bytes int) int { return stages * tile * depth * (4 + bytes) }

// rowsOf returns the device's format of a table, which is lossless. For a
// table with exact rows and codes, the device holds the rows.
func rowsOf(t *table.Table) rows {
	if t.Type() == table.Int8 {
		return codeRows
	}
	return floatRows
}

// Load copies the model to the device. The model must stay open as long as the device answers.
func (d *Device) Load(m *model.Model) (*Copy, error) {
	if rank := m.Predictor.Rank; rank > maxRank {
		return nil, fmt.Errorf("bring model %s to the device: its rank is %d, and a device takes at most %d: train or import it with a lower one, or answer on the processor",
			m.Manifest.Name, rank, maxRank)
	}
	if err := m.Hold(); err != nil {
		return nil, err
	}
	defer m.Release()
	out := &Copy{device: d, model: m, rows: rowsOf(&m.Predictor.EntityTable), queries: map[string]*Runner{}}
	err := d.do(context.Background(), func() error {
		out.memory.driver = d.driver
		err := d.fitting(out.upload)
		if err != nil {
			err = errors.Join(err, out.memory.free())
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("bring model %s to the device: %w", m.Manifest.Name, err)
	}
	return out, nil
}

// Close frees the model and all its plans. The host's model stays open.
func (m *Copy) Close() error {
	return m.device.do(context.Background(), func() error {
		if m.closed {
			return nil
		}
		m.closed = true
		var errs []error
		for r := range m.device.recordings {
			if r.query.model == m {
				errs = append(errs, r.drop())
			}
		}
		for _, q := range m.queries {
			if q.module != nil {
				errs = append(errs, q.module.Unload())
			}
		}
		if m.fit != nil {
			errs = append(errs, m.fit.Unload())
		}
		return errors.Join(append(errs, m.memory.free())...)
	})
}

// uploadRows is the number of rows of the table copied at a time.
const uploadRows = 4096

// upload allocates everything and copies it.
func (m *Copy) upload() error {
	p := &m.model.Predictor
	g := m.model.Graph
	n := int64(m.model.NumEntities())
	relations := int64(m.model.NumRelations())
	width := int64(2 * p.Rank)
	stride := (width + 15) / 16 * 16 // batches copy 16 bytes at a time
	if g.NumTriples() > math.MaxInt32/2 {
		return fmt.Errorf("its graph has %d facts, and a device takes at most %d: answer on the processor", g.NumTriples(), math.MaxInt32/2)
	}
	links := compress(g)
	var scales []float32
	if m.rows == codeRows {
		scales = p.EntityTable.Codes().Scales
	}
	h := &m.header
	*h = modelHeader{N: n, Width: width, Stride: stride, Power: 1}
	if m.rows != codeRows { // codes are multiplied unscaled
		h.Power = powerOf(p.EntityNorms)
	}
	lists := [][]byte{bytesOf(scales), bytesOf(p.EntityNorms), bytesOf(links.first), bytesOf(links.heads), bytesOf(links.starts), bytesOf(links.tails)}
	parts := []part{{&h.Entities, n * stride * m.rows.bytes}, {&h.Relations, 4 * relations * stride}}
	for i, at := range []*cuda.Pointer{&h.Scales, &h.Norms, &h.First, &h.Heads, &h.Starts, &h.Tails} {
		parts = append(parts, part{at, int64(len(lists[i]))})
	}
	err := m.memory.block("the model", "make it with a smaller table (int8+none) or a lower rank, or free memory of the device", parts...)
	if err != nil {
		return err
	}
	errs := []error{
		m.write(h.Entities, n, m.rows.bytes*stride, m.row()),
		m.write(h.Relations, relations, 4*stride, func(r int64, to []byte) { copy(to, bytesOf(p.Relation(graph.RelationID(r)))) }),
	}
	for i, list := range lists {
		errs = append(errs, m.memory.driver.Write(*parts[2+i].at, list))
	}
	return errors.Join(errs...)
}

// powerOf returns the power of 2 that scales the largest of the norms, and so all numbers of the table, below 2¹⁵: in
// float16, which batches multiply, all are then below 2¹⁶.
func powerOf(norms []float32) float64 {
	_, exponent := math.Frexp(float64(slices.Max(norms)))
	return math.Ldexp(1, min(max(15-exponent, -126), 127))
}

// row returns a function that writes row e of the entity table to memory.
func (m *Copy) row() func(e int64, to []byte) {
	table := &m.model.Predictor.EntityTable
	if m.rows == codeRows {
		codes := table.Codes()
		return func(e int64, to []byte) {
			copy(to, bytesOf(codes.Tile(int(e), int(e)+1)[:table.Width()]))
		}
	}
	buf := make([]float32, table.Width())
	return func(e int64, to []byte) { copy(to, bytesOf(table.Row(graph.EntityID(e), buf))) }
}

// write copies the rows of a table, of size bytes each. put sets the first bytes of a row; the rest are 0.
func (m *Copy) write(to cuda.Pointer, n, size int64, put func(i int64, to []byte)) error {
	buf := make([]byte, uploadRows*size)
	for lo := int64(0); lo < n; lo += uploadRows {
		hi := min(n, lo+uploadRows)
		for i := lo; i < hi; i++ {
			put(i, buf[(i-lo)*size:(i-lo+1)*size])
		}
		if err := m.memory.driver.Write(to+cuda.Pointer(lo*size), buf[:(hi-lo)*size]); err != nil {
			return err
		}
	}
	return nil
}

// compressed is the graph in compressed sparse rows: the nonempty rows of each directed relation. Relations include
// their inverses, so both directions are there.
type compressed struct{ first, heads, starts, tails []int32 }

func compress(g *graph.Graph) *compressed {
	c := &compressed{first: []int32{0}}
	for r := range g.NumRelations() {
		heads, tails := g.Edges(graph.RelationID(r))
		for i, h := range heads {
			if i == 0 || h != heads[i-1] {
				c.heads = append(c.heads, h)
				c.starts = append(c.starts, int32(len(c.tails)+i))
			}
		}
		c.tails = append(c.tails, tails...)
		c.first = append(c.first, int32(len(c.heads)))
	}
	c.starts = append(c.starts, int32(len(c.tails)))
	return c
}
