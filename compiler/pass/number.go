package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
)

// NumberValues keeps one of all values that compute the same:
//
//	v4 = score v3
//	v9 = score v3
//	v10 = softmax v9           ->   v10 = softmax v4
//
// A message from a constant is thereby computed once for all layers, and so is
// every state that has stopped changing. Two values compute the same when op,
// slots, signs and operands agree, the first two operands of commuting ops in
// any order. Ops of more operands round after each, so the order of the others
// matters. Estimates are overwritten by what corrects them: each stays with its correction, and
// corrections of one state are the same with any estimates.
// Truth degrees of different atoms or variables stay apart even if they are equal,
// for witnesses tell of each.
var NumberValues = Pass{
	Name: "NumberValues",
	Doc:  "computes once what several layers or disjuncts compute alike",
	Run: func(p *ir.Plan) bool {
		first := Duplicates(p)
		p.Values = slices.DeleteFunc(p.Values, func(v *ir.Value) bool { return first[v] != nil })
		p.Replace(first)
		return len(first) > 0
	},
}

// Duplicates returns, for each value that computes the same as an earlier one, the first
// such value.
func Duplicates(p *ir.Plan) map[*ir.Value]*ir.Value {
	number := make(map[*ir.Value]int, len(p.Values))
	first := map[string]*ir.Value{}
	duplicates := map[*ir.Value]*ir.Value{}
	for i, v := range p.Values {
		key := valueKey(v, number)
		if f := first[key]; f != nil && v.Op != ir.Estimate {
			number[v] = number[f]
			duplicates[v] = f
			continue
		}
		first[key] = v
		number[v] = i
	}
	return duplicates
}

// valueKey is a text that values which compute the same have in common.
func valueKey(v *ir.Value, number map[*ir.Value]int) string {
	args := make([]int, len(v.Args))
	for i, a := range v.Args {
		args[i] = number[a]
	}
	if v.Op == ir.Correct {
		args = args[:1]
	}
	if v.Op.Info().Commutes {
		slices.Sort(args[:2])
	}
	var b strings.Builder
	fmt.Fprint(&b, v.Op, v.Const, v.Rel, v.Filter, v.Index, v.Backward, v.Negated, args)
	return b.String()
}
