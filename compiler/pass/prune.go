package pass

import "github.com/efoc/efoc/compiler/ir"

// PruneDead drops the values on which neither the answer nor a reported fuzzy
// set depends, such as what an existential variable receives in the last layer:
//
//	v7 = embed v6
//	answer v6                  ->   answer v6
var PruneDead = Pass{
	Name: "PruneDead",
	Doc:  "drops what never reaches the answer",
	Run: func(p *ir.Plan) bool {
		live := map[*ir.Value]bool{}
		for _, v := range p.Results() {
			live[v] = true
		}
		for i := len(p.Values) - 1; i >= 0; i-- {
			if v := p.Values[i]; live[v] {
				for _, a := range v.Args {
					live[a] = true
				}
			}
		}
		kept := make([]*ir.Value, 0, len(p.Values))
		for _, v := range p.Values {
			if live[v] {
				kept = append(kept, v)
			}
		}
		for i := range p.Messages {
			if !live[p.Messages[i].Value] {
				p.Messages[i].Value = nil
			}
		}
		changed := len(kept) < len(p.Values)
		p.Values = kept
		return changed
	},
}
