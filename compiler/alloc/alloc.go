// Package alloc assigns the values of a plan to scratch buffers, for generated code and for the
// interpreter.
package alloc

import (
	"slices"

	"github.com/efoc/efoc/compiler/ir"
)

// Buffers assigns buffers to the values of a plan. A buffer is reused as soon as its value is dead, so a plan
// needs only as many buffers as it has values alive at once.
type Buffers struct {
	// Slot is the buffer of each value, a vector or an embedding according to the value's space. Constants'
	// embeddings, which are read from the table, and values of spaces without buffers have none.
	Slot map[*ir.Value]int
	// Shadow is the vector that holds an estimate's factors for the values that correct it.
	Shadow map[*ir.Value]int
	// Vectors and Embeddings are the numbers of buffers.
	Vectors, Embeddings int
	// Number is the runtime's number of each value with a buffer, and Weights the number of each estimate's
	// factors. Places maps numbers to buffers.
	Number, Weights map[*ir.Value]int
	Places          []int32
}

// Assign assigns the values of a verified plan to buffers, in order. The values of a sweep, or of an exchange
// between machines, are computed together: buffers of operands that die there are free only afterwards.
func Assign(p *ir.Plan) *Buffers {
	b := &Buffers{Slot: make(map[*ir.Value]int, len(p.Values)), Shadow: map[*ir.Value]int{}}
	last := p.LastUses()
	pools := map[ir.Space]*pool{ir.Entities: {}, ir.Embedding: {}}
	release := func(values []*ir.Value) {
		for _, a := range values {
			if slot, ok := b.Slot[a]; ok {
				pools[a.Space()].free(slot)
			}
			if slot, ok := b.Shadow[a]; ok {
				pools[ir.Entities].free(slot)
			}
		}
	}
	var held []*ir.Value // dead after the current group
	first := 0           // first value of the group
	for i, v := range p.Values {
		if i > 0 && groupOf(v) != groupOf(p.Values[i-1]) {
			release(held)
			held = nil
			first = i
		}
		dying := dyingArgs(v, i, last)
		if reuse := reusable(v, dying, p.Values[first:i]); reuse != nil {
			b.Slot[v] = b.Slot[reuse]
			dying = slices.DeleteFunc(dying, func(a *ir.Value) bool { return a == reuse })
			if slot, ok := b.Shadow[reuse]; ok {
				pools[ir.Entities].free(slot)
			}
		} else if HasBuffers(v.Space()) && !Unbuffered(v) {
			b.Slot[v] = pools[v.Space()].take()
		}
		if v.Op == ir.Estimate {
			b.Shadow[v] = pools[ir.Entities].take()
		}
		if groupOf(v) != (group{}) {
			held = append(held, dying...)
		} else {
			release(dying)
		}
	}
	b.Vectors = pools[ir.Entities].size
	b.Embeddings = pools[ir.Embedding].size
	b.number(p)
	return b
}

// number numbers the values that have buffers, in order.
func (b *Buffers) number(p *ir.Plan) {
	b.Number, b.Weights = map[*ir.Value]int{}, map[*ir.Value]int{}
	for _, v := range p.Values {
		if slot, ok := b.Slot[v]; ok {
			b.Number[v] = len(b.Places)
			b.Places = append(b.Places, int32(slot))
		}
		if slot, ok := b.Shadow[v]; ok {
			b.Weights[v] = len(b.Places)
			b.Places = append(b.Places, int32(slot))
		}
	}
}

// group identifies values that are computed together, in a sweep or an exchange. Values of the zero group are
// computed separately.
type group struct{ sweep, exchange int }

func groupOf(v *ir.Value) group {
	if v.Sweep > 0 {
		return group{sweep: v.Sweep}
	}
	return group{exchange: v.Exchange}
}

// HasBuffers reports whether values of a space live in buffers. Truth degrees do not: their size is known only
// once they are computed.
func HasBuffers(s ir.Space) bool { return s == ir.Entities || s == ir.Embedding }

// Unbuffered reports whether a value needs no buffer: embeddings of constants and values kept by binding are
// read in place.
func Unbuffered(v *ir.Value) bool { return v.Op.Info().Stored }

// dyingArgs returns the distinct operands of v, value i, that no later value reads.
func dyingArgs(v *ir.Value, i int, last map[*ir.Value]int) []*ir.Value {
	var dying []*ir.Value
	for _, a := range v.Args {
		if last[a] == i && !slices.Contains(dying, a) {
			dying = append(dying, a)
		}
	}
	return dying
}

// reusable returns a dying operand whose buffer the value may overwrite during its computation, nil if there is
// none. Ops that work in place read the operands after the first two later, so the overwritten one must not
// recur there, and the values before it in its group may still have to read their operands.
func reusable(v *ir.Value, dying, before []*ir.Value) *ir.Value {
	switch info := v.Op.Info(); {
	case info.Consumes:
		return v.Args[1]
	case !info.InPlace:
		return nil
	}
	early := min(2, len(v.Args))
	for _, a := range v.Args[:early] {
		reads := func(w *ir.Value) bool { return slices.Contains(w.Args, a) }
		if slices.Contains(dying, a) && !Unbuffered(a) && !slices.Contains(v.Args[early:], a) &&
			(groupOf(v) == group{} || !slices.ContainsFunc(before, reads)) {
			return a
		}
	}
	return nil
}

// pool allocates buffers, lowest free number first.
type pool struct {
	size int
	idle []int // ascending
}

func (p *pool) take() int {
	if len(p.idle) > 0 {
		slot := p.idle[0]
		p.idle = p.idle[1:]
		return slot
	}
	p.size++
	return p.size - 1
}

func (p *pool) free(slot int) {
	i, _ := slices.BinarySearch(p.idle, slot)
	p.idle = slices.Insert(p.idle, i, slot)
}
