package cugen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/device"
)

// source prints the embedding that an op reads.
func (p *program) source(v *ir.Value) string {
	if v.Op == ir.Entity {
		return fmt.Sprintf("entity<Row>(t, %d)", v.Const)
	}
	return fmt.Sprintf("embedding<Row>(t, %d)", p.places[v].embedding)
}

// query prints what score i multiplies the rows with.
func (p *program) query(i int, v *ir.Value) {
	switch {
	case v.Op == ir.LoopScore:
		p.printf("  t.loop(%d, %d, %s);\n", i, v.Rel, sign(v))
	case v.Args[0].Op == ir.Project:
		x := v.Args[0]
		p.printf("  t.project(%d, %s, %d, %s, %s);\n", i, p.source(x.Args[0]), x.Rel, direction(x), sign(x))
	case v.Op == ir.Cosine && p.batch:
		p.printf("  t.cosine(%d, %s);\n", i, p.source(v.Args[0]))
	default:
		p.printf("  t.plain(%d, %s);\n", i, p.source(v.Args[0]))
	}
}

// bits returns a mask of the scores that are of an op.
func bits(scores []*ir.Value, op ir.Op) string {
	mask := 0
	for i, v := range scores {
		if v.Op == op {
			mask |= 1 << i
		}
	}
	return fmt.Sprintf("%du", mask)
}

// pass prints a pass over the table.
func (p *program) pass(g *passGroup) {
	name := p.kernel(device.Launch{Kind: device.Pass, Count: len(g.scores)}, "pass")
	p.printf("// A pass over the entity table: %s.\n", listValues(p, g))
	p.open(name)
	p.printf("  Sweep<Row, %d, %d, %s, %s> t(m, q);\n", len(g.scores), len(g.sums),
		bits(g.scores, ir.LoopScore), bits(g.scores, ir.Cosine))
	for i, v := range g.scores {
		p.query(i, v)
		p.printf("  t.into(%d, %d, %d);\n", i, p.places[v].vector, p.places[v].stat)
	}
	for i, v := range g.sums {
		at := p.places[v]
		if at.stat == none { // of an embedding that is not an estimate
			at.stat = p.newStat()
		}
		p.printf("  t.sum(%d, %d, %d);\n", i, at.partial, at.stat)
	}
	if len(g.sums) == 0 {
		p.printf("  t.pass();\n")
	} else {
		p.printf("  t.pass([&](int e, const float *score, Weigh *w) {\n")
		for i, v := range g.sums {
			p.printf("    w[%d] = %s;\n", i, p.weigh(v, g))
		}
		p.printf("  });\n")
	}
	p.close(name, "PASS_THREADS")
}

// weigh prints the weight of a row in a sum: exp of the scores that the estimate's own
// pass makes, times its other factors. In a pass these are score[i]; afterwards all
// are in memory.
func (p *program) weigh(v *ir.Value, in *passGroup) string {
	exponent, weight := "0.f", "1.f"
	var exponents, weights []string
	for _, a := range v.Args {
		if v.Op == ir.Estimate && a.Op.Info().Raw && a.Sweep == v.Sweep {
			exponents = append(exponents, p.scoreOf(a, in))
		} else {
			weights = append(weights, fmt.Sprintf("t.vector(%d)[e]", p.places[a].vector))
		}
	}
	if len(exponents) > 0 {
		exponent = strings.Join(exponents, " + ")
	}
	if len(weights) > 0 {
		weight = strings.Join(weights, " * ")
	}
	return fmt.Sprintf("{%s, %s}", exponent, weight)
}

func (p *program) scoreOf(v *ir.Value, in *passGroup) string {
	if in != nil {
		if i := slices.Index(in.scores, v); i >= 0 {
			return fmt.Sprintf("score[%d]", i)
		}
	}
	return fmt.Sprintf("t.vector(%d)[e]", p.places[v].vector)
}

// listValues names what a pass computes.
func listValues(p *program, g *passGroup) string {
	var names []string
	for _, v := range slices.Concat(g.scores, g.sums) {
		names = append(names, fmt.Sprintf("v%d is %s", p.places[v].id, v.Op))
	}
	return strings.Join(names, ", ")
}

// combine prints how the partial sums that the kernels of a time have made are added, and
// the estimates to residuals.
func (p *program) combine(time int) {
	var sums []*ir.Value
	for _, g := range p.passes {
		if g.time == time {
			sums = append(sums, g.sums...)
		}
	}
	i := 0
	for _, v := range sums {
		at, blocks := p.places[v], "q.sweepBlocks"
		if p.batch {
			blocks = "q.splits"
		}
		p.printf("    combine(t, %d, %d, %d, %d, %s);\n", i, at.embedding, at.partial, at.stat, blocks)
		i++
	}
	for _, v := range p.corrections(time) {
		at, first, last := p.places[v], p.places[v.Args[1]], p.places[v.Args[len(v.Args)-1]]
		p.printf("    correct<%d>(t, %d, %d, %d, %d, %d, %d);\n", len(v.Args)-1, i, at.embedding, at.partial, at.coefficient, first.embedding, last.embedding)
		i++
	}
}

// choice prints the number that index says. A table that is indexed when the kernel runs
// would be in local memory.
func choice(index string, numbers []int) string {
	text := fmt.Sprint(numbers[len(numbers)-1])
	for i, n := range slices.Backward(numbers[:len(numbers)-1]) {
		text = fmt.Sprintf("%s == %d ? %d : %s", index, i, n, text)
	}
	return text
}

// differences prints the kernel that sums the residuals of states over their estimates.
func (p *program) differences(values []*ir.Value) {
	if len(values) == 0 {
		return
	}
	name := p.kernel(device.Launch{Kind: device.Differences, Count: len(values)}, "differences")
	p.notes(values)
	p.open(name)
	for i, v := range values {
		estimates := v.Args[1:]
		p.printf("  if (blockIdx.z == %d) {\n    Residual<Row, %d> t(m, q);\n", i, len(estimates))
		for j, g := range estimates {
			p.printf("    t.estimate(%d, %d, %d);\n", j, p.places[g].embedding, p.places[g].stat)
		}
		p.printf("    t.sum(%d, %d, %d, [&](int e, Weigh *w) {\n", p.places[v.Args[0]].vector, p.places[v].coefficient, p.places[v].partial)
		for j, g := range estimates {
			p.printf("      w[%d] = %s;\n", j, p.weigh(g, nil))
		}
		p.printf("    });\n  }\n")
	}
	p.close(name, "PASS_THREADS")
}

// pack prints the kernel that packs the queries of a batch's pass.
func (p *program) pack(g *passGroup) {
	name := p.kernel(device.Launch{Kind: device.Pack, Count: len(g.scores)}, "pack")
	p.open(name)
	p.printf("  const Pack<Row> t(m, q);\n  if (!t.begin()) return;\n")
	for i, v := range g.scores {
		p.query(i, v)
	}
	p.close(name, "BATCH_THREADS")
}

// products prints the matrix products of a batch's pass.
func (p *program) products(g *passGroup) {
	name := p.kernel(device.Launch{Kind: device.Products, Count: len(g.scores)}, "products")
	p.printf("// A pass over the entity table for a batch: %s.\n", listValues(p, &passGroup{scores: g.scores}))
	p.open(name)
	var to []int
	for _, v := range g.scores {
		to = append(to, p.places[v].vector)
	}
	p.printf("  const int i = blockIdx.x / tiles(q.batch) %% %d, to = %s;\n", len(to), choice("i", to))
	p.printf("  products<Row, %d>(m, q, i, to, %s >> i & 1, %s >> i & 1);\n", len(to), bits(g.scores, ir.Cosine), bits(g.scores, ir.LoopScore))
	p.close(name, "BATCH_THREADS")
}

// embeds prints the kernel that packs the states of a batch and the matrix product that
// embeds them.
func (p *program) embeds(v *ir.Value) {
	name := p.kernel(device.Launch{Kind: device.PackState, Count: 1}, "state")
	p.open(name)
	p.printf("  const Pack<Row> t(m, q);\n  if (t.begin()) t.state(%d);\n", p.places[v.Args[0]].vector)
	p.close(name, "BATCH_THREADS")
	name = p.kernel(device.Launch{Kind: device.Embeds, Count: 1}, "embeds")
	p.notes([]*ir.Value{v})
	p.open(name)
	p.printf("  embeds<Row>(m, q, %d);\n", p.places[v].partial)
	p.close(name, "BATCH_THREADS")
}
