package exact

import (
	"math/bits"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// maxMissAtoms bounds the positive atoms of a disjunct whose misses are counted:
// sets of them are looked at.
const maxMissAtoms = 16

// Misses returns, for each answer, how many facts of its best derivation are unknown: the
// minimum number of positive atoms, over all assignments that fulfil a disjunct in the full
// graph, whose edge the observed graph lacks. Two atoms with the same edge count twice. The
// result is 0 for an answer that follows from observed edges, and -1 for an entity that is no
// answer in the full graph. Negated atoms must hold in the full graph. observed is part of
// full. It returns ErrBudget if that takes too much work, or if a disjunct has more than 16
// positive atoms.
func (s *Solver) Misses(observed, full *graph.Graph, disjuncts []scq.Disjunct, b scq.Bindings, answers []int32) ([]int, error) {
	counts := slices.Repeat([]int{-1}, len(answers))
	open := slices.Compact(slices.Sorted(slices.Values(answers)))
	atoms := 0
	for i := range disjuncts {
		atoms = max(atoms, len(positiveAtoms(&disjuncts[i])))
	}
	if atoms > maxMissAtoms {
		return nil, ErrBudget
	}
	budget := s.Budget
	defer func() { s.Budget = budget }()
	for k := 0; k <= atoms && len(open) > 0; k++ {
		for i := range disjuncts {
			found, err := s.withMisses(observed, full, &disjuncts[i], b, k, open)
			if err != nil {
				return nil, err
			}
			for j, e := range answers {
				if contains(found, e) {
					counts[j] = k
				}
			}
			open = slices.DeleteFunc(open, func(e int32) bool { return contains(found, e) })
		}
	}
	return counts, nil
}

func positiveAtoms(p *scq.Disjunct) []int {
	var out []int
	for i, a := range p.Atoms {
		if !a.Negated {
			out = append(out, i)
		}
	}
	return out
}

// withMisses returns which of the open answers have a derivation in the full
// graph with at most k atoms that the observed graph lacks. It solves the disjunct
// for every choice of k atoms, which are looked up in the full graph and the
// others in the observed one. The budget is for all of it.
func (s *Solver) withMisses(observed, full *graph.Graph, p *scq.Disjunct, b scq.Bindings, k int, open []int32) ([]int32, error) {
	positive := positiveAtoms(p)
	open = slices.Clone(open)
	var found []int32
	for choice := range uint(1) << len(positive) {
		if bits.OnesCount(choice) != k || len(open) == 0 {
			continue
		}
		build := func(p *scq.Disjunct) *problem {
			return s.newProblem(p, b, func(atom int) Facts {
				if i := slices.Index(positive, atom); i < 0 || choice>>i&1 == 1 {
					return Facts{full}
				}
				return Facts{observed}
			})
		}
		more, err := s.answers([]scq.Disjunct{*p}, build, full.NumEntities(), open)
		if err != nil {
			return nil, err
		}
		s.Budget = s.left
		if s.Budget == 0 {
			return nil, ErrBudget
		}
		found = append(found, more...)
		open = slices.DeleteFunc(open, func(e int32) bool { return contains(more, e) })
	}
	slices.Sort(found)
	return found, nil
}

// Links returns the number of links of the disjunct with the fewest: an answer with that many
// misses needs all its links, however it is derived.
func Links(disjuncts []scq.Disjunct) int {
	links := len(positiveAtoms(&disjuncts[0]))
	for i := range disjuncts {
		links = min(links, len(positiveAtoms(&disjuncts[i])))
	}
	return links
}
