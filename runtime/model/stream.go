package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
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

// WriteStream writes a model as a bundle, the one that Write writes, without a look at
// what the functions of s return: Open checks it.
func WriteStream(ctx context.Context, w io.WriterAt, s *Stream) error {
	b := &streamWriter{ctx: ctx, to: w, Stream: s, manifest: s.Manifest}
	if err := b.shapes(); err != nil {
		return err
	}
	header, err := b.header()
	if err != nil {
		return err
	}
	at := int64(len(header))
	b.regions = map[string]*region{}
	for _, t := range b.tensors {
		size, err := t.Bytes()
		if err != nil {
			return err
		}
		b.regions[t.Name] = &region{to: io.NewOffsetWriter(w, at), left: int64(size)}
		at += int64(size)
	}
	if err := errors.Join(b.rows(), b.graph(), b.names()); err != nil {
		return err
	}
	for name, r := range b.regions {
		if r.left != 0 {
			return fmt.Errorf("tensor %q lacks %d bytes", name, r.left)
		}
		b.manifest.Checksums[name] = r.sum()
	}
	if header, err = b.header(); err != nil {
		return err
	}
	sum := formatSum(crc32.Checksum(header, castagnoli))
	copy(header[headerSumAt(header):], sum)
	_, err = w.WriteAt(header, 0)
	return err
}

type streamWriter struct {
	*Stream
	ctx      context.Context
	to       io.WriterAt
	manifest Manifest
	// tensors have no data but those that are small.
	tensors []safetensors.Tensor
	regions map[string]*region
	offsets offsets // of the graph
	text    int64   // bytes of the names of entities
}

// shapes lists the tensors.
func (b *streamWriter) shapes() error {
	m := &b.manifest
	n, width := m.Entities, 2*m.Rank
	table, err := BuildTable(0, width, m.Table, m.Exact, nil)
	if err != nil {
		return err
	}
	counts := make([]int64, 1, 2*m.Relations+1)
	for r := range RelationID(2 * m.Relations) {
		heads, _, err := b.Pairs(r)
		if err != nil {
			return err
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
	m.Version, m.Triples, m.Checksums = BundleVersion, int(edges/2), map[string]string{}
	if err := m.validate(); err != nil {
		return err
	}
	// The same tensors as those of a model that has all parts, but no entities.
	empty := &Model{
		Manifest: *m, Graph: &Graph{offsets: counts}, Relations: b.RelationNames,
		Entities:  &Names{names: stringTable{offsets: newOffsets(n+1, b.text)}},
		Predictor: Predictor{Rank: m.Rank, EntityTable: table, RelationTable: b.Relations},
	}
	b.tensors = empty.tensors()
	long := map[string]int{
		tensorEntities: n, tensorCodes: n, tensorScales: n, tensorResiduals: n, tensorFactors: n, tensorNorms: n,
		prefixGraph + ".heads": int(edges), prefixGraph + ".tails": int(edges),
		prefixEntity + ".offsets": n + 1, prefixEntity + ".order": n, prefixEntity + ".text": int(b.text),
	}
	for i, t := range b.tensors {
		if rows, ok := long[t.Name]; ok {
			b.tensors[i].Shape = slices.Clone(t.Shape)
			b.tensors[i].Shape[0] = rows
		}
		m.Checksums[t.Name] = noSum
	}
	return nil
}

// header returns the header, whose length does not depend on the checksums.
func (b *streamWriter) header() ([]byte, error) {
	text, err := json.Marshal(b.manifest)
	if err != nil {
		return nil, err
	}
	return safetensors.EncodeShapes(map[string]string{metaManifest: string(text), metaHeader: noSum}, b.tensors)
}

// put writes the next bytes of tensors.
func (b *streamWriter) put(tensors ...safetensors.Tensor) error {
	for _, t := range tensors {
		if _, err := b.regions[t.Name].Write(t.Data); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
	}
	return nil
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
		list, bytes := part.tensors()
		list = append(list, bytes...)
		if err := b.put(append(list, safetensors.FromFloat32s(tensorNorms, part.norms()))...); err != nil {
			return err
		}
	}
	return b.put(safetensors.FromFloat32s(tensorRelations, b.Relations))
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
		if err := b.put(safetensors.FromInt32s(prefixGraph+".heads", heads), safetensors.FromInt32s(prefixGraph+".tails", tails)); err != nil {
			return err
		}
	}
	return b.put(b.offsets.tensor(prefixGraph + ".offsets"))
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
		if err := b.put(part.tensors(prefixEntity)...); err != nil {
			return err
		}
	}
	return b.put(b.RelationNames.names.tensors(prefixRelation)...)
}

// region is the part of a file that has a tensor. It sums what is written to it.
type region struct {
	to   *io.OffsetWriter
	left int64
	// block is the sum of the block that n bytes are in, blocks those of the blocks before.
	block  uint32
	n      int
	blocks []byte
}

func (r *region) Write(data []byte) (int, error) {
	if int64(len(data)) > r.left {
		return 0, fmt.Errorf("%d bytes, but %d are left", len(data), r.left)
	}
	r.left -= int64(len(data))
	for rest := data; len(rest) > 0; {
		k := min(blockSize-r.n, len(rest))
		r.block = crc32.Update(r.block, castagnoli, rest[:k])
		if r.n += k; r.n == blockSize {
			r.end()
		}
		rest = rest[k:]
	}
	return r.to.Write(data)
}

// end ends a block.
func (r *region) end() {
	r.blocks = appendSum(r.blocks, r.block)
	r.block, r.n = 0, 0
}

// sum returns the checksum of what was written.
func (r *region) sum() string {
	if r.n > 0 {
		r.end()
	}
	return formatSum(crc32.Checksum(r.blocks, castagnoli))
}
