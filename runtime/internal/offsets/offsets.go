// Package offsets stores 64-bit offsets of facts and of the text of names. In a bundle they are I32 while they fit,
// k of them, and otherwise pairs of I32, k × 2: the low 32 bits and the high ones. So every tensor stays a multiple
// of four bytes.
package offsets

import (
	"math"

	"github.com/efoc/efoc/runtime/internal/grow"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// MaxNarrow is the largest offset that is stored in 32 bits. Tests lower it.
var MaxNarrow int64 = math.MaxInt32

// List has numbers in the form in which a bundle stores them.
type List struct {
	// Words are the numbers, or two for each if Wide is set.
	Words []int32
	Wide  bool
}

// Make returns a list with room for k offsets up to some number.
func Make(k int, last int64) List {
	o := List{Wide: last > MaxNarrow}
	if o.Wide {
		k *= 2
	}
	o.Words = make([]int32, 0, k)
	return o
}

// Add appends an offset.
func (o *List) Add(at int64) {
	o.Words = append(o.Words, int32(at))
	if o.Wide {
		o.Words = append(o.Words, int32(at>>32))
	}
}

// Len returns how many there are.
func (o *List) Len() int {
	if o.Wide {
		return len(o.Words) / 2
	}
	return len(o.Words)
}

// At returns offset i.
func (o *List) At(i int) int64 {
	if o.Wide {
		return int64(uint32(o.Words[2*i])) | int64(o.Words[2*i+1])<<32
	}
	return int64(o.Words[i])
}

// Appended returns the offsets of a text and of another one put behind it, at its end, at. own is as
// of grow.Append.
func (o *List) Appended(more *List, at int64, own bool) List {
	next := List{Wide: o.Wide}
	if last := at + more.At(more.Len()-1); !o.Wide && last > MaxNarrow {
		next = Make(o.Len()+more.Len(), last)
		for i := range o.Len() {
			next.Add(o.At(i))
		}
	}
	copied := len(next.Words) > 0
	for i := 1; i < more.Len(); i++ {
		next.Add(at + more.At(i))
	}
	if !copied {
		next.Words = grow.Append(o.Words, next.Words, own)
	}
	return next
}

// Tensor returns the offsets as a tensor of a bundle.
func (o *List) Tensor(name string) safetensors.Tensor {
	t := safetensors.From(name, o.Words)
	if o.Wide {
		t.Shape = []int{o.Len(), 2}
	}
	return t
}
