package runtime

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/search"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// rowParts indexes the parts of a question for rows by role; noPart marks a role without a part.
type rowParts struct {
	marginals []int   // by variable; nil under model.FIT
	rest, own [][]int // by disjunct and variable
}

const noPart = -1

// rowPartsOf groups the parts of a question by their roles.
func rowPartsOf(s *plan.Spec) *rowParts {
	none := slices.Repeat([]int{noPart}, len(s.Variables))
	p := &rowParts{}
	if s.Semantics != model.FIT {
		p.marginals = slices.Clone(none)
	}
	for i := range s.Parts {
		r := &s.Parts[i].Role
		if r.Disjunct < 0 {
			p.marginals[r.Variable] = i
			continue
		}
		if r.Disjunct == len(p.rest) {
			p.rest = append(p.rest, slices.Clone(none))
			p.own = append(p.own, slices.Clone(none))
		}
		list := p.rest
		if r.Own {
			list = p.own
		}
		list[r.Disjunct][r.Variable] = i
	}
	return p
}

// rowsAsked is one call of a question for rows: its options, and its parts in the form for search and judge.
type rowsAsked struct {
	*asking
	options Options
	search  search.Parts
	judge   judge.Rows
}
