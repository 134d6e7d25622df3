package pass

import "github.com/efoc/efoc/compiler/ir"

// SplitReductions splits each op that needs a number from all entities into the reduction that computes the
// number and the element-wise op that uses it:
//
//	v4 = softmax v3            ->   v4 = sumexp v3
//	v5 = blend v4 v1                v5 = share v3 v4
//	v6 = normalize v5               v6 = blend v5 v1
//	                                v7 = sumcut v6
//	                                v8 = cut v6 v7
//
// An executor that computes the entries in parts, in the threads of a device or on several machines, has to
// synchronise only at the reductions. On the CPU, one op does both. The pass runs after all others.
var SplitReductions = Pass{
	Name: "SplitReductions",
	Doc:  "parts what needs a number of all entities into the reduction and what each entry becomes by it",
	Run: func(p *ir.Plan) bool {
		type key struct {
			op ir.Op
			of *ir.Value
		}
		made := map[key]*ir.Value{}
		var values []*ir.Value
		for _, v := range p.Values {
			if s, ok := reductions[v.Op]; ok {
				k := key{s.reduce, v.Args[0]}
				if made[k] == nil {
					made[k] = &ir.Value{Op: s.reduce, Args: v.Args[:1:1]}
					values = append(values, made[k])
				}
				v.Op, v.Args = s.entry, []*ir.Value{v.Args[0], made[k]}
			}
			values = append(values, v)
		}
		p.Values = values
		return len(made) > 0
	},
}

// reductions are the ops that SplitReductions splits.
var reductions = map[ir.Op]struct{ reduce, entry ir.Op }{
	ir.Softmax:   {ir.SumExp, ir.Share},
	ir.Normalize: {ir.SumCut, ir.Cut},
	ir.ScaleMax:  {ir.Largest, ir.Over},
	ir.ScaleSum:  {ir.Sum, ir.Over},
}
