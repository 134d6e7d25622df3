package model

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/efoc/efoc/runtime/model/safetensors"
)

// A Stream is a model that is made while it is written, so that it may be larger than
// memory: an entity at a time, and a relation at a time.
type Stream struct {
	// Manifest says what the model holds: numbers of entities and relations, rank and types of
	// the table among others. The facts are counted.
	Manifest Manifest
	// Row sets to to the embedding of an entity, which has finite numbers.
	Row func(e EntityID, to []float32) error
	// Relations is the relation table.
	Relations []float32
	// Pairs returns the facts of a directed relation, by head, then tail. They are valid until
	// the next call. It is called twice for each relation.
	Pairs func(r RelationID) (heads, tails []int32, err error)
	// EntityName appends the name of an entity. Names ascend with the ids.
	EntityName func(to []byte, e EntityID) []byte
	// RelationNames are the names of the relations.
	RelationNames *Names
}

// streamRows is how many rows are made at a time.
const streamRows = 1024

// WriteStream writes a model as the same bundle as Write, without checking the results of s's
// functions: Open checks them.
func WriteStream(ctx context.Context, w io.WriterAt, s *Stream) error {
	b := &streamWriter{ctx: ctx, Stream: s, manifest: s.Manifest}
	tensors, err := b.shapes()
	if err != nil {
		return err
	}
	if b.to, err = newTensorWriter(w, b.manifest, tensors); err != nil {
		return err
	}
	if err := errors.Join(b.rows(), b.graph(), b.names()); err != nil {
		return err
	}
	return b.to.end()
}

type streamWriter struct {
	*Stream
	ctx      context.Context
	to       *tensorWriter
	manifest Manifest
	offsets  offsets // of the graph
	text     int64   // bytes of the names of entities
}

// shapes lists the tensors, without their data.
func (b *streamWriter) shapes() ([]safetensors.Tensor, error) {
	m := &b.manifest
	n, width := m.Entities, 2*m.Rank
	table, err := BuildTable(0, width, m.Table, m.Exact, nil)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, 1, 2*m.Relations+1)
	for r := range RelationID(2 * m.Relations) {
		heads, _, err := b.Pairs(r)
		if err != nil {
			return nil, err
		}
		counts = append(counts, counts[r]+int64(len(heads)))
	}
	edges := counts[len(counts)-1]
	b.offsets = newOffsets(len(counts), edges)
	for _, at := range counts {
		b.offsets.add(at)
	}
	var buf []byte
	for e := range EntityID(n) {
		buf = b.EntityName(buf[:0], e)
		b.text += int64(len(buf))
	}
	m.Version, m.Triples = BundleVersion, int(edges/2)
	// The same tensors as those of a model that has all parts, but no entities.
	empty := &Model{
		Manifest: *m, Graph: &Graph{offsets: counts}, Relations: b.RelationNames,
		Entities:  &Names{names: stringTable{offsets: newOffsets(n+1, b.text)}},
		Predictor: Predictor{Rank: m.Rank, EntityTable: table, RelationTable: b.Relations},
	}
	tensors := empty.tensors()
	long := map[string]int{
		tensorEntities: n, tensorCodes: n, tensorScales: n, tensorResiduals: n, tensorNorms: n,
		prefixGraph + ".heads": int(edges), prefixGraph + ".tails": int(edges),
		prefixEntity + ".offsets": n + 1, prefixEntity + ".order": n, prefixEntity + ".text": int(b.text),
	}
	for i, t := range tensors {
		if rows, ok := long[t.Name]; ok {
			tensors[i].Shape = slices.Clone(t.Shape)
			tensors[i].Shape[0] = rows
		}
	}
	return tensors, nil
}

// rows writes the tables.
func (b *streamWriter) rows() error {
	m := &b.manifest
	for lo := 0; lo < m.Entities; lo += streamRows {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		part, err := BuildTable(min(streamRows, m.Entities-lo), 2*m.Rank, m.Table, m.Exact, func(i int, to []float32) error {
			return b.Row(EntityID(lo+i), to)
		})
		if err != nil {
			return err
		}
		if err := b.to.put(append(part.tensors(), safetensors.FromFloat32s(tensorNorms, part.norms()))...); err != nil {
			return err
		}
	}
	return b.to.put(safetensors.FromFloat32s(tensorRelations, b.Relations))
}

// graph writes the facts.
func (b *streamWriter) graph() error {
	for r := range RelationID(2 * b.manifest.Relations) {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		heads, tails, err := b.Pairs(r)
		if err != nil {
			return err
		}
		if err := b.to.put(safetensors.FromInt32s(prefixGraph+".heads", heads), safetensors.FromInt32s(prefixGraph+".tails", tails)); err != nil {
			return err
		}
	}
	return b.to.put(b.offsets.tensor(prefixGraph + ".offsets"))
}

// names writes the names.
func (b *streamWriter) names() error {
	n, at := b.manifest.Entities, int64(0)
	for lo := 0; lo < n; lo += streamRows {
		part := stringTable{offsets: newOffsets(streamRows+1, b.text)}
		if lo == 0 {
			part.offsets.add(0)
		}
		for e := lo; e < min(lo+streamRows, n); e++ {
			start := len(part.text)
			part.text = b.EntityName(part.text, EntityID(e))
			at += int64(len(part.text) - start)
			part.offsets.add(at)
			part.order = append(part.order, int32(e))
		}
		if err := b.to.put(part.tensors(prefixEntity)...); err != nil {
			return err
		}
	}
	return b.to.put(b.RelationNames.names.tensors(prefixRelation)...)
}
