package product

import "fmt"

// Left is the first matrix of a product, packed. Pack reuses its memory. The zero value is an empty matrix.
type Left struct{ operand }

// Right is the second matrix of a product, packed. Pack reuses its memory. The zero value is an empty matrix.
type Right struct{ operand }

// operand is a packed matrix: lines, which are rows of a Left and columns of a Right, of depth numbers each,
// over which a product sums.
type operand struct {
	lines, depth int
	most         Terms
	panels       panels // if paneled
	split        split  // the same, if amx is emulated
	plain        plain  // otherwise
	paneled      bool
}

// Bytes bounds the memory for packing a matrix of the given number of lines, which are rows of a Left and
// columns of a Right, of depth numbers each.
func Bytes(lines, depth int, terms Terms) int64 {
	up := func(n, to int) int64 { return int64((n + to - 1) / to * to) }
	if terms > paneledTerms[inUse()] {
		return 4 * (up(lines, lanes) + 1) * int64(depth)
	}
	return 2*up(lines, 32)*up(depth, 32)*int64(terms) + 64
}

// Bytes returns the size of o's memory.
func (o *operand) Bytes() int64 {
	return o.panels.bytes() + o.split.bytes() + 4*int64(cap(o.plain.copied))
}

// Pack packs m into a. The numbers of m must not change until the last product, because unit float32 does not
// always copy them.
func (a *Left) Pack(m Matrix, terms Terms) { a.pack(m, terms, false) }

// Pack packs m into b. The numbers of m must not change until the last product, because unit float32 does not
// always copy them.
func (b *Right) Pack(m Matrix, terms Terms) { b.pack(m.T(), terms, true) }

// pack packs a matrix whose rows are the lines of o.
func (o *operand) pack(m Matrix, terms Terms, right bool) {
	if terms < One || terms > Three {
		panic(fmt.Sprintf("product: %d terms, want 1 to 3", terms))
	}
	o.lines = m.rows
	o.depth = m.cols
	o.most = terms
	o.paneled = terms <= paneledTerms[inUse()]
	switch {
	case o.paneled && inUse() == emulated:
		o.split.pack(&m, terms)
	case o.paneled:
		o.panels.pack(&m, terms, right)
	case right:
		o.plain.packRight(&m)
	default:
		o.plain.packLeft(&m)
	}
}
