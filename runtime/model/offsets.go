package model

import (
	"fmt"
	"math"

	"github.com/efoc/efoc/runtime/model/safetensors"
)

// Offsets of facts and of the text of names are 64-bit numbers. In a bundle they are I32
// while they fit, k of them, and otherwise pairs of I32, k × 2: the low 32 bits and the high
// ones. So every tensor stays a multiple of four bytes.

// maxNarrow is the largest offset that is stored in 32 bits. Tests lower it.
var maxNarrow int64 = math.MaxInt32

// offsets are numbers in the form in which a bundle has them.
type offsets struct {
	words []int32
	wide  bool
}

// newOffsets has room for k offsets up to some number.
func newOffsets(k int, last int64) offsets {
	o := offsets{wide: last > maxNarrow}
	if o.wide {
		k *= 2
	}
	o.words = make([]int32, 0, k)
	return o
}

func (o *offsets) add(at int64) {
	o.words = append(o.words, int32(at))
	if o.wide {
		o.words = append(o.words, int32(at>>32))
	}
}

// len returns how many there are.
func (o *offsets) len() int {
	if o.wide {
		return len(o.words) / 2
	}
	return len(o.words)
}

// at returns offset i.
func (o *offsets) at(i int) int64 {
	if o.wide {
		return int64(uint32(o.words[2*i])) | int64(o.words[2*i+1])<<32
	}
	return int64(o.words[i])
}

// appended returns the offsets of a text and of another one put behind it, at its end, at. own is as
// of longer.
func (o *offsets) appended(more *offsets, at int64, own bool) offsets {
	next := offsets{wide: o.wide}
	if last := at + more.at(more.len()-1); !o.wide && last > maxNarrow {
		next = newOffsets(o.len()+more.len(), last)
		for i := range o.len() {
			next.add(o.at(i))
		}
	}
	copied := len(next.words) > 0
	for i := 1; i < more.len(); i++ {
		next.add(at + more.at(i))
	}
	if !copied {
		next.words = appendShared(o.words, next.words, own)
	}
	return next
}

// tensor returns the offsets as a tensor of a bundle.
func (o *offsets) tensor(name string) safetensors.Tensor {
	t := safetensors.From(name, o.words)
	if o.wide {
		t.Shape = []int{o.len(), 2}
	}
	return t
}

// offsets returns the offsets of a name.
func (r *bundleReader) offsets(name string) (o offsets) {
	t := r.tensor(name)
	o.wide = len(t.Shape) == 2 && t.Shape[1] == 2
	if r.err == nil && !o.wide && len(t.Shape) != 1 {
		r.err = fmt.Errorf("tensor %q: shape is %v, want one dimension, or two numbers in each row", name, t.Shape)
	}
	o.words = elements[int32](r, t)
	return o
}
