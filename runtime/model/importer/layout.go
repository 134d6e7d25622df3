package importer

import (
	"cmp"
	"fmt"
	"slices"
)

// Layout describes how a checkpoint arranges its numbers and inverse relations. Empty fields are detected.
type Layout struct {
	Parts   Parts
	Inverse Inverse
}

// Parts is the arrangement of a row's numbers: halves, interleaved or real.
type Parts string

const (
	// partsHalves has the real parts of complex numbers first, like kbc, CQD and LibKGE.
	partsHalves Parts = "halves"
	// partsInterleaved has each real part before its imaginary part, like PyKEEN.
	partsInterleaved Parts = "interleaved"
	// partsReal has only real numbers, like DistMult. A bundle has them with imaginary part 0.
	partsReal Parts = "real"
)

// partsNames describes the arrangements.
var partsNames = map[Parts]string{
	partsHalves: "halves (real, then imaginary)", partsInterleaved: "interleaved (real, imaginary, real, ...)",
	partsReal: "only real numbers (DistMult)",
}

// fits reports whether rows of entities and relations can have these widths.
func (p Parts) fits(entity, relation int) bool {
	return entity == relation && (p == partsReal || entity%2 == 0)
}

// width returns the length of a bundle's row for entities with rows of the given width.
func (p Parts) width(entity int) int {
	if p == partsReal {
		return 2 * entity
	}
	return entity
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
		return fmt.Errorf("unknown layout %q, want %s, %s or %s", l.Parts, partsHalves, partsInterleaved, partsReal)
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

// copyRow copies a row. Real numbers get imaginary part 0.
func (l Layout) copyRow(to, from []float32) {
	clear(to[copy(to, from):])
	if l.Parts != partsInterleaved {
		return
	}
	for k, v := range from {
		to[k%2*(len(from)/2)+k/2] = v
	}
}
