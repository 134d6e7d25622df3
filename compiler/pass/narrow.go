package pass

import (
	"slices"

	"github.com/efoc/efoc/compiler/ir"
)

// narrowPushes multiplies the degrees pushed into a variable by the variable's known degrees in the same op:
//
//	v5 = push v2 v4 #1
//	v6 = times v1 v5           ->   v6 = narrow v1 v2 v4 #1
//
// Only entities with known degrees can be answers. If they are few, such as in the branches of a cycle, it is
// faster to look them up in the rows than to go through all entries of the rows.
var narrowPushes = Pass{
	Name: "NarrowPushes",
	Doc:  "pushes a variable only where something is known of the one that it leads to",
	Run: func(p *ir.Plan) bool {
		uses := p.Uses()
		gone := map[*ir.Value]bool{}
		for _, v := range p.Values {
			if v.Op != ir.Times || len(v.Args) != 2 {
				continue
			}
			known := v.Args[0]
			push := v.Args[1]
			if push.Op != ir.Push || uses[push] != 1 || known == push {
				continue
			}
			v.Op = ir.Narrow
			v.Index = push.Index
			v.Args = append([]*ir.Value{known}, push.Args...)
			v.Note, v.Origin = push.Note, push.Origin
			gone[push] = true
		}
		p.Values = slices.DeleteFunc(p.Values, func(v *ir.Value) bool { return gone[v] })
		return len(gone) > 0
	},
}
