package model

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/efoc/efoc/runtime/model/safetensors"
)

// partWriter writes the parts of a model as bundles, which it reads piece by piece.
type partWriter struct {
	ctx            context.Context
	whole          *Model
	written, total int64
	progress       func(written, total int64)

	heads, tails []int32 // the facts of a shard among those of a piece
}

// file writes a part to a new file.
func (w *partWriter) file(path string, p *Model) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err = w.part(f, p); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// part writes a part, with the bytes that Write writes. All that it has is a view of the whole
// model, but for the facts of a shard, of which it has the offsets.
func (w *partWriter) part(to io.WriterAt, p *Model) error {
	const heads, tails = prefixGraph + ".heads", prefixGraph + ".tails"
	tensors := p.tensors()
	shard := !p.Manifest.Shard.Head()
	for i, t := range tensors {
		if shard && (t.Name == heads || t.Name == tails) {
			tensors[i].Shape = []int{int(p.Graph.offsets[len(p.Graph.offsets)-1])}
		}
	}
	b, err := newTensorWriter(to, p.Manifest, tensors)
	if err != nil {
		return err
	}
	for _, t := range tensors {
		data := t.Data
		for lo := 0; lo < len(data); lo += blockSize {
			t.Data = data[lo:min(lo+blockSize, len(data))]
			err := w.put(b, t)
			w.whole.pages.release(t.Name, t.Data)
			if err != nil {
				return err
			}
		}
	}
	if !shard {
		return b.end()
	}
	for r := range RelationID(p.NumRelations()) {
		for h, t := range w.whole.Graph.pieces(r) {
			w.heads, w.tails = appendOfTails(w.heads[:0], w.tails[:0], h, t, p.Manifest.Shard.First, p.Graph.n)
			if err := w.put(b, safetensors.FromInt32s(heads, w.heads), safetensors.FromInt32s(tails, w.tails)); err != nil {
				return err
			}
		}
	}
	return b.end()
}

// put writes the next bytes of tensors.
func (w *partWriter) put(b *tensorWriter, tensors ...safetensors.Tensor) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	err := b.put(tensors...)
	for _, t := range tensors {
		w.written += int64(len(t.Data))
	}
	w.progress(w.written, max(w.total, w.written))
	return err
}
