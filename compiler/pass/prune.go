package pass

import (
	"slices"

	"github.com/efoc/efoc/compiler/ir"
)

// PruneDead drops the values on which neither the answer nor a reported fuzzy set depends, such as the messages
// to an existential variable in the last layer:
//
//	v7 = embed v6
//	answer v6                  ->   answer v6
var PruneDead = Pass{
	Name: "PruneDead",
	Doc:  "drops what never reaches the answer",
	Run: func(p *ir.Plan) bool {
		live := p.Live()
		before := len(p.Values)
		p.Values = slices.DeleteFunc(p.Values, func(v *ir.Value) bool { return !live[v] })
		return len(p.Values) < before
	},
}
