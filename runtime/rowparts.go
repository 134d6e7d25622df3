package runtime

import (
	"errors"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// errRowsHere refuses models outside main memory, and split ones.
var errRowsHere = errors.New("a query with several answer variables is answered in main memory: bind it to a model there, unsplit")

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
