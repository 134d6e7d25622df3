package cugen

import (
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
)

// maxScores bounds the vectors of scores that one pass of a kernel computes.
const maxScores = 16

// reduction is a number, or a pair, computed from a whole vector.
type reduction uint8

const (
	cutSum  reduction = iota // Σ of the entries that are ε at least
	sum                      // Σ
	top                      // the largest entry
	softmax                  // the largest entry, and Σ exp of the others relative to it
)

// reductions are what ops need of their operand.
var reductions = map[ir.Op]reduction{
	ir.Normalize: cutSum, ir.ScaleSum: sum, ir.ScaleMax: top, ir.Softmax: softmax,
}

// stat is a reduction of a value: made by the kernel of a time, read after it.
type stat struct {
	value  *ir.Value
	kind   reduction
	number int
	time   int
	pass   bool // made by the pass that scores the value
}

type statKey struct {
	value *ir.Value
	kind  reduction
}

// lowering schedules the values of a plan: it assigns each to a kernel, and to a place in
// memory where another kernel reads it. Time counts kernels that have to follow one
// another; kernels of one time are independent. A value gets the earliest time at which
// its operands are available: an entry of a vector in the kernel that computes it, a
// reduction one time later, a sum of rows two times later, after combining. Vectors are
// numbered at the end, when the last use of each is known.
type lowering struct {
	plan  *ir.Plan
	batch bool
	// id numbers values as plan text does.
	id map[*ir.Value]int
	// time is when a value is computed, ready when other kernels can read it.
	time, ready map[*ir.Value]int
	stats       map[statKey]*stat
	statOrder   []*stat
	// lastUse is the last time that another kernel reads a vector; vectors without an
	// entry stay in a register.
	lastUse map[*ir.Value]int
	vectors map[*ir.Value]int // numbers
	// embeddings, partials and coefficients are numbers; sumStats the statistic of an
	// estimate (ir.Guess).
	embeddings, partials, coefficients, sumStats map[*ir.Value]int
	passes                                       []*passGroup
	packed, numStats                             int
	vectorCount                                  int
}

// passGroup is what one pass over the table computes.
type passGroup struct {
	time   int
	scores []*ir.Value
	sums   []*ir.Value
}

// never is later than every kernel.
const never = 1 << 30

func newLowering(p *ir.Plan, batch bool) (*lowering, error) {
	l := &lowering{
		plan: p, batch: batch, id: map[*ir.Value]int{}, time: map[*ir.Value]int{}, ready: map[*ir.Value]int{},
		stats: map[statKey]*stat{}, lastUse: map[*ir.Value]int{}, vectors: map[*ir.Value]int{}, embeddings: map[*ir.Value]int{},
		partials: map[*ir.Value]int{}, coefficients: map[*ir.Value]int{}, sumStats: map[*ir.Value]int{},
	}
	wanted := map[*ir.Value]bool{} // scores whose softmax is taken
	for i, v := range p.Values {
		l.id[v] = i
		if v.Op == ir.Softmax {
			wanted[v.Args[0]] = true
		}
	}
	for i := 0; i < len(p.Values); i++ {
		v := p.Values[i]
		if v.Op.Info().Passes == 0 {
			if err := l.place(v); err != nil {
				return nil, err
			}
			continue
		}
		group := []*ir.Value{v}
		for v.Sweep > 0 && i+1 < len(p.Values) && p.Values[i+1].Sweep == v.Sweep {
			i++
			group = append(group, p.Values[i])
		}
		if err := l.pass(group, wanted); err != nil {
			return nil, err
		}
	}
	for _, v := range p.Results() {
		if v.Op == ir.Score || l.vectorValue(v) {
			l.use(v, never)
		}
	}
	l.number()
	return l, nil
}

// vectorValue reports whether a value is a fuzzy vector.
func (l *lowering) vectorValue(v *ir.Value) bool { return v.Space() == ir.Entities }

// scored reports whether a vector is made by a pass.
func scored(v *ir.Value) bool { return v.Space() == ir.Entities && v.Op.Info().Passes > 0 }

// use notes that a kernel of the given time reads a vector from memory.
func (l *lowering) use(v *ir.Value, time int) { l.lastUse[v] = max(l.lastUse[v], time) }

// local returns the earliest time at which a kernel has an entry of v: the kernel
// that computes it has it at once.
func (l *lowering) local(v *ir.Value) int {
	if scored(v) {
		return l.ready[v]
	}
	return l.time[v]
}

// reduce returns a reduction of a vector.
func (l *lowering) reduce(v *ir.Value, kind reduction) *stat {
	key := statKey{v, kind}
	if s, ok := l.stats[key]; ok {
		return s
	}
	s := &stat{value: v, kind: kind, number: l.numStats, time: l.local(v)}
	if scored(v) {
		l.use(v, s.time)
	}
	l.add(key, s)
	return s
}

func (l *lowering) add(key statKey, s *stat) {
	l.numStats++
	l.stats[key] = s
	l.statOrder = append(l.statOrder, s)
}

// place finds the time of a value that makes no pass.
func (l *lowering) place(v *ir.Value) error {
	switch v.Op {
	case ir.Entity:
		return nil
	case ir.Project:
		if v.Args[0].Op == ir.Project {
			return fmt.Errorf("internal error: v%d: no kernel for a projection of a projection", l.id[v])
		}
		l.ready[v] = l.ready[v.Args[0]]
		return nil
	case ir.Correct:
		l.correct(v)
		return nil
	case ir.KeptVec, ir.KeptEmb:
		return fmt.Errorf("internal error: v%d: %s has no kernel: plans for devices are not split", l.id[v], v.Op)
	}
	time := 0
	kind, reduces := reductions[v.Op]
	for _, a := range v.Args {
		switch {
		case reduces:
			time = max(time, l.reduce(a, kind).time+1)
		case v.Op == ir.Traverse:
			time = max(time, l.ready[a])
		default:
			time = max(time, l.local(a))
		}
	}
	l.time[v], l.ready[v] = time, time+1
	for _, a := range v.Args {
		if l.time[a] != time || scored(a) || v.Op == ir.Traverse {
			l.use(a, time)
		}
	}
	return nil
}

// pass finds the time of a pass.
func (l *lowering) pass(group []*ir.Value, wanted map[*ir.Value]bool) error {
	g := &passGroup{}
	inside := map[*ir.Value]bool{}
	for _, v := range group {
		inside[v] = true
	}
	for _, v := range group {
		switch {
		case scored(v):
			g.scores = append(g.scores, v)
		case v.Op == ir.Embed || v.Op == ir.Guess && !l.batch:
			g.sums = append(g.sums, v)
		case v.Op == ir.Guess:
			continue // a batch estimates nothing: Correct reads the table
		default:
			return fmt.Errorf("internal error: v%d: no kernel makes a pass for %s", l.id[v], v.Op)
		}
		for _, a := range v.Args {
			if !inside[a] {
				g.time = max(g.time, l.ready[a])
			}
		}
	}
	if len(g.scores)+len(g.sums) == 0 {
		return nil
	}
	if len(g.scores) > maxScores {
		return lower.Refuse("use fewer atoms, or generate without --cuda",
			"the query needs %d scores in one pass over the entity table, but a GPU kernel computes at most %d", len(g.scores), maxScores)
	}
	if l.batch {
		l.packed = max(l.packed, len(g.scores))
	}
	for _, v := range g.scores {
		l.time[v], l.ready[v] = g.time, g.time+1
		if l.batch {
			l.time[v], l.ready[v] = g.time+1, g.time+2 // after packing
		}
		l.use(v, l.time[v])
		if wanted[v] && !l.batch {
			l.add(statKey{v, softmax}, &stat{value: v, kind: softmax, number: l.numStats, time: g.time, pass: true})
		}
	}
	for _, v := range g.sums {
		for _, a := range v.Args {
			if !inside[a] {
				l.use(a, g.time)
			}
		}
		l.time[v], l.ready[v] = g.time, g.time+2 // after combining
		l.embeddings[v], l.partials[v] = len(l.embeddings), len(l.partials)
		if v.Op == ir.Guess {
			l.sumStats[v] = l.numStats
			l.numStats++
		}
	}
	l.passes = append(l.passes, g)
	return nil
}

// correct finds the time of a state's residual; in a batch, of the pass that embeds it.
func (l *lowering) correct(v *ir.Value) {
	state := v.Args[0]
	time := l.ready[state]
	if !l.batch {
		for _, g := range v.Args[1:] {
			time = max(time, l.ready[g])
		}
		for _, g := range v.Args[1:] {
			for _, a := range g.Args {
				l.use(a, time)
			}
		}
		l.coefficients[v] = len(l.coefficients)
	} else {
		l.passes = append(l.passes, &passGroup{time: time, sums: []*ir.Value{v}})
	}
	l.use(state, time)
	l.time[v], l.ready[v] = time, time+2
	l.embeddings[v], l.partials[v] = len(l.embeddings), len(l.partials)
}

// number assigns numbers to the vectors that are kept in memory; a number is reused
// after the last use of its vector.
func (l *lowering) number() {
	end := 0
	for _, v := range l.plan.Values {
		end = max(end, l.time[v])
	}
	var idle []int
	for time := 0; time <= end; time++ {
		for _, v := range l.plan.Values {
			if _, kept := l.lastUse[v]; !kept || l.time[v] != time {
				continue
			}
			if len(idle) > 0 {
				l.vectors[v], idle = idle[0], idle[1:]
				continue
			}
			l.vectors[v] = l.vectorCount
			l.vectorCount++
		}
		for _, v := range l.plan.Values {
			if last, kept := l.lastUse[v]; kept && last == time {
				idle = append(idle, l.vectors[v])
			}
		}
	}
}
