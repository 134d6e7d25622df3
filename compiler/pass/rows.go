package pass

import "github.com/efoc/efoc/compiler/ir"

// ReadRows reads one row of the adjacency instead of multiplying a one-hot vector with the whole matrix:
//
//	v1 = onehot s1
//	v2 = traverse v1 r1        ->   v2 = neighbors s1 r1
//
// The product of a one-hot vector with a 0/1 matrix is that row, exactly.
var ReadRows = Pass{
	Name: "ReadRows",
	Doc:  "reads a constant's row of the adjacency instead of multiplying its one-hot vector with the matrix",
	Run: func(p *ir.Plan) bool {
		changed := false
		for _, v := range p.Values {
			if v.Op == ir.Traverse && v.Args[0].Op == ir.OneHot {
				v.Op = ir.Neighbors
				v.Const = v.Args[0].Const
				v.Args = nil
				changed = true
			}
		}
		return changed
	},
}
