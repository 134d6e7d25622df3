package cugen

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
)

// maxScores bounds the vectors of scores that one pass of a kernel computes.
const maxScores = 16

// lowering schedules the values of a plan: it assigns each to a kernel or a step of one, and to
// a place in memory where another one reads it. The time of a value is its level in the plan;
// kernels and steps of one time are independent. An entry of a vector is computed in the kernel
// that has those of its operands, what a reduction tells is known one time later, and a sum of
// rows two times later, after combining. Of
//
//	v3 = score v2           time 0: a pass,
//	v4 = sumexp v3          time 0: which reduces the scores
//	v5 = share v3 v4        time 1: an entry needs the reduction
//	v6 = blend v5 v1        time 1: in a register beside v5
//	v7 = sumcut v6          time 1: the same kernel
//	v8 = cut v6 v7          time 2: v6 is kept for it
//	v9 = embed v8           time 3: a pass; v8 is kept for it, and v9 is ready at time 5
//
// v3, v6 and v8 are in memory. Vectors are numbered at the end, when the last use of each
// is known.
type lowering struct {
	plan  *ir.Plan
	batch bool
	// places says where each value of the plan is computed and kept.
	places map[*ir.Value]*placement
	counts
	// passes over the table, in the order of the plan; packed is the most queries that one
	// of a batch has.
	passes []*passGroup
	packed int
}

// passGroup is what one pass over the table computes.
type passGroup struct {
	time   int
	scores []*ir.Value
	sums   []*ir.Value
}

// newLowering schedules a plan whose reductions are split; ids are the numbers of its values.
func newLowering(p *ir.Plan, batch bool, ids map[*ir.Value]int) (*lowering, error) {
	l := &lowering{plan: p, batch: batch, places: make(map[*ir.Value]*placement, len(p.Values))}
	reduced := map[*ir.Value]*placement{} // by scores that their pass reduces
	for v, level := range p.Levels(l.wait) {
		l.places[v] = newPlacement(ids[v], level)
		if l.reducedByPass(v) {
			reduced[v.Args[0]] = l.places[v]
		}
	}
	for _, group := range p.Sweeps() {
		var err error
		if v := group[0]; v.Op.Info().Passes == 0 {
			err = l.place(v)
		} else {
			err = l.pass(group, reduced)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, v := range p.Results() {
		if v.Space() == ir.Entities {
			l.use(v, never)
		}
	}
	l.numberVectors()
	return l, nil
}

// wait returns how much later than an operand a value can be computed.
func (l *lowering) wait(operand, v *ir.Value) int {
	switch {
	case operand.Op == ir.Entity || operand.Op == ir.Project || l.reducedByPass(v):
		return 0
	case operand.Space() == ir.Embedding || l.batch && scored(operand):
		return 2 // after combining, or packing
	case operand.Space() == ir.Entities && !scored(operand) && byEntry(v):
		return 0
	}
	return 1
}

// scored reports whether a vector is made by a pass.
func scored(v *ir.Value) bool { return v.Space() == ir.Entities && v.Op.Info().Passes > 0 }

// byEntry reports whether a value takes its operands in entry by entry, where they are
// computed.
func byEntry(v *ir.Value) bool { return isMap(v) && v.Op != ir.Traverse || v.Space() == ir.Number }

// reducedByPass reports whether a value is a reduction of scores that their pass makes.
func (l *lowering) reducedByPass(v *ir.Value) bool {
	return v.Op == ir.SumExp && scored(v.Args[0]) && !l.batch
}

// place notes what a value that makes no pass reads and makes.
func (l *lowering) place(v *ir.Value) error {
	switch {
	case v.Op == ir.Entity || l.reducedByPass(v):
	case v.Op == ir.Project:
		if v.Args[0].Op == ir.Project {
			return fmt.Errorf("internal error: v%d: no kernel for a projection of a projection", l.places[v].id)
		}
	case v.Op == ir.Correct:
		l.correct(v)
	case v.Op == ir.KeptVec || v.Op == ir.KeptEmb:
		return fmt.Errorf("internal error: v%d: %s has no kernel: plans for devices are not split", l.places[v].id, v.Op)
	default:
		l.placeEntries(v)
	}
	return nil
}

// placeEntries notes what a vector that is computed entry by entry, or a reduction, reads.
func (l *lowering) placeEntries(v *ir.Value) {
	at := l.places[v]
	if v.Space() == ir.Number {
		at.stat = l.newStat()
	}
	for _, a := range v.Args {
		if a.Space() == ir.Entities && (l.places[a].time != at.time || scored(a) || v.Op == ir.Traverse) {
			l.use(a, at.time)
		}
	}
}

// pass places the values that share a pass over the table.
func (l *lowering) pass(values []*ir.Value, reduced map[*ir.Value]*placement) error {
	g, err := l.group(values)
	if err != nil {
		return err
	}
	if len(g.scores) > maxScores {
		return lower.Refuse("use fewer atoms, or generate without --cuda",
			"the query needs %d scores in one pass over the entity table, but a GPU kernel computes at most %d", len(g.scores), maxScores)
	}
	if l.batch {
		l.packed = max(l.packed, len(g.scores))
	}
	for _, v := range g.scores {
		at := l.places[v]
		if l.batch {
			at.time++ // after packing
		}
		l.use(v, at.time)
		if r := reduced[v]; r != nil {
			at.stat = l.newStat()
			r.stat = at.stat
		}
	}
	for _, v := range g.sums {
		for _, a := range v.Args {
			if !slices.Contains(values, a) {
				l.use(a, g.time)
			}
		}
		l.summed(v)
		if v.Op == ir.Estimate {
			l.places[v].stat = l.newStat()
		}
	}
	l.passes = append(l.passes, g)
	return nil
}

// group sorts the values of a pass.
func (l *lowering) group(values []*ir.Value) (*passGroup, error) {
	g := &passGroup{time: l.places[values[0]].time}
	for _, v := range values {
		switch {
		case scored(v):
			g.scores = append(g.scores, v)
		case v.Op == ir.Embed || v.Op == ir.Estimate:
			g.sums = append(g.sums, v)
		default:
			return nil, fmt.Errorf("internal error: v%d: no kernel makes a pass for %s", l.places[v].id, v.Op)
		}
	}
	return g, nil
}

// correct places the residual of a state.
func (l *lowering) correct(v *ir.Value) {
	at := l.places[v]
	for _, g := range v.Args[1:] {
		for _, a := range g.Args {
			l.use(a, at.time)
		}
	}
	at.coefficient = l.coefficients
	l.coefficients++
	l.use(v.Args[0], at.time)
	l.summed(v)
}
