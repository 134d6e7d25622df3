package fit

import (
	"slices"

	"github.com/efoc/efoc/kernels/simd"
)

// accumulator is the room in which a maximum is taken: n numbers each.
type accumulator struct {
	sum, term []float32 // sum is 0 between two uses
	touched   []int32   // where sum is above 0, if it was made of lists
}

// room returns an accumulator for the model's entities.
func (c *Rows) room() *accumulator {
	if a, ok := c.rooms.Get().(*accumulator); ok {
		return a
	}
	n := c.model.NumEntities()
	return &accumulator{sum: make([]float32, n), term: make([]float32, n)}
}

// max returns the maximum over i of degrees[i] times x[i], and of what others
// offers.
func (a *accumulator) max(x []*fuzzy, degrees []float32, others func(offer func(e int32, deg float32))) *fuzzy {
	a.touched = a.touched[:0]
	z := &fuzzy{}
	for i, y := range x {
		z.rest = max(z.rest, degrees[i]*y.rest)
		if degrees[i] != 0 && y.rest == 0 {
			for j, e := range y.ids {
				a.raise(e, degrees[i]*y.deg[j])
			}
		}
	}
	if others != nil {
		others(a.raise)
	}
	if z.rest == 0 {
		a.list(z)
		return z
	}
	for i, y := range x {
		if degrees[i] != 0 && y.rest != 0 {
			y.dense(a.term)
			simd.Scale(a.term, a.term, degrees[i])
			simd.MaxOf(a.sum, a.sum, a.term)
		}
	}
	for e, v := range a.sum {
		z.add(int32(e), v)
	}
	clear(a.sum)
	return z
}

// raise offers a degree of an entity.
func (a *accumulator) raise(e int32, deg float32) {
	if old := a.sum[e]; deg > old {
		if old == 0 {
			a.touched = append(a.touched, e)
		}
		a.sum[e] = deg
	}
}

// list moves the entities that were touched to z: by looking at all of them if there
// are many.
func (a *accumulator) list(z *fuzzy) {
	z.ids, z.deg = make([]int32, 0, len(a.touched)), make([]float32, 0, len(a.touched))
	if len(a.touched) > len(a.sum)/32 {
		for e, v := range a.sum {
			z.add(int32(e), v)
		}
		clear(a.sum)
		return
	}
	slices.Sort(a.touched)
	for _, e := range a.touched {
		z.add(e, a.sum[e])
		a.sum[e] = 0
	}
}
