package pass

import (
	"slices"

	"github.com/efoc/efoc/compiler/ir"
)

// Fuse makes a plan for small tables, whose sweeps are loops over tiles of the table: see runtime/plan.Tiles. Each
// message and each state becomes a single value:
//
//	v3 = neighbors s1 r1               v3 = neighbors s1 r1
//	v4 = normalize v3                  v5 = score v2 @1
//	v5 = score v2 @1                   v6 = estimate v5 @1
//	v6 = estimate v5 @1           ->   v9 = message v5 v3
//	v7 = softmax v5                    v10 = state v9
//	v8 = blend v7 v4                   v11 = correct v10 v6
//	v9 = normalize v8
//	v10 = normalize v9
//	v11 = correct v10 v6
//
// A loop reads each tile once for all its scores and sums. Messages and estimates are computed from the exponentials of
// the scores, rows of truth degrees from the scores: if anything else reads scores, the plan stays unchanged. All other
// values are computed after the loop.
var Fuse = Pass{
	Name: "Fuse",
	Doc:  "makes one value of each message and of each state, for loops over tiles of small tables",
	Run: func(p *ir.Plan) bool {
		fused := p.Clone()
		messages := false
		for _, v := range fused.Values {
			messages = fuseMessage(v) || messages
		}
		PruneDead.Run(fused) // the links of messages were normalised values
		for _, v := range fused.Values {
			fuseState(v)
		}
		PruneDead.Run(fused)
		if !messages || !exponentiated(fused) {
			return false
		}
		*p = *fused
		return true
	},
}

// fuseMessage rewrites a normalised value as a message if it is one.
func fuseMessage(v *ir.Value) bool {
	score, positive := rawScore(v)
	if score == nil {
		return false
	}
	links := v.Args[0].Args[1].Args[0]
	if !positive {
		links = links.Args[0]
	}
	v.Op = ir.Message
	v.Negated = !positive
	v.Args = []*ir.Value{score, links}
	return true
}

// fuseState rewrites a normalised product as a state. The runtime makes no estimate of a state of more than two
// messages, so a second one, of two of them, would be made in vain.
func fuseState(v *ir.Value) {
	switch {
	case v.Op == ir.Correct && len(v.Args[1].Args) > 2:
		v.Args = v.Args[:2]
	case v.Op == ir.Normalize:
		v.Op = ir.State
		if v.Args[0].Op == ir.Mul {
			v.Args = slices.Clone(v.Args[0].Args)
		}
	}
}

// exponentiated reports whether only messages, estimates and rows read the scores.
func exponentiated(p *ir.Plan) bool {
	for _, v := range p.Values {
		switch v.Op {
		case ir.Message, ir.Estimate, ir.Row:
			continue
		}
		if slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a.Op.Info().Raw }) {
			return false
		}
	}
	return true
}
