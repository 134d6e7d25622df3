package compiler

import (
	"github.com/efoc/efoc/compiler/internal/exec"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime"
)

// readout makes a plan as PrepareOptions.Readout wants it.
func (c *Compiled) readout() (*runtime.Plan, error) {
	program := c.Plan.Clone()
	program.Sets = nil
	var sets []runtime.PlanSet
	for _, v := range program.Values {
		if v.Op != ir.Mix {
			continue
		}
		i := len(sets) / 2
		for _, part := range v.Args {
			program.Sets = append(program.Sets, ir.Set{SCQ: i, Variable: "f", Value: part})
			sets = append(sets, runtime.PlanSet{SCQ: i})
		}
	}
	x, err := exec.New(program)
	if err != nil {
		return nil, err
	}
	return &runtime.Plan{
		ABI: runtime.ABI, Shape: c.Shape.Key, Layers: c.Layers,
		Constants: program.Constants, Relations: program.Relations,
		Patterns: c.Patterns(), Sets: sets,
		Vectors: x.Vectors, Embeddings: x.Embeddings, Run: x.Run,
	}, nil
}
