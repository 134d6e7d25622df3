package model

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/kernels/quant"
	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/internal/offsets"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/values"
)

// bundleReader reads tensors from a file and keeps the first error.
type bundleReader struct {
	file *safetensors.File
	// mapping is the file behind the tensors, nil if they are on Go's heap. The model's parts keep it alive.
	mapping *mapfile.File
	used    int
	err     error
}

// model assembles the model from its tensors.
func (r *bundleReader) model(manifest Manifest) *Model {
	n := manifest.rows()
	d := manifest.Rank
	directed := 2 * manifest.Relations
	m := &Model{Manifest: manifest, kin: &kin{}, core: &core{memory: r.mapping, pool: pool.New(0)}}
	m.Predictor = Predictor{
		Rank:          d,
		EntityTable:   r.entityTable(manifest, n, 2*d),
		RelationTable: r.float32s(tensorRelations, directed, 2*d),
		EntityNorms:   r.float32s(table.TensorNorms, n),
	}
	from := 0
	switch {
	case manifest.Shard == nil:
	case manifest.Shard.Head():
		n = manifest.Entities // a head has all of them, without rows
	default:
		from = manifest.Entities
	}
	m.Graph = r.graph(prefixGraph, n, from)
	if _, ok := r.file.Tensor(prefixHeldout + ".offsets"); ok {
		m.Heldout = r.graph(prefixHeldout, n, from)
	}
	if _, ok := r.file.Tensor(prefixUntrue + ".offsets"); ok {
		m.Untrue = r.graph(prefixUntrue, n, from)
	}
	m.Entities = r.names("entity", n, prefixEntity, prefixLabel)
	m.Relations = r.names("relation", manifest.Relations, prefixRelation, prefixRelLabel)
	m.values = r.values(manifest.Attributes, n)
	return m
}

// tensor returns the tensor of that name, which must exist.
func (r *bundleReader) tensor(name string) safetensors.Tensor {
	t, ok := r.file.Tensor(name)
	switch {
	case r.err != nil:
	case !ok:
		r.err = fmt.Errorf("tensor %q is missing", name)
	default:
		r.used++
	}
	return t
}

// shaped returns the tensor of that name, which must have the given shape.
func (r *bundleReader) shaped(name string, shape ...int) safetensors.Tensor {
	t := r.tensor(name)
	if r.err == nil && !slices.Equal(t.Shape, shape) {
		r.err = fmt.Errorf("tensor %q: shape is %v, want %v as the manifest says", name, t.Shape, shape)
	}
	return t
}

// float32s returns an F32 tensor of the given shape.
func (r *bundleReader) float32s(name string, shape ...int) []float32 {
	return elements[float32](r, r.shaped(name, shape...))
}

// elements returns the elements of a tensor, nil after an error.
func elements[T safetensors.Element](r *bundleReader, t safetensors.Tensor) (data []T) {
	if r.err == nil {
		data, r.err = safetensors.Elements[T](t)
	}
	return data
}

// entityTable returns the entity table, with its codes if any.
func (r *bundleReader) entityTable(m Manifest, n, width int) table.Table {
	p := table.Parts{Type: m.Table, Width: width, Mapping: r.mapping}
	if m.Exact != "" {
		p.Type = m.Exact
	}
	if p.Type == table.Float32 {
		p.Float32s = r.float32s(table.TensorRows, n, width)
	}
	if !m.Table.IsFloat() {
		p.Codes = &quant.Table{Width: width, Scales: r.float32s(table.TensorScales, n), Residuals: r.float32s(table.TensorResiduals, n)}
		p.Codes.Codes = elements[int8](r, r.typed(table.TensorCodes, safetensors.I8, n, quant.Columns(width)))
	}
	return table.Of(p)
}

// typed returns the tensor of that name, which must have the given type and shape.
func (r *bundleReader) typed(name string, dtype safetensors.DType, shape ...int) safetensors.Tensor {
	t := r.shaped(name, shape...)
	if r.err == nil && t.DType != dtype {
		r.err = fmt.Errorf("tensor %q: element type is %s, want %s as the manifest says", name, t.DType, dtype)
	}
	return t
}

// int32s returns an I32 tensor of one dimension.
func (r *bundleReader) int32s(name string) []int32 {
	t := r.tensor(name)
	if r.err == nil && len(t.Shape) != 1 {
		r.err = fmt.Errorf("tensor %q: shape is %v, want one dimension", name, t.Shape)
	}
	return elements[int32](r, t)
}

// offsets returns the offsets of a name.
func (r *bundleReader) offsets(name string) (o offsets.List) {
	t := r.tensor(name)
	o.Wide = len(t.Shape) == 2 && t.Shape[1] == 2
	if r.err == nil && !o.Wide && len(t.Shape) != 1 {
		r.err = fmt.Errorf("tensor %q: shape is %v, want one dimension, or two numbers in each row", name, t.Shape)
	}
	o.Words = elements[int32](r, t)
	return o
}

// bytes returns a U8 tensor of one dimension.
func (r *bundleReader) bytes(name string) []byte {
	t := r.tensor(name)
	if r.err == nil && (t.DType != safetensors.U8 || len(t.Shape) != 1) {
		r.err = fmt.Errorf("tensor %q: %s of shape %v, want U8 of one dimension", name, t.DType, t.Shape)
	}
	return t.Data
}

// graph returns the graph of n entities whose tensors start with prefix; its heads are ids below from, if that
// differs from n.
func (r *bundleReader) graph(prefix string, n, from int) *graph.Graph {
	a := graph.Arrays{
		Entities: n,
		From:     from,
		Heads:    r.int32s(prefix + ".heads"),
		Tails:    r.int32s(prefix + ".tails"),
		Mapping:  r.mapping,
	}
	at := r.offsets(prefix + ".offsets")
	for i := range at.Len() {
		a.Offsets = append(a.Offsets, at.At(i))
	}
	var g *graph.Graph
	if r.err == nil {
		g, r.err = graph.OfArrays(a)
	}
	if r.err != nil {
		r.err = fmt.Errorf("tensors %q: %w", prefix, r.err)
	}
	return g
}

// names returns the names of n ids, which are numbers if the bundle stores no names. The names of its tensors begin with
// prefix and labels.
func (r *bundleReader) names(kind string, n int, prefix, labels string) *names.Names {
	return names.OfTables(kind, n, r.strings(prefix, n, true), r.strings(labels, n, false), r.mapping)
}

// strings returns the string table whose tensors start with prefix, an empty one if there is none.
func (r *bundleReader) strings(prefix string, n int, unique bool) (t names.Strings) {
	if _, ok := r.file.Tensor(prefix + ".offsets"); !ok || r.err != nil {
		return t
	}
	t = names.Strings{
		Offsets: r.offsets(prefix + ".offsets"),
		Order:   r.int32s(prefix + ".order"),
		Text:    r.bytes(prefix + ".text"),
	}
	if r.err == nil {
		r.err = t.Check(n, unique)
	}
	if r.err != nil {
		r.err = fmt.Errorf("tensors %q: %w", prefix, r.err)
	}
	return t
}

// values returns the values of n entities for the manifest's attributes.
func (r *bundleReader) values(list []values.Attribute, n int) (v values.Values) {
	var entities []int32
	var numbers []byte
	if count := values.Count(list); count > 0 {
		entities = elements[int32](r, r.shaped(values.TensorEntities, count))
		numbers = r.typed(values.TensorNumbers, safetensors.U8, count, values.NumberBytes).Data
	}
	if r.err == nil {
		v, r.err = values.Stored(list, entities, numbers, n)
		if r.err != nil {
			r.err = fmt.Errorf("values: %w", r.err)
		}
	}
	return v
}
