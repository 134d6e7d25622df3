package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
)

// numberValues is value numbering: it keeps one of several values with equal computations:
//
//	v4 = score v3
//	v9 = score v3
//	v10 = softmax v9           ->   v10 = softmax v4
//
// Thus a message from a constant, or a state that no longer changes, is computed once for all layers. Two
// computations are equal if op, slots, signs and operands agree; the first two operands of commuting ops may be
// swapped, but not the others, because ops round after each operand. Estimates are overwritten by their
// corrections, so each stays with its own; corrections of one state are equal with any estimates. Truth
// degrees of different atoms or variables are kept apart even if they are equal, because witnesses report each.
var numberValues = Pass{
	Name: "NumberValues",
	Doc:  "computes once what several layers or disjuncts compute alike",
	Run: func(p *ir.Plan) bool {
		first := Duplicates(p)
		p.Values = slices.DeleteFunc(p.Values, func(v *ir.Value) bool { return first[v] != nil })
		p.Replace(first)
		return len(first) > 0
	},
}

// Duplicates maps each value whose computation equals an earlier one to the first such value.
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

// valueKey returns a text that is equal for values with equal computations.
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
