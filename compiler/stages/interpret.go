package stages

import (
	"github.com/efoc/efoc/compiler/internal/interpreted"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Interpreted returns the runtime plan that interprets the optimised plan, built once.
func (c *Compiled) Interpreted() (*plan.Plan, error) { return c.opByOp.get(c.interpretOptimized) }

func (c *Compiled) interpretOptimized() (*plan.Plan, error) {
	p, err := c.Interpret(c.Optimized)
	if err != nil {
		return nil, err
	}
	fused, err := c.Fused()
	if err != nil {
		return nil, err
	}
	if fused != nil {
		p.Small, p.SmallPlaces, err = interpret(p, fused)
	}
	return p, err
}

// Interpret returns a runtime plan that interprets a program made from the shape.
func (c *Compiled) Interpret(program *ir.Plan) (*plan.Plan, error) {
	p := c.NewPlan()
	var err error
	p.Run, p.Places, err = interpret(p, program)
	return p, err
}

// interpret prepares a program of a plan, and makes room for its values.
func interpret(p *plan.Plan, program *ir.Plan) (run func(w *plan.Workspace) error, places []int32, err error) {
	x, err := interpreted.New(program)
	if err != nil {
		return nil, nil, err
	}
	p.Vectors = max(p.Vectors, x.Vectors)
	p.Embeddings = max(p.Embeddings, x.Embeddings)
	return x.Run, x.Places, nil
}

// OnDevice returns the runtime plan that runs on a device, built once.
func (c *Compiled) OnDevice(kernels func(c *Compiled) (*device.Kernels, error)) (*plan.Plan, error) {
	return c.device.get(func() (*plan.Plan, error) {
		k, err := kernels(c)
		if err != nil {
			return nil, err
		}
		p, err := c.interpretOptimized() // to explain answers
		if err == nil {
			p.Kernels = k
		}
		return p, err
	})
}

// Distributed returns the plan of a shape for the ranks of a split model: see pass.Distribute.
func Distributed(disjuncts []scq.Disjunct, s model.Semantics, layers int) (*plan.Plan, error) {
	c, err := Compile(lower.Unnamed(disjuncts), Options{Layers: layers, Semantics: s})
	if err != nil {
		return nil, err
	}
	p, err := c.Distribute()
	if err != nil {
		return nil, err
	}
	made, err := c.Interpret(p)
	if err != nil {
		return nil, err
	}
	made.Distributed = true
	return made, nil
}
