package cost

import (
	"math"

	"github.com/efoc/efoc/compiler/ir"
)

// listedShare is the share of the entities that a row of truth degrees is assumed to
// list. It depends on the data, the threshold and the temperature: with the default
// settings, on 100 queries of each of the 23 benchmark shapes on FB15k-237, the mean of
// a shape lies between 0.44 and 0.87 for rows of constants, between 0.38 and 0.65 for
// rows of candidates; 0.67 and 0.51 over all rows.
const listedShare = 0.5

// rowShare is the share of the K best candidates that are assumed to be near enough to
// the best one to have rows: 5.8 of 8 on those queries, by shape between 4.3 and 7.0.
const rowShare = 0.72

// pushedShare is the share of the branches that are assumed to hold any of the K best
// entities of another variable: 0.28 in 3c and 0.32 in 3cm on FB15k-237. They hold three
// of eight, whose rows list much the same entities and are counted as one. Branches in
// which few entities of the neighbour are left, two thirds of them, look those up instead.
const (
	pushedShare   = 0.3
	narrowedShare = 0.1
)

// Steps of one listed entity: of two lists that are merged, of a maximum, of a search
// for the best, of a look-up of its observed links.
const (
	mergeSteps = 4
	raiseSteps = 3
	bestSteps  = 2
	linkSteps  = 8
)

// mixtureSteps are the steps of an entity of a mixture: two powers.
const mixtureSteps = 4

// listedBytes is what a listed entity takes: its id and its degree.
const listedBytes = 8

// Bounds on the values of a variable of the cutset and on the branches of several, for
// each of the K best, as in package fit.
const (
	valuesEach   = 16
	branchesEach = 64
)

// scoreBytes and minRows bound the rows that one pass over the table makes, as in package
// fit; fewer rows than minColumns are not computed as a product of matrices.
const (
	scoreBytes = 16 << 20
	minRows    = 16
	minColumns = 8
)

// exact reports whether every entity is a candidate.
func (s Sizes) exact() bool { return s.Candidates >= s.Entities }

// rowsOf returns how many rows of predicted links a value makes, or has.
func (s Sizes) rowsOf(v *ir.Value) float64 {
	switch {
	case v.Op == ir.Row, v.Op == ir.Except:
		return 1
	case s.exact():
		return float64(s.Entities)
	case len(v.Args) > 0 && v.Args[0].Op == ir.Every:
		return 0
	}
	return s.rowsOfBest()
}

// rowsOfBest returns how many of the K best entities have rows, if not all have.
func (s Sizes) rowsOfBest() float64 { return max(1, math.Round(rowShare*float64(s.Candidates))) }

// branches returns in how many branches a value of degrees is: 1 where it is one for
// all.
func (s Sizes) branches(v *ir.Value) float64 {
	switch v.Op {
	case ir.Branch:
		b := s.branches(v.Args[2]) * float64(min(s.Entities, valuesEach*s.Candidates))
		if s.exact() {
			return b
		}
		return min(b, float64(branchesEach*s.Candidates))
	case ir.Each:
		return s.branches(v.Args[0])
	case ir.Follow:
		return s.branches(v.Args[1])
	case ir.Times, ir.Narrow:
		most := 1.0
		for _, a := range v.Args {
			most = max(most, s.branches(a))
		}
		return most
	case ir.Push, ir.Leaf, ir.Other, ir.Peak:
		return s.branches(v.Args[0])
	}
	return 1
}

// lists returns how many rows' worth of entities the branches of a value list
// together: those of values that have a row, for the others list next to nothing.
func (s Sizes) lists(branches float64) float64 {
	if branches == 1 || s.exact() {
		return branches
	}
	return branches * s.rowsOfBest() / float64(valuesEach*s.Candidates)
}

// ofDegrees returns the work of an op of truth degrees, with rows that are not kept.
func ofDegrees(v *ir.Value, s Sizes) Work {
	n := float64(s.Entities)
	more := float64(max(0, len(v.Args)-len(v.Op.Info().Args)))
	branches := s.branches(v)
	lists := s.lists(branches)
	var w Work
	switch v.Op {
	case ir.Row, ir.Rows:
		w = s.makeRows(s.rowsOf(v), v.Negated)
	case ir.Best:
		w = s.listed(1, bestSteps)
	case ir.Values:
		w = s.listed(1, bestSteps)
		w.add(s.listed(2, mergeSteps), more)
	case ir.Peak:
		w = s.listed(lists, 1)
	case ir.Other:
		w = s.listed(lists, bestSteps)
	case ir.Except, ir.Others:
		w = Work{VectorBytes: listedBytes * s.rowsOf(v)}
	case ir.Diagonal:
		w = Work{VectorBytes: listedBytes * s.rowsOf(v.Args[0]), Edges: float64(s.Edges)}
	case ir.Push:
		w = s.push(v.Args[1:], branches, pushedShare)
	case ir.Narrow:
		share := pushedShare
		if s.branches(v.Args[0]) > 1 {
			share = narrowedShare
		}
		w = s.push(v.Args[2:], branches, share)
		w.add(s.listed(2*lists, mergeSteps), 1)
	case ir.Leaf:
		if s.exact() {
			return s.push(v.Args[1:], branches, 1)
		}
		w = Work{VectorBytes: listedBytes * float64(s.Edges), Edges: branches * float64(s.Edges) * (1 + more)}
		w.add(s.listed(lists, mergeSteps), more)
	case ir.Branch:
		w = Work{VectorBytes: listedBytes * branches, Scalars: branches * math.Log2(n)}
	case ir.Each:
		w = s.products(v.Args[1:])
		w.VectorBytes += listedBytes * branches
	case ir.Follow:
		w = Work{VectorBytes: listedBytes * branches}
	case ir.Join:
		from := s.branches(v.Args[0])
		w = s.listed(s.lists(from), raiseSteps)
		w.add(s.takeMaximum(), 1)
	case ir.Times:
		w.add(s.listed(2*lists, mergeSteps), 1+more)
	case ir.Either:
		w.add(s.listed(2, mergeSteps), 1+more)
	case ir.Dense:
		w = Work{VectorBytes: vectorBytes * n, Scalars: n}
	case ir.Mixture:
		w = Work{VectorBytes: 4 * vectorBytes * n, VectorFLOPs: 3 * n, Scalars: mixtureSteps * n}
	}
	return w
}

// listed returns the work of so many lists of the length of a row.
func (s Sizes) listed(lists, steps float64) Work {
	entities := lists * listedShare * float64(s.Entities)
	return Work{VectorBytes: listedBytes * entities, VectorFLOPs: entities, Scalars: steps * entities}
}

// makeRows returns the work of making rows: of each an inner product with every
// entity, whose exponentials are summed and compared with the threshold.
func (s Sizes) makeRows(rows float64, negated bool) Work {
	n := float64(s.Entities)
	w := Work{
		RowFLOPs:    2 * rows * n * float64(2*s.Rank),
		VectorBytes: 4 * vectorBytes * rows * n,
		VectorFLOPs: 3 * rows * n,
		Exps:        rows * n,
		Scalars:     rows * n,
	}
	steps := 1.0
	if negated {
		steps++
	}
	w.add(s.listed(rows, steps), 1)
	return w
}

// products returns the work of multiplying the rows of each candidate.
func (s Sizes) products(rows []*ir.Value) Work {
	var w Work
	for range rows[1:] {
		w.add(s.listed(2*s.rowsOf(rows[0]), mergeSteps), 1)
	}
	return w
}

// push returns the work of a maximum over the rows of candidates; entities without rows
// are looked up in the graph. With several branches it is taken in a share of them.
func (s Sizes) push(rows []*ir.Value, branches, share float64) Work {
	w := s.products(rows)
	each, n := s.rowsOf(rows[0]), float64(s.Entities)
	pushed := branches
	if branches > 1 && !s.exact() {
		each, pushed = 1, share*branches
	}
	positive := false
	for _, r := range rows {
		positive = positive || !r.Negated && r.Op != ir.Others
	}
	if positive {
		w.add(s.listed(each, raiseSteps), pushed)
	} else { // nowhere zero: element by element
		w.add(Work{VectorBytes: 6 * vectorBytes * n, VectorFLOPs: 2 * n}, pushed*each)
		w.add(s.listed(each, 1), pushed)
	}
	if positive && !s.exact() {
		w.add(s.listed(s.lists(branches), linkSteps), 1)
	}
	w.add(s.takeMaximum(), pushed)
	return w
}

// takeMaximum returns the work of listing a maximum.
func (s Sizes) takeMaximum() Work {
	n := float64(s.Entities)
	w := Work{VectorBytes: 2 * vectorBytes * n, Scalars: n}
	w.add(s.listed(1, 1), 1)
	return w
}

// rowsTogether returns how many rows a pass over the table makes at most.
func (s Sizes) rowsTogether() int { return max(minRows, scoreBytes/(vectorBytes*s.Entities)) }

// countRows notes rows that a sweep makes. A pass makes so many rows at most, and one
// that makes none is left out.
func (w *Sweep) countRows(rows int, s Sizes) {
	w.Scores += rows * s.Batch
	passes := (w.Scores + s.rowsTogether() - 1) / s.rowsTogether()
	w.Bytes = float64(passes) * s.TableBytes()
	w.Rows = s.Entities
	if passes == 0 {
		w.Rows = 0
	}
}

// predictRows returns the time of a sweep that makes rows: the pass, and what is done
// with the scores of each row, on all threads.
func (w *Sweep) predictRows(s Sizes, c *Constants) float64 {
	if w.Scores == 0 {
		return 0
	}
	workers := float64(min(w.Scores, max(1, c.Threads)))
	seconds := (w.each.VectorBytes/c.Vectors + w.each.Exps/c.Exps + w.each.Scalars/c.Scalars) / workers
	if w.Scores < minColumns {
		dot := 2 * float64(s.Entities) * float64(2*s.Rank)
		return seconds + w.Bytes/c.Bandwidth + max(0, w.FLOPs-dot)/c.FLOPS
	}
	written := vectorBytes * float64(w.Scores*s.Entities)
	return seconds + w.Bytes/c.ProductBandwidth + w.FLOPs/c.Products + written/c.Read/workers
}
