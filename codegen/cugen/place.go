package cugen

import (
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/device"
)

// none replaces a missing number.
const none = device.None

// never is later than every launch.
const never = 1 << 62

// placement says when a value is computed and where it is kept.
type placement struct {
	// id is the value's number in plan text.
	id int
	// time is the time of the launch that computes the value.
	time int
	// lastUse is the last time at which another launch reads the vector; a vector that no launch reads stays in a
	// register.
	lastUse int
	// vector and embedding are the numbers of the value's memory.
	vector, embedding int
	// stat is the number of the value's reduction, or of the one that its sweep computes.
	stat int
}

func newPlacement(id, time int) *placement {
	return &placement{id: id, time: time, lastUse: none, vector: none, embedding: none, stat: none}
}

// inMemory reports whether a vector is kept in memory.
func (p *placement) inMemory() bool { return p.lastUse != none }

// counts are the numbers assigned so far of each kind, and in the end the memory that the host allocates.
type counts struct {
	vectors, embeddings, stats int
}

// newStat returns the next free number of a reduction.
func (c *counts) newStat() int {
	c.stats++
	return c.stats - 1
}

// use records that a launch at the given time reads a vector from memory.
func (l *lowering) use(v *ir.Value, time int) {
	p := l.places[v]
	p.lastUse = max(p.lastUse, time)
}

// numberVectors assigns numbers to the vectors in memory, in order of time; a number is free again after the
// last use of its vector, and the one that has been free for longest is reused first.
func (l *lowering) numberVectors() {
	var idle []int
	for _, time := range l.times() {
		for _, v := range l.plan.Values {
			p := l.places[v]
			if !p.inMemory() || p.time != time {
				continue
			}
			if len(idle) > 0 {
				p.vector = idle[0]
				idle = idle[1:]
				continue
			}
			p.vector = l.vectors
			l.vectors++
		}
		for _, v := range l.plan.Values {
			if p := l.places[v]; p.lastUse == time {
				idle = append(idle, p.vector)
			}
		}
	}
}
