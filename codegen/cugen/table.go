package cugen

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/device"
)

// sweeps adds the launch of the sums or scores of a time, and notes it between the kernels.
func (p *program) sweeps(time int) {
	sums := p.at(time, func(v *ir.Value) bool { return v.Op == ir.Embed })
	if len(sums) > 0 {
		p.launch(device.Launch{Kind: device.Sums, First: len(p.sums), Count: len(sums)}, sums)
	}
	for _, v := range sums {
		p.sums = append(p.sums, device.Sum{Vector: p.places[v.Args[0]].vector, Embedding: p.places[v].embedding})
	}
	isLoop := func(v *ir.Value) bool { return v.Op == ir.LoopScore }
	scores := append(p.at(time, func(v *ir.Value) bool { return scored(v) && !isLoop(v) }), p.at(time, isLoop)...)
	if len(scores) > 0 {
		p.launch(device.Launch{Kind: device.Scores, First: len(p.scores), Count: len(scores)}, scores)
	}
	for _, v := range scores {
		p.scores = append(p.scores, p.score(v))
	}
}

// at returns the values of a time for which is holds.
func (p *program) at(time int, is func(v *ir.Value) bool) (values []*ir.Value) {
	for _, v := range p.plan.Values {
		if p.places[v].time == time && is(v) {
			values = append(values, v)
		}
	}
	return values
}

// launch adds a sweep, after flushing the pending steps.
func (p *program) launch(l device.Launch, values []*ir.Value) {
	p.flush("")
	p.launches = append(p.launches, l)
	var made []string
	for _, v := range values {
		text := fmt.Sprintf("v%d is %s", p.places[v].id, v.Op)
		if v.Note != "" {
			text += " (" + oneLine(v.Note) + ")"
		}
		made = append(made, text)
	}
	p.printf("// A pass over the entity table: %s.\n", strings.Join(made, ", "))
}
