package importer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// Layout describes how a checkpoint arranges its numbers and inverse relations. Empty fields are detected.
type Layout struct {
	Parts   Parts
	Inverse Inverse
}

// Parts is the arrangement of a row's numbers, which determines how a relation acts on it: halves, interleaved, real,
// pair, crossed, parallel or matrix. See kernels.Relation.
type Parts string

const (
	// partsHalves has the real parts of complex numbers first, like kbc, CQD and LibKGE.
	partsHalves Parts = "halves"
	// partsInterleaved has each real part before its imaginary part, like PyKEEN.
	partsInterleaved Parts = "interleaved"
	// partsReal has only real numbers, like DistMult. The matrix of a relation is diagonal.
	partsReal Parts = "real"
	// partsPair has two vectors of real numbers, an entity's as head and as tail, like CP. A relation has one, r, and
	// the score is Σ r·a_h·b_t.
	partsPair Parts = "pair"
	// partsCrossed also has two vectors for an entity, and two for a relation: its own, r, and its inverse's, s, like
	// SimplE. The score is ½·Σ (r·a_h·b_t + s·b_h·a_t).
	partsCrossed Parts = "crossed"
	// partsParallel is SimplE as in PyKEEN 1.11, with the score ½·Σ (r·a_h·a_t + s·b_h·b_t).
	partsParallel Parts = "parallel"
	// partsMatrix has a matrix for a relation, whose rows belong to the numbers of the head, like RESCAL.
	partsMatrix Parts = "matrix"
)

// partsNames describes the arrangements.
var partsNames = map[Parts]string{
	partsHalves: "halves (real, then imaginary)", partsInterleaved: "interleaved (real, imaginary, real, ...)",
	partsReal: "only real numbers (DistMult)", partsPair: "a vector as head, then one as tail (CP)",
	partsCrossed: "a vector as head, then one as tail (SimplE)", partsParallel: "two vectors that do not mix (SimplE of PyKEEN 1.11)",
	partsMatrix: "a matrix for each relation (RESCAL)",
}

// fits reports whether rows of entities and relations can have these widths.
func (p Parts) fits(entity, relation int) bool {
	switch p {
	case partsReal:
		return entity == relation
	case partsPair:
		return entity == 2*relation
	case partsMatrix:
		return relation/entity == entity && relation%entity == 0
	}
	return entity == relation && entity%2 == 0
}

// width returns the length of a bundle's row, which is even, for entities with rows of the given width.
func (l Layout) width(entity int) int { return entity + entity%2 }

// blocks returns the blocks of the relations in a bundle with rows of the given width.
func (l Layout) blocks(width int) int {
	switch l.Parts {
	case partsReal, partsParallel:
		return 1
	case partsPair, partsCrossed:
		return 2
	case partsMatrix:
		return width
	}
	return 0
}

// Inverse is the location of the inverse of relation i in the relation table: xor, offset or none.
type Inverse string

const (
	// inverseXOR has relation i in row 2i and its inverse in row 2i+1: their ids differ by XOR 1, as in BetaE, CQD
	// and PyKEEN.
	inverseXOR Inverse = "xor"
	// inverseOffset has relation i in row i and its inverse in row i+|R|, like kbc and LibKGE.
	inverseOffset Inverse = "offset"
	// inverseNone only has rows for the relations. The embedding of an inverse is the conjugate.
	inverseNone Inverse = "none"
)

func (l Layout) check() error {
	if _, known := partsNames[l.Parts]; l.Parts != "" && !known {
		return fmt.Errorf("unknown layout %q, want %s, %s, %s, %s, %s, %s or %s", l.Parts, partsHalves, partsInterleaved, partsReal, partsPair, partsCrossed, partsParallel, partsMatrix)
	}
	if !slices.Contains([]Inverse{"", inverseXOR, inverseOffset, inverseNone}, l.Inverse) {
		return fmt.Errorf("unknown place of inverse relations %q, want %s, %s or %s", l.Inverse, inverseXOR, inverseOffset, inverseNone)
	}
	return nil
}

// String describes the layout.
func (l Layout) String() string {
	text := partsNames[l.Parts]
	switch l.Inverse {
	case inverseOffset:
		return text + ", inverse rows offset (i, i+|R|)"
	case inverseNone:
		return text + ", no inverse rows"
	}
	return text + ", inverse rows adjacent (2i, 2i+1)"
}

// or returns the layout with its empty fields taken from other.
func (l Layout) or(other Layout) Layout {
	return Layout{cmp.Or(l.Parts, other.Parts), cmp.Or(l.Inverse, other.Inverse)}
}

// allows reports whether l agrees with the fields set in stated.
func (l Layout) allows(stated Layout) bool { return stated.or(l) == l }

// tables are the embeddings in the checkpoint's format, with entities in the graph's order.
type tables struct {
	// width and relationWidth are the widths of an entity's row and of a relation's.
	width, relationWidth int
	// entities has a row for each entity of the graph; relations has the rows of the file.
	entities, relations rowTable
	raw                 []float32 // a row in the file's format
	directed            []float32 // the relation table that predictor returns
	// order maps relations to rows.
	order rowOrder
}

// row returns the row of the directed relation r, and whether to conjugate or transpose it.
func (o rowOrder) row(r int, inverse Inverse) (row int, transposed bool) {
	if o.directed {
		return int(o.rows[r]), false
	}
	row = r / 2
	back := r % 2
	if o.rows != nil {
		row = int(o.rows[row])
	}
	switch inverse {
	case inverseOffset:
		return row + back*o.count, false
	case inverseNone:
		return row, back == 1
	}
	return 2*row + back, false
}

// entity reads the row of entity e.
func (t *tables) entity(to []float32, e int, l Layout) error {
	if err := t.read(to, &t.entities, e, l.copyRow); err != nil {
		return fmt.Errorf("tensor %q: %w", t.entities.tensor.Name, err)
	}
	return nil
}

// relation reads the map of the directed relation r.
func (t *tables) relation(to []float32, r int, l Layout) error {
	row, transposed := t.order.row(r, l.Inverse)
	if err := t.read(to, &t.relations, row, l.copyRelation); err != nil {
		return fmt.Errorf("tensor %q: %w", t.relations.tensor.Name, err)
	}
	if transposed {
		transpose(to, l.blocks(l.width(t.width)))
	}
	return nil
}

// read reads a row, which copyRow converts to the format of bundles.
func (t *tables) read(to []float32, from *rowTable, row int, copyRow func(to, from []float32)) error {
	t.raw = slices.Grow(t.raw[:0], from.tensor.Shape[1])[:from.tensor.Shape[1]]
	err := from.row(t.raw, row)
	if err == nil {
		copyRow(to, t.raw)
	}
	return err
}

// copyRow copies the row of an entity, padded with a 0 to even length.
func (l Layout) copyRow(to, from []float32) {
	clear(to[copy(to, from):])
	if l.Parts != partsInterleaved {
		return
	}
	for k, v := range from {
		to[k%2*(len(from)/2)+k/2] = v
	}
}

// copyRelation copies the row of a relation.
func (l Layout) copyRelation(to, from []float32) {
	switch d := len(from); l.Parts {
	case partsParallel:
		simd.Scale(to, from, 0.5)
	case partsPair: // from the first part to the second
		clear(to)
		copy(to[2*d:], from)
	case partsCrossed:
		clear(to)
		simd.Scale(to[d/2:d], from[d/2:], 0.5)
		simd.Scale(to[d:3*d/2], from[:d/2], 0.5)
	case partsMatrix:
		clear(to)
		n := int(math.Round(math.Sqrt(float64(d))))
		width := l.width(n)
		for i, v := range from {
			to[i%n*width+i/n] = v
		}
	default:
		l.copyRow(to, from)
	}
}

// transpose converts the map of a relation to that of its inverse, in place.
func transpose(numbers []float32, blocks int) {
	if blocks == 0 {
		imaginary := numbers[len(numbers)/2:]
		simd.Scale(imaginary, imaginary, -1)
		return
	}
	part := len(numbers) / (blocks * blocks)
	for i := range blocks {
		for j := range i {
			for k := range part {
				a := &numbers[(i*blocks+j)*part+k]
				b := &numbers[(j*blocks+i)*part+k]
				*a, *b = *b, *a
			}
		}
	}
}

// predictor returns the predictor of n directed relations without an entity table. The next call overwrites it.
func (t *tables) predictor(n int, l Layout) (model.Predictor, error) {
	width := l.width(t.width)
	p := model.Predictor{Rank: width / 2, Blocks: l.blocks(width)}
	w := width * max(1, p.Blocks)
	t.directed = reuse.Slice(t.directed, n*w)
	p.RelationTable = t.directed
	for r := range n {
		if err := t.relation(p.RelationTable[r*w:(r+1)*w], r, l); err != nil {
			return p, err
		}
	}
	return p, nil
}
