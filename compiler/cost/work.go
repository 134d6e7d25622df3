package cost

import (
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/moments"
	"github.com/efoc/efoc/runtime/query"
)

// Work is what is to be done, whatever the machine.
type Work struct {
	// TableBytes are read from the entity table.
	TableBytes float64 `json:"table_bytes"`
	// RowFLOPs are the operations on rows of the table: inner products and sums.
	RowFLOPs float64 `json:"row_flops"`
	// VectorBytes are read and written by element-wise operations.
	VectorBytes float64 `json:"vector_bytes"`
	// VectorFLOPs are the operations of those, exponentials left out.
	VectorFLOPs float64 `json:"vector_flops"`
	// Exps is the number of exponentials.
	Exps float64 `json:"exps"`
	// Scalars is the number of steps of loops that take one number at a time.
	Scalars float64 `json:"scalar_steps"`
	// Edges is the number of edges that are followed.
	Edges float64 `json:"edges"`
}

// expFLOPs is what an exponential counts as: the range reduction and the
// polynomial.
const expFLOPs = 16

// edgeBytes is what following an edge moves: two ids, a number read, another
// read and written.
const edgeBytes = 20

// Bytes returns all bytes that move.
func (w Work) Bytes() float64 { return w.TableBytes + w.VectorBytes + edgeBytes*w.Edges }

// FLOPs returns all floating-point operations.
func (w Work) FLOPs() float64 { return w.RowFLOPs + w.VectorFLOPs + expFLOPs*w.Exps + w.Edges }

// add adds by times v.
func (w *Work) add(v Work, by float64) {
	w.TableBytes += by * v.TableBytes
	w.RowFLOPs += by * v.RowFLOPs
	w.VectorBytes += by * v.VectorBytes
	w.VectorFLOPs += by * v.VectorFLOPs
	w.Exps += by * v.Exps
	w.Scalars += by * v.Scalars
	w.Edges += by * v.Edges
}

// Sizes are what the cost of a plan depends on.
type Sizes struct {
	// Entities is n, Rank is d.
	Entities int `json:"entities"`
	Rank     int `json:"rank"`
	// NumberBytes is what a pass reads for a number of the table: 4, or 2 for half width; with
	// codes about 1 or ½, scales and padding included. 0 means 4.
	NumberBytes float64 `json:"number_bytes"`
	// ExactBytes is the size of a number of the rows beside codes, which batches read, and a
	// query where it matters; 0 if there are none.
	ExactBytes float64 `json:"exact_bytes,omitempty"`
	// Edges is the number of edges of a relation; 0 means a tenth of the entities.
	Edges int `json:"edges"`
	// Batch is the number of queries that share each pass; 0 means 1.
	Batch int `json:"batch"`
	// Candidates is K of truth degrees; 0 means that of model.DefaultDegrees.
	Candidates int `json:"candidates,omitempty"`
}

// withDefaults fills in what is left open.
func (s Sizes) withDefaults() Sizes {
	if s.NumberBytes == 0 {
		s.NumberBytes = 4
	}
	if s.Edges == 0 {
		s.Edges = (s.Entities + 9) / 10
	}
	if s.Batch == 0 {
		s.Batch = 1
	}
	if s.Candidates == 0 {
		s.Candidates = model.DefaultDegrees().Candidates
	}
	return s
}

// TableBytes returns what a pass reads of the entity table.
func (s Sizes) TableBytes() float64 {
	s = s.withDefaults()
	number := s.NumberBytes
	if s.Batch > 1 && s.ExactBytes > 0 {
		number = s.ExactBytes
	}
	return float64(s.Entities) * 2 * float64(s.Rank) * number
}

// againBytes returns what a score of a pass over codes reads of the rows beside them.
func (s Sizes) againBytes() float64 {
	if s.Batch > 1 {
		return 0
	}
	return float64(min(s.Entities, query.RowsAgain)) * 2 * float64(s.Rank) * s.ExactBytes
}

// vectorBytes is the size of a number of a vector: they are float32 always.
const vectorBytes = 4

// correctedShare is the share of the rows that the residual of an estimate is assumed to
// read.
// It depends on the data: over the 23 benchmark shapes on FB15k-237 it lies
// between 0 and 0.25, with this mean.
const correctedShare = 0.08

// formula is the cost of an op by size: n entities, width 2d, edges of a
// relation and number of operands.
type formula struct {
	// vectors is the number of passes over a vector, reading or writing; each
	// operand after the second adds more.
	vectors, more float64
	// flops and exps are per entity; flops are needed for each operand after the
	// second too.
	flops, exps float64
	// scalars are steps per entity, loops steps per number of half a row.
	scalars, loops float64
	// edges says that the op follows all edges of a relation.
	edges bool
	// dots is the number of inner products or sums that it takes of each row.
	dots float64
	// widths is the number of passes over an embedding.
	widths float64
	// gathers says that the op reads some rows on its own.
	gathers bool
	// moments says that the op reads the moments of the table, as a readout does that needs
	// no pass.
	moments bool
}

// formulas has the row of each op on vectors and embeddings; what the vectors and flops
// of an op are can be read off its kernel.
var formulas = [...]formula{
	ir.Entity:     {},
	ir.OneHot:     {vectors: 1},
	ir.Neighbors:  {vectors: 1},
	ir.LoopScore:  {vectors: 1, loops: 1, dots: 1},
	ir.Loops:      {vectors: 1, edges: true},
	ir.Ends:       {vectors: 1, edges: true},
	ir.Project:    {widths: 3},
	ir.Score:      {vectors: 1, dots: 1},
	ir.Softmax:    {vectors: 5, flops: 3, exps: 1},
	ir.Traverse:   {vectors: 2, edges: true},
	ir.Complement: {vectors: 4, flops: 2},
	ir.Elsewhere:  {vectors: 2, flops: 1},
	ir.Normalize:  {vectors: 3, flops: 3},
	ir.Blend:      {vectors: 3, flops: 1},
	ir.Mul:        {vectors: 3, more: 3, flops: 1},
	ir.Embed:      {vectors: 1, dots: 1},
	ir.Estimate:   {vectors: 6, more: 3, flops: 3, exps: 1, dots: 1},
	ir.Correct:    {vectors: 2, more: 1, scalars: 1, gathers: true},
	ir.Cosine:     {vectors: 4, scalars: 1, dots: 1},
	ir.Mix:        {vectors: 3, flops: 3},
	ir.Readout:    {vectors: 4, flops: 3, exps: 1, moments: true},
	ir.ScaleMax:   {vectors: 3, flops: 2},
	ir.ScaleSum:   {vectors: 3, flops: 2},
	ir.Max:        {vectors: 3, more: 3, flops: 1},
}

// Of returns the work of one value. The bytes of a pass over the table are not
// in it: values of one sweep share them.
func Of(v *ir.Value, s Sizes) Work {
	s = s.withDefaults()
	if v.Op.Info().Degrees {
		return ofDegrees(v, s)
	}
	f := formulas[v.Op]
	n, width := float64(s.Entities), float64(2*s.Rank)
	extra := float64(max(0, len(v.Args)-2))
	var edges float64
	if f.edges {
		edges = float64(s.Edges)
	}
	w := Work{
		RowFLOPs:    2 * f.dots * n * width,
		VectorBytes: vectorBytes * ((f.vectors+extra*f.more)*n + f.widths*width),
		VectorFLOPs: f.flops*n*(1+extra) + 2*f.widths*width,
		Exps:        f.exps * n,
		Scalars:     f.scalars*n + f.loops*n*width/2,
		Edges:       edges,
	}
	if f.gathers {
		rows := correctedShare * n
		w.TableBytes = rows * width * s.NumberBytes
		w.RowFLOPs = 2 * rows * width
		w.VectorFLOPs += 4*n + width
	}
	if f.moments {
		read := float64(moments.Bytes(s.Entities, 2*s.Rank))
		w.VectorBytes += read
		w.VectorFLOPs += 2 * read / vectorBytes
	}
	return w
}

// SizesOf returns the sizes of a model, with relations of mean size and the settings
// of shapes that have none of their own.
func SizesOf(m *query.Model) Sizes {
	table := &m.Predictor.EntityTable
	exact := 0.0
	if table.Codes() != nil && table.Type().IsFloat() {
		exact = float64(table.Type().Size())
	}
	return Sizes{
		Entities: m.NumEntities(), Rank: m.Predictor.Rank,
		NumberBytes: float64(table.Bytes()) / float64(m.NumEntities()*table.Width()), ExactBytes: exact,
		Edges:      max(1, 2*m.Graph.NumTriples()/max(1, m.NumRelations())),
		Candidates: m.Manifest.Settings.Degrees.OrDefault().Candidates,
	}
}
