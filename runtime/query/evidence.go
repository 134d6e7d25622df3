package query

import (
	"slices"

	"github.com/efoc/efoc/kernels/simd"
)

// Message passing divides every state by its sum, after which nobody can see whether it held
// anything: four countries share no capital, and yet the product of their messages is brought
// to a total of 1. notes follow what a vector was before. They estimate how true its best
// entity is, from 0 to 1, by rules that follow the ops:
//
//	onehot, neighbors, complement    1
//	traverse                         that of the operand
//	a message                        that of its sender, times the largest share of the link
//	                                 predictor where no edge is observed
//	a product, then N                the largest product of degrees, each vector being scaled
//	                                 so that its best entity has the degree that is noted
//	max, of disjuncts                the largest
//
// The result is the answer's strength: the degree of its best entity. It costs a few maxima
// over vectors, and no pass over the entity table.
type notes []note

// note is what is known of a vector.
type note struct {
	vector *float32
	// peak is the degree of the best entity, scale·x[e] that of e; scale is 0 where nobody
	// asked for it yet.
	peak, scale float64
	// even says that most entities have the same share, as behind a negated atom: each of
	// those is as good as certain, however large the largest is.
	even bool
}

// of returns the note of a vector; one without was never normalised.
func (n notes) of(x Vector) note {
	for i := range n {
		if n[i].vector == &x[0] {
			return n[i]
		}
	}
	return note{peak: 1}
}

// set notes something of a vector.
func (n *notes) set(x Vector, v note) {
	v.vector = &x[0]
	if i := slices.IndexFunc(*n, func(o note) bool { return o.vector == v.vector }); i >= 0 {
		(*n)[i] = v
		return
	}
	*n = append(*n, v)
}

// scaled notes a vector over some number of entities that has been normalised, and has some
// largest entry.
func (n *notes) scaled(x Vector, v note, top float32, entities int) {
	v.scale = 0
	if v.even {
		v.scale = float64(entities)
	} else if top > 0 {
		v.scale = v.peak / float64(top)
	}
	n.set(x, v)
}

// product returns the note of the product of some vectors.
func (n notes) product(x, y Vector, more []Vector) note {
	v := note{peak: 1, scale: n.of(x).scale * n.of(y).scale}
	for _, z := range more {
		v.scale *= n.of(z).scale
	}
	return v
}

// before looks at the largest entry of a vector before it is normalised: now its best entity
// shows.
func (v *note) before(top float32) {
	if v.scale > 0 && !v.even {
		v.peak = min(1, v.scale*float64(top))
	}
}

// anyAbove0 reports whether an entry is larger than 0.
func anyAbove0(x Vector) bool {
	const some = 512 // of observed links the first is rarely far from the start
	for lo := 0; lo < len(x); lo += some {
		if simd.Max(x[lo:min(lo+some, len(x))]) > 0 {
			return true
		}
	}
	return false
}

// linked reports whether a message knows of observed links.
func (n notes) linked(links Vector) bool { return n.of(links).scale > 0 || anyAbove0(links) }

// message returns the note of a message by shares of the link predictor, of which one is the
// largest, and by the links that are observed; linked says whether there are any.
func (n notes) message(share float32, links Vector, linked bool) note {
	v := n.of(links)
	if v.scale > 0 { // that of the largest
		return v
	}
	if !linked {
		v.peak *= float64(share)
	}
	return v
}
