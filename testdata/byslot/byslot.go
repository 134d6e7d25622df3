// Package byslot makes questions of plans, for tests that have no formula.
package byslot

import (
	"strconv"

	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Spec returns the question whose parameters fill the slots of a plan: the slots for entities, and then those for
// relations. The conditions fill those for filters.
func Spec(name string, p *plan.Plan, conditions []model.Condition) *plan.Spec {
	s := &plan.Spec{Name: name, Semantics: p.Semantics, Variables: []string{"y"}, Conditions: conditions}
	part := plan.Part{Plan: p}
	param := func(letter string, number int, k kind.Param) plan.Slot {
		s.Params = append(s.Params, plan.Param{Name: letter + strconv.Itoa(number+1), Kind: k})
		return plan.Slot{From: plan.FromParam, Index: len(s.Params) - 1}
	}
	for i := range p.Constants {
		part.Constants = append(part.Constants, param("s", i, kind.Entity))
	}
	for i := range p.Relations {
		part.Relations = append(part.Relations, param("r", i, kind.Relation))
	}
	for i := range conditions {
		part.Filters = append(part.Filters, i)
	}
	s.Parts = []plan.Part{part}
	return s
}

// Args returns the values of the parameters that fill the slots as bindings do.
func Args(b scq.Bindings) []plan.Arg {
	var args []plan.Arg
	for _, e := range b.Constants {
		args = append(args, plan.Arg{Kind: kind.Entity, ID: int32(e)})
	}
	for _, r := range b.Relations {
		args = append(args, plan.Arg{Kind: kind.Relation, ID: int32(r)})
	}
	return args
}

// Part returns the question that one part of another one answers.
func Part(s *plan.Spec, i int) *plan.Spec {
	alone := *s
	alone.Kind = plan.Answers
	alone.Semantics = s.Parts[i].Plan.Semantics
	alone.Variables = []string{"y"}
	alone.Parts = s.Parts[i : i+1]
	return &alone
}
