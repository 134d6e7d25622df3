package pass

import (
	"slices"

	"github.com/efoc/efoc/compiler/ir"
)

// deferReadout merges a readout into a single value if it is the answer, or the only message-passing part of
// the answer, and the last sweep of the table is only for it:
//
//	v7 = cosine v6 @3
//	v8 = softmax v7         ->   v7 = readout v5 v6
//	v9 = mix v5 v8               answer v7
//	answer v9
//
// The runtime can then find the best entities without that sweep, if bounds determine them. A union is scaled
// by the largest entries of its disjuncts and by a sum, so its readouts remain. WriteOutReadout reverses the
// pass.
var deferReadout = Pass{
	Name: "DeferReadout",
	Doc:  "leaves the sweep of the readout to those who want the whole ranking: the best answers are found without",
	Run: func(p *ir.Plan) bool {
		mix := p.Messages()
		if mix == nil || mix.Op != ir.Mix || mix.Args[1].Op != ir.Softmax || mix.Args[1].Args[0].Op != ir.Cosine {
			return false
		}
		near := mix.Args[1]
		cosine := near.Args[0]
		for _, v := range p.Values {
			shared := v != cosine && v.Sweep > 0 && v.Sweep == cosine.Sweep
			read := v != p.Answer && slices.Contains(v.Args, mix) || v != mix && slices.Contains(v.Args, near) || v != near && slices.Contains(v.Args, cosine)
			if shared || read {
				return false
			}
		}
		for _, v := range p.Sets {
			if v.Value == mix || v.Value == near || v.Value == cosine {
				return false
			}
		}
		readout := &ir.Value{Op: ir.Readout, Args: []*ir.Value{mix.Args[0], cosine.Args[0]}, Note: mix.Note, Origin: mix.Origin}
		p.Values = slices.DeleteFunc(p.Values, func(v *ir.Value) bool { return v == mix || v == near || v == cosine })
		replaceLast(p, mix, readout)
		return true
	},
}

// replaceLast appends values to a plan. The last one replaces old, which is the answer or the message-passing
// part of a mixture.
func replaceLast(p *ir.Plan, old *ir.Value, with ...*ir.Value) {
	last := with[len(with)-1]
	p.Values = slices.DeleteFunc(p.Values, func(v *ir.Value) bool { return v == old || v == p.Answer })
	p.Values = append(p.Values, with...)
	if p.Answer == old {
		p.Answer = last
		return
	}
	p.Answer.Args[0] = last
	p.Values = append(p.Values, p.Answer)
}

// WriteOutReadout computes the whole answer in the plan, for runners that always compute it, such as devices:
// it reverses deferReadout.
var WriteOutReadout = Pass{
	Name: "WriteOutReadout",
	Doc:  "computes the whole answer, with the sweep of its readout",
	Run: func(p *ir.Plan) bool {
		readout := p.Messages()
		if readout == nil || readout.Op != ir.Readout {
			return false
		}
		sweep := 0
		for _, v := range p.Values {
			sweep = max(sweep, v.Sweep)
		}
		cosine := &ir.Value{Op: ir.Cosine, Args: readout.Args[1:2:2], Sweep: sweep + 1}
		near := &ir.Value{Op: ir.Softmax, Args: []*ir.Value{cosine}}
		mix := &ir.Value{Op: ir.Mix, Args: []*ir.Value{readout.Args[0], near}, Note: readout.Note, Origin: readout.Origin}
		replaceLast(p, readout, cosine, near, mix)
		return true
	},
}
