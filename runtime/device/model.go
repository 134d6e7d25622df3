package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
)

// Model is a model on a device: entity table, relations, norms and the graph in
// both directions. It is safe for concurrent use.
type Model struct {
	device *Device
	model  *model.Model
	memory memory
	header modelHeader
	at     cuda.Pointer // of the header
	half   bool         // the table is bfloat16

	mu      sync.Mutex
	queries map[string]*Query // by the plan's semantics, shape and layers
	fit     cuda.Module       // of truth degrees, nil until a plan of those is brought here
	closed  bool
}

// maxRank is the largest rank that a block of a pass has room for.
const maxRank = passThreads * 8 / 2

// Load brings a model to the device. A float16 table is widened to float32, which
// holds it without loss. The model must stay open as long as the device answers.
func (d *Device) Load(m *model.Model) (*Model, error) {
	if m.Predictor.Rank > maxRank {
		return nil, fmt.Errorf("rank %d is more than a device takes, which is %d", m.Predictor.Rank, maxRank)
	}
	if err := m.Hold(); err != nil {
		return nil, err
	}
	defer m.Release()
	out := &Model{device: d, model: m, half: m.Predictor.EntityTable.Type() == model.BFloat16, queries: map[string]*Query{}}
	err := d.do(func() error {
		out.memory.driver = d.driver
		err := out.upload()
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

// Host returns the model that was brought here.
func (m *Model) Host() *model.Model { return m.model }

// Close frees the model and all its plans. The host's model stays open.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	return m.device.do(func() error {
		var errs []error
		for _, q := range m.queries {
			errs = append(errs, q.free())
		}
		if m.fit != nil {
			errs = append(errs, m.fit.Unload())
		}
		return errors.Join(append(errs, m.memory.free())...)
	})
}

// uploadRows is how many rows of the table are copied at a time.
const uploadRows = 4096

// upload allocates everything and copies it.
func (m *Model) upload() error {
	p, g := &m.model.Predictor, m.model.Graph
	n, relations, width := int64(m.model.NumEntities()), int64(m.model.NumRelations()), int64(2*p.Rank)
	stride := (width + 3) / 4 * 4
	if g.NumTriples() > math.MaxInt32/2 {
		return fmt.Errorf("a graph of %d facts: a device takes %d at most", g.NumTriples(), math.MaxInt32/2)
	}
	graph := compress(g)
	each := int64(4)
	if m.half {
		each = 2
	}
	at, err := m.memory.block("the model",
		int64(binary.Size(&m.header)), n*stride*each, 4*n, 4*relations*stride,
		int64(4*len(graph.first)), int64(4*len(graph.heads)), int64(4*len(graph.starts)), int64(4*len(graph.tails)))
	if err != nil {
		return err
	}
	m.at = at[0]
	m.header = modelHeader{
		N: n, Width: width, Stride: stride, Entities: at[1], Norms: at[2], Relations: at[3],
		First: at[4], Heads: at[5], Starts: at[6], Tails: at[7],
	}
	errs := []error{
		m.memory.driver.Write(at[0], putHeader(nil, &m.header)),
		m.memory.driver.Write(at[2], bytesOf(p.EntityNorms)),
		m.memory.driver.Write(at[4], bytesOf(graph.first)),
		m.memory.driver.Write(at[5], bytesOf(graph.heads)),
		m.memory.driver.Write(at[6], bytesOf(graph.starts)),
		m.memory.driver.Write(at[7], bytesOf(graph.tails)),
		m.rows(at[3], relations, stride, 4, func(r int64, row []float32) []float32 { return p.Relation(model.RelationID(r)) }),
		m.rows(at[1], n, stride, each, func(e int64, row []float32) []float32 { return p.EntityTable.Row(model.EntityID(e), row) }),
	}
	return errors.Join(errs...)
}

// rows copies the rows of a table, padded with zeros to the stride, in numbers of
// four bytes, or in bfloat16, which holds its own rows without loss.
func (m *Model) rows(to cuda.Pointer, n, stride, size int64, row func(i int64, buf []float32) []float32) error {
	buf := make([]byte, uploadRows*stride*size)
	read := make([]float32, stride)
	for lo := int64(0); lo < n; lo += uploadRows {
		hi := min(n, lo+uploadRows)
		for i := lo; i < hi; i++ {
			to := buf[(i-lo)*stride*size:]
			for k, x := range row(i, read[:m.header.Width]) {
				if bits := math.Float32bits(x); size == 2 {
					binary.LittleEndian.PutUint16(to[2*k:], uint16(bits>>16))
				} else {
					binary.LittleEndian.PutUint32(to[4*k:], bits)
				}
			}
		}
		if err := m.memory.driver.Write(to+cuda.Pointer(lo*stride*size), buf[:(hi-lo)*stride*size]); err != nil {
			return err
		}
	}
	return nil
}

// compressed is the graph in rows: those of each directed relation that are not
// empty. The relations come with their inverses, so both directions are there.
type compressed struct{ first, heads, starts, tails []int32 }

func compress(g *model.Graph) *compressed {
	c := &compressed{first: []int32{0}}
	for r := range g.NumRelations() {
		heads, tails := g.Edges(model.RelationID(r))
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
