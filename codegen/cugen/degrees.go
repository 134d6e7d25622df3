package cugen

import (
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
)

// degrees plans a shape that is compiled to truth degrees or to a mixture with message passing. It generates
// kernels only for message passing, because ops of truth degrees share their kernels among all plans.
func degrees(c *stages.Compiled) (*device.Kernels, error) {
	p, err := Degrees(c.Optimized)
	if err != nil || c.Semantics != model.Mixed {
		return p, err
	}
	messages, err := stages.Compile(c.Shape, stages.Options{Layers: c.Layers, Semantics: model.NSMP})
	if err != nil {
		return nil, err
	}
	p.Messages, err = Plan(messages)
	return p, err
}

// Degrees plans the ops of truth degrees. In a mixture, all of message passing is a single op.
func Degrees(plan *ir.Plan) (*device.Kernels, error) {
	out := &device.Kernels{ABI: device.ABI, Shape: plan.Shape, Constants: plan.Constants, Relations: plan.Relations, Filters: plan.Filters, Degrees: &device.Degrees{}}
	d := out.Degrees
	numbers := map[*ir.Value]int{}
	add := func(v *ir.Value, o device.DegreeOp) {
		numbers[v] = len(d.Ops)
		d.Ops = append(d.Ops, o)
	}
	for _, v := range plan.Values {
		if !v.Op.Info().Degrees {
			continue
		}
		if v.Op == ir.Mixture && !v.Args[0].Op.Info().Degrees {
			add(v.Args[0], device.DegreeOp{Name: "messages", Space: device.VectorSpace})
		}
		o := degreeOp(v)
		for _, a := range v.Args {
			if v.Op == ir.Row { // computed from scores, which the op names itself
				continue
			}
			number, ok := numbers[a]
			if !ok {
				return nil, fmt.Errorf("internal error: %s of truth degrees reads %s", v.Op, a.Op)
			}
			o.Args = append(o.Args, number)
		}
		add(v, o)
	}
	for _, v := range plan.Results() {
		number, ok := numbers[v]
		if !ok {
			return nil, fmt.Errorf("internal error: %s is no result of truth degrees", v.Op)
		}
		d.Lists = append(d.Lists, number)
	}
	return out, nil
}

// spaces maps the spaces of truth degrees to those on a device.
var spaces = map[ir.Space]device.Space{
	ir.Degrees: device.SetSpace, ir.Candidates: device.CandidatesSpace, ir.AtomRows: device.RowsSpace, ir.Branches: device.BranchesSpace, ir.Entities: device.VectorSpace,
}

// degreeOp converts a value to an op of truth degrees, without its operands.
func degreeOp(v *ir.Value) device.DegreeOp {
	info := v.Op.Info()
	o := device.DegreeOp{
		Name: info.Name, Space: spaces[info.Result], Const: v.Const, Rel: v.Rel, Filter: v.Filter, Backward: v.Backward, Negated: v.Negated, Rows: info.Rows, Sweep: v.Sweep,
	}
	switch v.Op {
	case ir.Best:
		o.Values = 1
	case ir.Values:
		o.Values = v.Index
	case ir.Others:
		o.Negated = true
	case ir.Peak, ir.Other, ir.Leaf:
		o.Extremes = true
	case ir.Join:
		o.Joins = true
	}
	return o
}
