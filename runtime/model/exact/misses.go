package exact

import (
	"math/bits"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// maxMissAtoms bounds the positive atoms of a disjunct for counting misses, which enumerates sets of atoms.
const maxMissAtoms = 16

// Misses returns, for each answer, the number of unknown facts in its best derivation: the minimum number of positive
// atoms whose edge observed lacks, over all assignments that satisfy a disjunct in full. Two atoms with the same edge
// count twice. The result is 0 for an answer that follows from observed edges, and -1 for an entity that is not an answer
// in full. Negated atoms must hold in full. observed is a subgraph of full. Misses returns ErrBudget if it needs too much
// work, or if a disjunct has more than 16 positive atoms.
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

// withMisses returns the open answers that have a derivation in the full graph with at most k atoms that the observed
// graph lacks. It solves the disjunct for every choice of k atoms to look up in the full graph, with the others in
// the observed one. All choices share the budget.
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

// Links returns the number of links of the disjunct with the fewest: an answer with that many misses needs all its
// links in every derivation.
func Links(disjuncts []scq.Disjunct) int {
	links := len(positiveAtoms(&disjuncts[0]))
	for i := range disjuncts {
		links = min(links, len(positiveAtoms(&disjuncts[i])))
	}
	return links
}
