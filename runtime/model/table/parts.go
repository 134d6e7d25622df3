package table

import (
	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// The names of the tensors of an entity table in a bundle; c is quant.Columns(2d).
const (
	TensorRows      = "entity.embedding" // F32 n × 2d; absent if there are codes alone
	TensorCodes     = "entity.code"      // I8 n × c; optional
	TensorScales    = "entity.scale"     // F32 n, of the codes
	TensorResiduals = "entity.residual"  // F32 n, of the codes
	TensorNorms     = "entity.norm"      // F32 n, of the embeddings as stored, or that the codes stand for
)

// Parts are the parts of a table in a bundle.
type Parts struct {
	// Type is the type of the rows: Int8 for codes only.
	Type     Type
	Width    int
	Float32s []float32    // nil if there are codes alone
	Codes    *quant.Table // nil if there are none
	// Mapping is the mapped file behind the numbers, if any.
	Mapping *mapfile.File
}

// Of returns a table as a view of its parts: see CheckCodes and CheckRows.
func Of(p Parts) Table {
	return Table{dtype: p.Type, width: p.Width, f32: p.Float32s, codes: p.Codes, mapping: p.Mapping, derived: &derived{}}
}

// Types returns the manifest's types of the table: the type that sweeps read, and the type of the exact rows besides
// codes, if any.
func (t *Table) Types() (table, exact Type) {
	if t.codes == nil || !t.dtype.IsFloat() {
		return t.dtype, ""
	}
	return Int8, t.dtype
}

// Tensors returns the table as tensors of a bundle.
func (t *Table) Tensors() (list []safetensors.Tensor) {
	n := t.Rows()
	if t.dtype == Float32 {
		list = append(list, safetensors.From(TensorRows, t.f32, n, t.width))
	}
	c := t.codes
	if c == nil {
		return list
	}
	return append(list, safetensors.From(TensorCodes, c.Codes, n, quant.Columns(t.width)),
		safetensors.From(TensorScales, c.Scales, n), safetensors.From(TensorResiduals, c.Residuals, n))
}

// Slice returns the rows lo to hi, as views.
func (t *Table) Slice(lo, hi int) Table {
	part := *t
	part.sharedEnd = nil
	part.derived = &derived{}
	if t.f32 != nil {
		part.f32 = t.f32[lo*t.width : hi*t.width]
	}
	if c := t.codes; c != nil {
		columns := quant.Columns(t.width)
		codes := *c
		codes.Scales = c.Scales[lo:hi]
		codes.Residuals = c.Residuals[lo:hi]
		codes.Codes = c.Codes[lo*columns : hi*columns]
		part.codes = &codes
	}
	return part
}
