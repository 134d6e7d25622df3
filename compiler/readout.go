package compiler

import (
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Readout returns a question by message passing whose fuzzy sets are s and c of each disjunct's answer p = λ·s +
// (1−λ)·c, alternating. Neither depends on λ.
func (p *Prepared) Readout() (*runtime.Question, error) {
	c, _, err := p.cache.Compile(p.Shape(), stages.Options{Layers: p.Settings.Layers, Semantics: model.NSMP})
	if err != nil {
		return nil, err
	}
	program := c.Optimized.Clone()
	pass.WriteOutReadout.Run(program)
	program.Sets = nil
	var sets []plan.PlanSet
	for _, v := range program.Values {
		if v.Op != ir.Mix {
			continue
		}
		i := len(sets) / 2
		for _, part := range v.Args {
			program.Sets = append(program.Sets, ir.Set{Disjunct: i, Variable: "f", Value: part})
			sets = append(sets, plan.PlanSet{Disjunct: i})
		}
	}
	made, err := c.Interpret(program)
	if err != nil {
		return nil, err
	}
	made.Sets = sets
	spec := *p.Spec()
	spec.Semantics = model.NSMP
	spec.Parts = slices.Clone(spec.Parts[:1])
	spec.Parts[0].Plan = made
	return p.Model().Bind(&spec)
}
