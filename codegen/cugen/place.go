package cugen

import "github.com/efoc/efoc/compiler/ir"

// none stands where a value has no number of some kind.
const none = -1

// never is later than every kernel.
const never = 1 << 30

// placement says when a value is computed and where it is kept.
type placement struct {
	// id is the value's number in plan text.
	id int
	// time is that of the kernel which computes the value, ready that of the first kernel
	// which can read it from memory.
	time, ready int
	// lastUse is the last time at which another kernel reads the vector; a vector that
	// none reads stays in a register.
	lastUse int
	// vector, embedding, partial and coefficient are the numbers of what the value has in
	// memory: its vector or its embedding, the partial sums of a pass, the factors of the
	// estimates that a residual is added to.
	vector, embedding, partial, coefficient int
	// sumStat is the statistic that a pass makes with a sum of rows.
	sumStat int
}

func newPlacement(id int) *placement {
	return &placement{id: id, lastUse: none, vector: none, embedding: none, partial: none, coefficient: none, sumStat: none}
}

// inMemory reports whether a vector is kept in memory.
func (p *placement) inMemory() bool { return p.lastUse != none }

// counts are how many numbers of each kind are given out, which is what a program needs
// of the host.
type counts struct {
	vectors, embeddings, partials, coefficients int
}

// summed places a sum of rows, which is ready once the partial sums are combined.
func (l *lowering) summed(v *ir.Value, time int) *placement {
	p := l.places[v]
	p.time, p.ready = time, time+2
	p.embedding, p.partial = l.embeddings, l.partials
	l.embeddings++
	l.partials++
	return p
}

// use notes that a kernel of the given time reads a vector from memory.
func (l *lowering) use(v *ir.Value, time int) {
	p := l.places[v]
	p.lastUse = max(p.lastUse, time)
}

// entryTime returns the earliest time at which a kernel has an entry of v: the kernel that
// computes it has it at once, except for scores, which a pass makes.
func (l *lowering) entryTime(v *ir.Value) int {
	if scored(v) {
		return l.places[v].ready
	}
	return l.places[v].time
}

// numberVectors assigns numbers to the vectors that are kept in memory, in the order of
// time; a number is free again after the last use of its vector, and the one that has been
// free for longest is used first.
func (l *lowering) numberVectors() {
	end := 0
	for _, p := range l.places {
		end = max(end, p.time)
	}
	var idle []int
	for time := 0; time <= end; time++ {
		for _, v := range l.plan.Values {
			p := l.places[v]
			if !p.inMemory() || p.time != time {
				continue
			}
			if len(idle) > 0 {
				p.vector, idle = idle[0], idle[1:]
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
