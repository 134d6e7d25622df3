package cugen

import (
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/device"
)

// none stands where a value has no number of some kind.
const none = device.None

// never is later than every launch.
const never = 1 << 62

// placement says when a value is computed and where it is kept.
type placement struct {
	// id is the value's number in plan text.
	id int
	// time is the time of the launch that computes the value.
	time int
	// lastUse is the last time at which another launch reads the vector; a vector that
	// none reads stays in a register.
	lastUse int
	// vector and embedding are the numbers of what the value has in memory.
	vector, embedding int
	// stat is the number of a reduction: of this value, or made by a sweep with this value.
	stat int
}

func newPlacement(id, time int) *placement {
	return &placement{id: id, time: time, lastUse: none, vector: none, embedding: none, stat: none}
}

// inMemory reports whether a vector is kept in memory.
func (p *placement) inMemory() bool { return p.lastUse != none }

// counts are how many numbers of each kind are given out, which is what a program needs
// of the host.
type counts struct {
	vectors, embeddings, stats int
}

// newStat returns the next free number of a reduction.
func (c *counts) newStat() int {
	c.stats++
	return c.stats - 1
}

// use notes that a launch of the given time reads a vector from memory.
func (l *lowering) use(v *ir.Value, time int) {
	p := l.places[v]
	p.lastUse = max(p.lastUse, time)
}

// numberVectors assigns numbers to the vectors that are kept in memory, in the order of
// time; a number is free again after the last use of its vector, and the one that has been
// free for longest is used first.
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
