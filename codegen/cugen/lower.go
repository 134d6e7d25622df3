package cugen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/device"
)

// lowering schedules the values of a plan: it assigns each to a launch, and to a memory location if another
// launch reads it. Launch times are rounds of three stages: sums of rows, then scores, then steps. A value goes
// into the first round that has its operands, and launches of the same time are independent. A step can compute
// an entry of a vector once the same entry of each operand is computed; a reduction can be read one step after
// it is computed. Example:
//
//	v3 = score v2           round 0, scores: a sweep,
//	v4 = sumexp v3          round 0, scores: which reduces them
//	v5 = share v3 v4        round 0, step 0: an entry needs the reduction
//	v6 = mul v5 v1          round 0, step 0: in a register beside v5
//	v7 = sumcut v6          round 0, step 0
//	v8 = cut v6 v7          round 0, step 1: v6 is kept for it
//	v9 = embed v8           round 1, sums: a sweep; v8 is kept for it
//	v10 = score v9          round 1, scores
//
// v3, v6 and v8 are in memory. The sum of a blend would be known and take no step. Vectors are numbered at the end, when
// all last uses are known.
type lowering struct {
	plan *ir.Plan
	// places says when each value of the plan is computed and where it is kept.
	places map[*ir.Value]*placement
	counts
}

// Stages of a round. Steps are numbered from firstStep.
const (
	sumStage = iota
	scoreStage
	firstStep
	round = 1 << 16
)

// always is the time of values that exist from the start.
const always = -1

// newLowering schedules a plan with split reductions; ids are the numbers of its values.
func newLowering(p *ir.Plan, ids map[*ir.Value]int) (*lowering, error) {
	l := &lowering{plan: p, places: make(map[*ir.Value]*placement, len(p.Values))}
	for _, group := range p.Groups() {
		if err := l.schedule(group, ids); err != nil {
			return nil, err
		}
	}
	l.sink()
	for _, v := range p.Values {
		l.place(v)
	}
	for _, v := range p.Results() {
		if v.Space() == ir.Entities {
			l.use(v, never)
		}
	}
	l.numberVectors()
	return l, nil
}

// schedule sets the times of the values of a sweep: all scores get the time of the last one.
func (l *lowering) schedule(group []*ir.Value, ids map[*ir.Value]int) error {
	last := scoreStage
	for _, v := range group {
		if err := l.supported(v, ids[v]); err != nil {
			return err
		}
		time := l.start(v)
		for _, a := range operands(v) {
			time = max(time, l.after(a, v))
		}
		l.places[v] = newPlacement(ids[v], time)
		if scored(v) {
			last = max(last, time)
		}
	}
	for _, v := range group {
		if scored(v) {
			l.places[v].time = last
		}
	}
	return nil
}

// sink moves reductions of a vector that is in memory anyway to their first use.
func (l *lowering) sink() {
	first := map[*ir.Value]int{}
	for _, v := range l.plan.Values {
		time := l.places[v].time
		if !byEntry(v) {
			time = 0
		}
		for _, a := range operands(v) {
			if before, ok := first[a]; !ok || time < before {
				first[a] = time
			}
		}
	}
	for _, v := range l.plan.Values {
		at := l.places[v]
		reduced := len(v.Args) == 2 && v.Args[1].Space() == ir.Number
		if reduced && (scored(v.Args[0]) || l.places[v.Args[0]].time < at.time) {
			at.time = max(at.time, first[v])
		}
	}
}

// supported refuses ops that have no kernel.
func (l *lowering) supported(v *ir.Value, id int) error {
	switch {
	case v.Op == ir.Project && v.Args[0].Op == ir.Project:
		return fmt.Errorf("internal error: v%d: no kernel for a projection of a projection", id)
	case v.Op.Info().Sweeps > 0 && !scored(v) && v.Op != ir.Embed:
		return fmt.Errorf("internal error: v%d: no kernel makes a sweep for %s", id, v.Op)
	}
	return nil
}

// start returns the earliest time of a value without operands.
func (l *lowering) start(v *ir.Value) int {
	switch {
	case v.Op == ir.Embed:
		return sumStage
	case scored(v):
		return scoreStage
	case v.Op == ir.Entity || v.Op == ir.Project || l.reducedBySweep(v) || known(v):
		return always
	}
	return firstStep
}

// after returns the earliest time at which v can be computed, given an operand.
func (l *lowering) after(operand, v *ir.Value) int {
	at := l.places[operand].time
	stage := l.start(v)
	own := at % round // stage of the operand
	switch {
	case at == always || stage == always:
		return at
	case own < stage:
		return at - own + stage
	case stage < firstStep:
		return at - own + round + stage
	case operand.Space() == ir.Entities && byEntry(v):
		return at
	}
	return at + 1
}

// byEntry reports whether a value reads its operands entry by entry, as they are computed.
func byEntry(v *ir.Value) bool { return isMap(v) && v.Op != ir.Traverse || v.Space() == ir.Number }

// reducedBySweep reports whether a value is a reduction of scores computed by their sweep.
func (l *lowering) reducedBySweep(v *ir.Value) bool { return v.Op == ir.SumExp && scored(v.Args[0]) }

// place records the reads of a value, and numbers its results other than vectors.
func (l *lowering) place(v *ir.Value) {
	at := l.places[v]
	switch {
	case v.Op == ir.Embed:
		at.embedding = l.embeddings
		l.embeddings++
		l.use(v.Args[0], at.time)
	case scored(v):
		l.use(v, at.time)
	case known(v):
	case l.reducedBySweep(v):
		score := l.places[v.Args[0]]
		if score.stat == none {
			score.stat = l.newStat()
		}
		at.stat = score.stat
	case v.Op != ir.Entity && v.Op != ir.Project:
		l.placeEntries(v)
	}
}

// placeEntries records the reads of a reduction or an element-wise vector.
func (l *lowering) placeEntries(v *ir.Value) {
	at := l.places[v]
	if v.Space() == ir.Number {
		at.stat = l.newStat()
	}
	for _, a := range v.Args {
		if a.Space() == ir.Entities && (l.places[a].time != at.time || v.Op == ir.Traverse) {
			l.use(a, at.time)
		}
	}
}

// times returns the distinct launch times, in order.
func (l *lowering) times() []int {
	times := map[int]bool{}
	for _, p := range l.places {
		times[p.time] = true
	}
	delete(times, always)
	return slices.Sorted(maps.Keys(times))
}

// score describes a score.
func (l *lowering) score(v *ir.Value) device.Score {
	at := l.places[v]
	s := device.Score{Constant: none, Embedding: none, Relation: none, Negated: v.Negated, Vector: at.vector, Stat: at.stat}
	if v.Op == ir.LoopScore {
		s.Kind, s.Relation = device.Loop, v.Rel
		return s
	}
	if v.Op == ir.Cosine {
		s.Kind = device.Cosine
	}
	x := v.Args[0]
	if x.Op == ir.Project {
		s.Relation, s.Backward, s.Negated = x.Rel, x.Backward, x.Negated
		x = x.Args[0]
	}
	if x.Op == ir.Entity {
		s.Constant = x.Const
	} else {
		s.Embedding = l.places[x].embedding
	}
	return s
}
