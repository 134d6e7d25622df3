package model

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/internal/offsets"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/runtime/model/table"
)

// writeChunk is the number of bytes written between checks of the context.
const writeChunk = 1 << 20

// Write writes m as a bundle. It sets the version, counts and checksums of the manifest; m itself does not change.
// The same model gives the same bytes.
func Write(w io.Writer, m *Model) error {
	_, err := write(w, m)
	return err
}

// write writes m and returns the identity of the bundle.
func write(w io.Writer, m *Model) (identity string, err error) {
	if err := m.Hold(); err != nil {
		return "", err
	}
	defer m.Release()
	m = m.plain()
	if err := m.validate(); err != nil {
		return "", err
	}
	return m.encode(w)
}

// encode writes a valid model with graphs in stored form, and returns the identity of the bundle. Parts of a bundle
// that is read once are evicted after they are written.
func (m *Model) encode(w io.Writer) (identity string, err error) {
	tensors := m.tensors()
	sums, err := checksums(tensors, 0, nil, m.leave)
	if err != nil {
		return "", err
	}
	manifest := m.Manifest
	manifest.Checksums = map[string]string{}
	for i, sum := range sums {
		manifest.Checksums[tensors[i].Name] = sum
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return "", err
	}
	// The header is summed with zeros for its own checksum.
	meta := map[string]string{metaManifest: string(text), metaHeader: noSum}
	header, err := safetensors.EncodeHeader(meta, tensors)
	if err != nil {
		return "", err
	}
	sum := formatSum(crc32.Checksum(header, castagnoli))
	copy(header[headerSumAt(header):], sum)
	if _, err := w.Write(header); err != nil {
		return "", err
	}
	for _, t := range tensors {
		for block := range slices.Chunk(t.Data, blockSize) {
			if _, err := w.Write(block); err != nil {
				return "", fmt.Errorf("tensor %q: %w", t.Name, err)
			}
			m.leave.ReleasePart(block)
		}
	}
	return identityOf(header), nil
}

// tensors lists the tensors of a bundle: tensors of four-byte elements first, so that all are aligned.
// A row of an entity table of any type takes a multiple of four bytes.
func (m *Model) tensors() []safetensors.Tensor {
	p := &m.Predictor
	var texts []safetensors.Tensor
	list := append(p.EntityTable.Tensors(),
		safetensors.From(tensorRelations, p.RelationTable, m.NumRelations(), 2*p.Rank),
		safetensors.From(table.TensorNorms, p.EntityNorms, p.EntityTable.Rows()))
	graph := func(prefix string, g *graph.Graph) {
		a := g.Arrays()
		at := offsets.Make(len(a.Offsets), a.Offsets[len(a.Offsets)-1])
		for _, x := range a.Offsets {
			at.Add(x)
		}
		list = append(list, at.Tensor(prefix+".offsets"), safetensors.From(prefix+".heads", a.Heads), safetensors.From(prefix+".tails", a.Tails))
	}
	graph(prefixGraph, m.Graph)
	if m.Heldout != nil {
		graph(prefixHeldout, m.Heldout)
	}
	if m.Untrue != nil {
		graph(prefixUntrue, m.Untrue)
	}
	table := func(prefix string, t *names.Strings) {
		if parts := t.Tensors(prefix); parts != nil {
			list = append(list, parts[:2]...)
			texts = append(texts, parts[2])
		}
	}
	entityNames, entityLabels := m.Entities.Tables()
	relationNames, relationLabels := m.Relations.Tables()
	table(prefixEntity, entityNames)
	table(prefixLabel, entityLabels)
	table(prefixRelation, relationNames)
	table(prefixRelLabel, relationLabels)
	entities, numbers := m.values.Tensors()
	return slices.Concat(list, entities, texts, numbers)
}

// Save writes m as a bundle to path, whole or not at all. An error, or the end of ctx, leaves the old file. progress,
// if not nil, receives the bytes written and the total.
func Save(ctx context.Context, path string, m *Model, progress func(written, total int64)) error {
	return Replace(ctx, path, m, progress, nil)
}

// size returns the number of bytes of the tensors.
func (m *Model) size() (total int64) {
	for _, t := range m.tensors() {
		total += int64(len(t.Data))
	}
	return total
}

// meter writes bytes in chunks, and stops when its context ends.
type meter struct {
	ctx      context.Context
	w        io.Writer
	written  int64
	total    int64
	progress func(written, total int64)
}

// Write writes p in chunks of writeChunk.
func (m *meter) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		if err := m.ctx.Err(); err != nil {
			return done, err
		}
		n, err := m.w.Write(p[done:min(done+writeChunk, len(p))])
		done += n
		m.written += int64(n)
		if err != nil {
			return done, err
		}
		if m.progress != nil {
			m.progress(m.written, max(m.written, m.total))
		}
	}
	return done, nil
}

// Replace is Save with a callback: it calls announce with the identity of the new bundle, after writing it and before
// replacing the old file. If announce fails, the old file stays.
func Replace(ctx context.Context, path string, m *Model, progress func(written, total int64), announce func(identity string) error) error {
	m = m.plain()
	return atomicfile.Write(path, func(w io.Writer) error {
		identity, err := write(&meter{ctx: ctx, w: w, total: m.size(), progress: progress}, m)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && announce != nil {
			err = announce(identity)
		}
		return err
	})
}
