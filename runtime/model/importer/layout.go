package importer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
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

// evenWidth returns the length of a bundle's row for entities with rows of the given width.
func evenWidth(entity int) int { return entity + entity%2 }

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
		width := evenWidth(n)
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
