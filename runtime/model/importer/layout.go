package importer

import (
	"cmp"
	"fmt"
	"slices"
)

// Layout says how a checkpoint arranges complex numbers and inverse relations.
// The zero value leaves both open.
type Layout struct {
	Parts   Parts
	Inverse Inverse
}

// Parts says where a row has the imaginary parts of its numbers.
type Parts string

const (
	// Halves has all real parts first, as kbc, CQD, LibKGE and DGL-KE write them.
	Halves Parts = "halves"
	// Interleaved has each real part before its imaginary part, as PyKEEN does.
	Interleaved Parts = "interleaved"
)

// Inverse says where the relation table has the inverse of relation i.
type Inverse string

const (
	// XOR has relation i in row 2i and its inverse in row 2i+1: ids that differ
	// by XOR 1, as in BetaE, CQD and PyKEEN.
	XOR Inverse = "xor"
	// Offset has relation i in row i and its inverse in row i+|R|, as kbc and
	// LibKGE do.
	Offset Inverse = "offset"
	// NoInverse has rows for the relations alone, as DGL-KE does. The embedding
	// of an inverse is the conjugate.
	NoInverse Inverse = "none"
)

func (l Layout) check() error {
	if !slices.Contains([]Parts{"", Halves, Interleaved}, l.Parts) {
		return fmt.Errorf("unknown layout %q, want %s or %s", l.Parts, Halves, Interleaved)
	}
	if !slices.Contains([]Inverse{"", XOR, Offset, NoInverse}, l.Inverse) {
		return fmt.Errorf("unknown place of inverse relations %q, want %s, %s or %s", l.Inverse, XOR, Offset, NoInverse)
	}
	return nil
}

// String describes the layout.
func (l Layout) String() string {
	text := "halves (real, then imaginary)"
	if l.Parts == Interleaved {
		text = "interleaved (real, imaginary, real, ...)"
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
	width int // of a row, twice the rank
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
	if err := t.read(to, &t.relations, row, l); err != nil {
		return fmt.Errorf("tensor %q: %w", t.relations.tensor.Name, err)
	}
	if conjugate {
		for k := t.width / 2; k < t.width; k++ {
			to[k] = -to[k]
		}
	}
	return nil
}

// entity reads the embedding of entity e, real half first.
func (t *tables) entity(to []float32, e int, l Layout) error {
	if err := t.read(to, &t.entities, e, l); err != nil {
		return fmt.Errorf("tensor %q: %w", t.entities.tensor.Name, err)
	}
	return nil
}

func (t *tables) read(to []float32, from *rowTable, row int, l Layout) error {
	raw := to
	if l.Parts == Interleaved {
		if t.raw == nil {
			t.raw = make([]float32, t.width)
		}
		raw = t.raw
	}
	if err := from.row(raw, row); err != nil {
		return err
	}
	if l.Parts == Interleaved {
		l.copyRow(to, raw)
	}
	return nil
}

// copyRow copies a row of the layout to one of two halves.
func (l Layout) copyRow(to, from []float32) {
	if l.Parts != Interleaved {
		copy(to, from)
		return
	}
	d := len(from) / 2
	for k := range d {
		to[k], to[d+k] = from[2*k], from[2*k+1]
	}
}

// directed returns the relation table by directed id, 0 to n-1.
func (t *tables) directed(n int, l Layout) ([]float32, error) {
	out := make([]float32, n*t.width)
	for r := range n {
		if err := t.relation(out[r*t.width:(r+1)*t.width], r, l); err != nil {
			return nil, err
		}
	}
	return out, nil
}
