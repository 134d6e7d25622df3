package importer

import (
	"cmp"
	"fmt"
	"slices"
)

// Layout describes how a checkpoint arranges complex numbers and inverse relations. The zero
// value leaves both to be detected.
type Layout struct {
	Parts   Parts
	Inverse Inverse
}

// Parts describes the numbers of a row: how a ComplEx row arranges its imaginary parts, or
// which other scorer the row belongs to. Rows of other scorers become ComplEx rows with the
// same scores.
type Parts string

const (
	// Halves has all real parts first, as kbc, CQD, LibKGE and DGL-KE write them.
	Halves Parts = "halves"
	// Interleaved has each real part before its imaginary part, as PyKEEN does.
	Interleaved Parts = "interleaved"
	// Real has only real numbers, as in DistMult: the imaginary parts are 0.
	Real Parts = "real"
	// Pair has two vectors a and b of real numbers, an entity's as head and as tail, as in CP;
	// a relation has one, r. Σ r·a_h·b_t is the score of a ComplEx of twice the rank, with the
	// numbers a+ib and a+b of an entity, and (−r+ir)/2 and r/2 of a relation.
	Pair Parts = "pair"
)

// width returns the length of a row of a bundle, for entities with rows of the given width.
func (l Layout) width(entity int) int {
	if l.Parts == Real || l.Parts == Pair {
		return 2 * entity
	}
	return entity
}

// Inverse says where the relation table has the inverse of relation i.
type Inverse string

const (
	// XOR has relation i in row 2i and its inverse in row 2i+1: ids that differ
	// by XOR 1, as in BetaE, CQD and PyKEEN.
	XOR Inverse = "xor"
	// Offset has relation i in row i and its inverse in row i+|R|, as kbc and
	// LibKGE do.
	Offset Inverse = "offset"
	// NoInverse has rows only for the relations, as in DGL-KE. The embedding of an inverse is
	// the conjugate.
	NoInverse Inverse = "none"
)

func (l Layout) check() error {
	if !slices.Contains([]Parts{"", Halves, Interleaved, Real, Pair}, l.Parts) {
		return fmt.Errorf("unknown layout %q, want %s, %s, %s or %s", l.Parts, Halves, Interleaved, Real, Pair)
	}
	if !slices.Contains([]Inverse{"", XOR, Offset, NoInverse}, l.Inverse) {
		return fmt.Errorf("unknown place of inverse relations %q, want %s, %s or %s", l.Inverse, XOR, Offset, NoInverse)
	}
	return nil
}

// String describes the layout.
func (l Layout) String() string {
	text := "halves (real, then imaginary)"
	switch l.Parts {
	case Interleaved:
		text = "interleaved (real, imaginary, real, ...)"
	case Real:
		text = "only real numbers (DistMult)"
	case Pair:
		text = "a vector as head, then one as tail (CP)"
	}
	switch l.Inverse {
	case Offset:
		return text + ", inverse rows offset (i, i+|R|)"
	case NoInverse:
		return text + ", no inverse rows"
	}
	return text + ", inverse rows adjacent (2i, 2i+1)"
}

// or returns the layout with what it leaves open taken from another one.
func (l Layout) or(other Layout) Layout {
	return Layout{cmp.Or(l.Parts, other.Parts), cmp.Or(l.Inverse, other.Inverse)}
}

// allows reports whether l agrees with what stated does not leave open.
func (l Layout) allows(stated Layout) bool { return stated.or(l) == l }

// tables are the embeddings as they are in the checkpoint, except for the order of
// the entities.
type tables struct {
	// width and relationWidth are those of a row of an entity and of a relation.
	width, relationWidth int
	// entities has a row for each entity of the graph, relations those of the
	// file.
	entities, relations rowTable
	raw                 []float32 // a row as it is in the file
	// order says which rows belong to which relations.
	order rowOrder
}

// row returns the row of the directed relation r, and whether its conjugate is
// to be taken.
func (o rowOrder) row(r int, inverse Inverse) (row int, conjugate bool) {
	if o.directed {
		return int(o.rows[r]), false
	}
	row, back := r/2, r%2
	if o.rows != nil {
		row = int(o.rows[row])
	}
	switch inverse {
	case Offset:
		return row + back*o.count, false
	case NoInverse:
		return row, back == 1
	}
	return 2*row + back, false
}

// relation reads the embedding of the directed relation r, real half first.
func (t *tables) relation(to []float32, r int, l Layout) error {
	row, conjugate := t.order.row(r, l.Inverse)
	copyRow := l.copyRow
	if l.Parts == Pair {
		copyRow = copyFactors
	}
	if err := t.read(to, &t.relations, row, l, copyRow); err != nil {
		return fmt.Errorf("tensor %q: %w", t.relations.tensor.Name, err)
	}
	if conjugate {
		for k := len(to) / 2; k < len(to); k++ {
			to[k] = -to[k]
		}
	}
	return nil
}

// entity reads the embedding of entity e, real half first.
func (t *tables) entity(to []float32, e int, l Layout) error {
	if err := t.read(to, &t.entities, e, l, l.copyRow); err != nil {
		return fmt.Errorf("tensor %q: %w", t.entities.tensor.Name, err)
	}
	return nil
}

// read reads a row, which copyRow brings into two halves where it has another layout.
func (t *tables) read(to []float32, from *rowTable, row int, l Layout, copyRow func(to, from []float32)) error {
	if l.Parts == Halves {
		return from.row(to, row)
	}
	t.raw = slices.Grow(t.raw[:0], from.tensor.Shape[1])[:from.tensor.Shape[1]]
	err := from.row(t.raw, row)
	if err == nil {
		copyRow(to, t.raw)
	}
	return err
}

// copyRow copies a row of the layout to one of two halves, of an entity if the layout is Pair.
func (l Layout) copyRow(to, from []float32) {
	d := len(from) / 2
	switch l.Parts {
	case Interleaved:
		for k := range d {
			to[k], to[d+k] = from[2*k], from[2*k+1]
		}
	case Real:
		copy(to, from)
		clear(to[len(from):])
	case Pair:
		copy(to, from[:d])
		copy(to[2*d:], from[d:])
		for k := range d {
			to[d+k], to[3*d+k] = from[k]+from[d+k], 0
		}
	default:
		copy(to, from)
	}
}

// copyFactors copies a relation's row of the layout Pair to one of two halves.
func copyFactors(to, from []float32) {
	d := len(from)
	for k, r := range from {
		to[k], to[d+k], to[2*d+k], to[3*d+k] = -r/2, r/2, r/2, 0
	}
}

// directed returns the relation table by directed id, 0 to n-1.
func (t *tables) directed(n int, l Layout) ([]float32, error) {
	w := l.width(t.width)
	out := make([]float32, n*w)
	for r := range n {
		if err := t.relation(out[r*w:(r+1)*w], r, l); err != nil {
			return nil, err
		}
	}
	return out, nil
}
