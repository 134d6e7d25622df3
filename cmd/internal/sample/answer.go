package sample

import (
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/scq"
)

// answer finds the answers of a query and judges them. It returns nil for a query to be rejected.
func (s *Sampler) answer(t *Template, solver *exact.Solver, args []int32) (*queryset.Case, error) {
	b := t.slots.bind(args)
	all, err := solver.Answers(s.full, t.patterns, b)
	if err != nil || len(all) == 0 || !s.fits(len(all)) {
		return nil, err
	}
	q := &queryset.Case{Args: args, Split: s.options.Split}
	if s.small != nil {
		q.Easy, err = solver.Answers(s.small, t.patterns, b)
		if err != nil {
			return nil, err
		}
	}
	q.Hard = Without(all, q.Easy)
	if !s.fits(len(q.Easy)+len(q.Hard)) || s.options.MaxHard > 0 && len(q.Hard) > s.options.MaxHard {
		return nil, nil
	}
	if err := s.keepMissing(t, solver, b, q); err != nil || len(q.Hard) < s.options.MinHard {
		return nil, err
	}
	matter := true
	if s.options.Like == Own {
		matter, err = t.negationsMatter(func(patterns []scq.Disjunct) (bool, error) {
			more, err := solver.Answers(s.full, patterns, b)
			return !slices.Equal(more, all), err
		})
	} else if s.protocol(t) == BetaE {
		matter = s.negationsRefute(t, q.Easy, all)
	}
	if !matter || err != nil {
		return nil, err
	}
	return q, nil
}

// fits reports whether a query may have the given number of answers.
func (s *Sampler) fits(answers int) bool {
	return s.options.MaxAnswers == 0 || answers <= s.options.MaxAnswers
}

// Without returns the elements of an ascending list that are not in other.
func Without(list, other []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(list), func(e int32) bool {
		_, there := slices.BinarySearch(other, e)
		return there
	})
}

// keepMissing moves the hard answers with too few missing links to the easy ones.
func (s *Sampler) keepMissing(t *Template, solver *exact.Solver, b scq.Bindings, q *queryset.Case) error {
	if s.options.MinMissing == 0 && !s.options.AllMissing {
		return nil
	}
	counts, err := solver.Misses(s.small, s.full, t.patterns, b, q.Hard)
	if err != nil {
		return err
	}
	least := s.options.MinMissing
	if s.options.AllMissing {
		least = t.Links()
	}
	var hard []int32
	q.Easy = slices.Clone(q.Easy) // it may be the graph's own
	for i, e := range q.Hard {
		if counts[i] >= least {
			hard = append(hard, e)
		} else {
			q.Easy = append(q.Easy, e)
		}
	}
	slices.Sort(q.Easy)
	q.Hard = hard
	return nil
}

// negationsMatter reports whether the answers differ without any one of the negated atoms.
func (t *Template) negationsMatter(others func(patterns []scq.Disjunct) (bool, error)) (bool, error) {
	for i, p := range t.patterns {
		for _, less := range withoutNegations(&p) {
			without := slices.Clone(t.patterns)
			without[i] = less
			if matters, err := others(without); !matters || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// withoutNegations returns, for each negated atom of a pattern, the pattern without it.
func withoutNegations(p *scq.Disjunct) []scq.Disjunct {
	var list []scq.Disjunct
	for i, a := range p.Atoms {
		if a.Negated {
			less := *p
			less.Atoms = slices.Delete(slices.Clone(p.Atoms), i, i+1)
			list = append(list, less)
		}
	}
	return list
}

// negationsRefute reports whether facts of the split refute an answer that a query with negated atoms has without the
// split, which only BetaE requires. FIT's negated atoms are judged when they are drawn.
func (s *Sampler) negationsRefute(t *Template, easy, all []int32) bool {
	if !scq.Negates(t.patterns) || s.small == nil {
		return true
	}
	refuted := len(Without(easy, all))
	return refuted > 0 && (s.options.MaxHard == 0 || refuted <= s.options.MaxHard)
}
