package pass

import "github.com/efoc/efoc/compiler/ir"

// NarrowPushes multiplies what is pushed into a variable by what is known of it at
// once:
//
//	v5 = push v2 v4 #1
//	v6 = times v1 v5           ->   v6 = narrow v1 v2 v4 #1
//
// Only entities of which something is known can be answers: where they are few, such
// as in the branches of a cycle, they are looked up in the rows, instead of going
// through all that the rows list.
var NarrowPushes = Pass{
	Name: "NarrowPushes",
	Doc:  "pushes a variable only where something is known of the one that it leads to",
	Run: func(p *ir.Plan) bool {
		uses := map[*ir.Value]int{}
		for _, v := range p.Values {
			for _, a := range v.Args {
				uses[a]++
			}
		}
		for _, v := range p.Results() {
			uses[v]++
		}
		gone := map[*ir.Value]bool{}
		for _, v := range p.Values {
			if v.Op != ir.Times || len(v.Args) != 2 {
				continue
			}
			known, push := v.Args[0], v.Args[1]
			if push.Op != ir.Push || uses[push] != 1 || known == push {
				continue
			}
			v.Op, v.Index = ir.Narrow, push.Index
			v.Args = append([]*ir.Value{known}, push.Args...)
			v.Note = push.Note
			gone[push] = true
		}
		if len(gone) == 0 {
			return false
		}
		var kept []*ir.Value
		for _, v := range p.Values {
			if !gone[v] {
				kept = append(kept, v)
			}
		}
		p.Values = kept
		return true
	},
}
