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
// a place in memory where another one reads it. Time counts what has to follow one
// another; kernels and steps of one time are independent. A value gets the earliest time at which
// its operands are available: an entry of a vector in the kernel that computes it, a
// reduction one time later, a sum of rows two times later, after combining. Of
//
//	v3 = score v2           time 0: a pass, which reduces the scores for the softmax
//	v4 = softmax v3         time 1: an entry needs the reduction
//	v5 = blend v4 v1        time 1: in a register beside v4
//	v6 = normalize v5       time 2: the kernel of time 1 sums v5, which is kept for it
//	v7 = embed v6           time 3: a pass; v6 is kept for it, and v7 is ready at time 5
//
// v3, v5 and v6 are in memory. Vectors are numbered at the end, when the last use of each
// is known.
type lowering struct {
	plan  *ir.Plan
	batch bool
	// places says where each value of the plan is computed and kept.
	places map[*ir.Value]*placement
	counts
	// stats are the reductions of vectors, statOrder in the order of their numbers;
	// numStats counts them and those of sums.
	stats     map[statKey]*stat
	statOrder []*stat
	numStats  int
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

func newLowering(p *ir.Plan, batch bool) (*lowering, error) {
	l := &lowering{plan: p, batch: batch, places: make(map[*ir.Value]*placement, len(p.Values)), stats: map[statKey]*stat{}}
	wanted := map[*ir.Value]bool{} // scores whose softmax is taken
	for i, v := range p.Values {
		l.places[v] = newPlacement(i)
		if v.Op == ir.Softmax {
			wanted[v.Args[0]] = true
		}
	}
	for _, group := range sweeps(p.Values) {
		var err error
		if v := group[0]; v.Op.Info().Passes == 0 {
			err = l.place(v)
		} else {
			err = l.pass(group, wanted)
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

// sweeps groups the values that share a pass; each of the others is alone.
func sweeps(values []*ir.Value) [][]*ir.Value {
	var groups [][]*ir.Value
	for i, v := range values {
		if i > 0 && v.Sweep > 0 && v.Sweep == values[i-1].Sweep {
			groups[len(groups)-1] = append(groups[len(groups)-1], v)
			continue
		}
		groups = append(groups, []*ir.Value{v})
	}
	return groups
}

// scored reports whether a vector is made by a pass.
func scored(v *ir.Value) bool { return v.Space() == ir.Entities && v.Op.Info().Passes > 0 }

// place finds the time of a value that makes no pass.
func (l *lowering) place(v *ir.Value) error {
	switch v.Op {
	case ir.Entity:
		return nil
	case ir.Project:
		if v.Args[0].Op == ir.Project {
			return fmt.Errorf("internal error: v%d: no kernel for a projection of a projection", l.places[v].id)
		}
		l.places[v].ready = l.places[v.Args[0]].ready
		return nil
	case ir.Correct:
		l.correct(v)
		return nil
	case ir.KeptVec, ir.KeptEmb:
		return fmt.Errorf("internal error: v%d: %s has no kernel: plans for devices are not split", l.places[v].id, v.Op)
	}
	l.placeEntries(v)
	return nil
}

// placeEntries finds the time of a vector that is computed entry by entry.
func (l *lowering) placeEntries(v *ir.Value) {
	time := 0
	kind, reduces := reductions[v.Op]
	for _, a := range v.Args {
		switch {
		case reduces:
			time = max(time, l.reduce(a, kind).time+1)
		case v.Op == ir.Traverse: // reads entries that other threads compute
			time = max(time, l.places[a].ready)
		default:
			time = max(time, l.entryTime(a))
		}
	}
	l.places[v].time, l.places[v].ready = time, time+1
	for _, a := range v.Args {
		if l.places[a].time != time || scored(a) || v.Op == ir.Traverse {
			l.use(a, time)
		}
	}
}

// pass places the values that share a pass over the table.
func (l *lowering) pass(values []*ir.Value, wanted map[*ir.Value]bool) error {
	g, err := l.group(values)
	if err != nil || len(g.scores)+len(g.sums) == 0 {
		return err
	}
	if len(g.scores) > maxScores {
		return lower.Refuse("use fewer atoms, or generate without --cuda",
			"the query needs %d scores in one pass over the entity table, but a GPU kernel computes at most %d", len(g.scores), maxScores)
	}
	time := g.time // at which the scores are made
	if l.batch {
		l.packed = max(l.packed, len(g.scores))
		time++ // after packing
	}
	for _, v := range g.scores {
		l.places[v].time, l.places[v].ready = time, time+1
		l.use(v, time)
		if wanted[v] && !l.batch {
			l.addStat(&stat{value: v, kind: softmax, time: time, pass: true})
		}
	}
	for _, v := range g.sums {
		for _, a := range v.Args {
			if !slices.Contains(values, a) {
				l.use(a, g.time)
			}
		}
		p := l.summed(v, g.time)
		if v.Op == ir.Estimate {
			p.sumStat = l.newStat()
		}
	}
	l.passes = append(l.passes, g)
	return nil
}

// group sorts the values of a pass and finds its time: when all that it reads and does not
// make itself is ready.
func (l *lowering) group(values []*ir.Value) (*passGroup, error) {
	g := &passGroup{}
	for _, v := range values {
		switch {
		case scored(v):
			g.scores = append(g.scores, v)
		case v.Op == ir.Embed || v.Op == ir.Estimate && !l.batch:
			g.sums = append(g.sums, v)
		case v.Op == ir.Estimate:
			continue // a batch estimates nothing: Correct reads the table
		default:
			return nil, fmt.Errorf("internal error: v%d: no kernel makes a pass for %s", l.places[v].id, v.Op)
		}
		for _, a := range v.Args {
			if !slices.Contains(values, a) {
				g.time = max(g.time, l.places[a].ready)
			}
		}
	}
	return g, nil
}

// correct places the residual of a state; in a batch, the pass that embeds the state.
func (l *lowering) correct(v *ir.Value) {
	state, estimates := v.Args[0], v.Args[1:]
	time := l.places[state].ready
	if l.batch {
		l.passes = append(l.passes, &passGroup{time: time, sums: []*ir.Value{v}})
	} else {
		for _, g := range estimates {
			time = max(time, l.places[g].ready)
		}
		for _, g := range estimates {
			for _, a := range g.Args {
				l.use(a, time)
			}
		}
		l.places[v].coefficient = l.coefficients
		l.coefficients++
	}
	l.use(state, time)
	l.summed(v, time)
}
