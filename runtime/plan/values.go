package plan

import (
	"slices"

	"github.com/efoc/efoc/runtime/fit"
)

// Vector is a fuzzy vector over the entities, length n.
type Vector = []float32

// Embedding is a point of the embedding space, length 2d.
type Embedding = []float32

// Vec and Emb name a value of a plan, a Vector or an Embedding, by its number. Plan.Places maps numbers to buffers,
// which several values may use in succession. Values outside buffers, as from EntityEmb,
// have negative numbers.
type (
	Vec int32
	Emb int32
)

// buffer returns the buffer of value v, or v itself if it is negative or the plan has no Places.
func (w *Workspace) buffer(v int32) int32 {
	if v < 0 || w.places == nil {
		return v
	}
	return w.places[v]
}

// EntityEmb returns the embedding of the entity in constant slot i, counted from 0.
func EntityEmb(slot int) Emb { return Emb(-1 - slot) }

// Vector returns the vector of a value.
func (w *Workspace) Vector(v Vec) Vector { return w.vectors[w.buffer(int32(v))] }

// Embedding returns the embedding of a value. The embedding of a constant must not be changed.
func (w *Workspace) Embedding(v Emb) Embedding {
	b := w.buffer(int32(v))
	if b >= 0 {
		return w.embeddings[b]
	}
	return w.constant(int(-1 - b))
}

// constant returns the embedding of the entity in a constant slot: a view of a float32 table,
// otherwise a copy, which is valid until the next query.
func (w *Workspace) constant(slot int) Embedding {
	e := w.bindings.Constants[slot]
	table := &w.model.Predictor.EntityTable
	if slot >= len(w.constants) {
		return table.Row(e, nil)
	}
	c := &w.constants[slot]
	if c.entity != e {
		c.entity, c.row = e, table.Row(e, c.row)
	}
	return c.row
}

// written is a vector that truth degrees were written to.
type written struct {
	value Vec
	set   *fit.Set
}

// Dense writes the degrees of all entities to dst; x must be the same for all branches.
func (w *Workspace) Dense(dst Vec, x *fit.Set) Vec {
	w.degrees.Dense(w.Vector(dst), x)
	w.written = append(w.written, written{dst, x})
	return dst
}

// Mixture computes the mixture of probabilities x and truth degrees y.
func (w *Workspace) Mixture(dst, x, y Vec) Vec {
	w.degrees.Mixture(w.Vector(dst), w.Vector(x), w.Vector(y))
	w.written = append(w.written, written{dst, w.source(y)})
	return dst
}

// source returns the truth degrees that a vector was written from, nil if none.
func (w *Workspace) source(v Vec) *fit.Set {
	if i := slices.IndexFunc(w.written, func(x written) bool { return x.value == v }); i >= 0 {
		return w.written[i].set
	}
	return nil
}
