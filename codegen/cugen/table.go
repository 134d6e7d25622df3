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
	name := p.kernel(device.Pass, "pass", len(g.scores))
	p.printf("// A pass over the entity table: %s.\n", listValues(p, g))
	p.open(name, true)
	p.printf("  Sweep<Row, %d, %d, %s, %s> t(m, q);\n  if (!t.asked()) return;\n", len(g.scores), len(g.sums),
		bits(g.scores, ir.LoopScore), bits(g.scores, ir.Cosine))
	for i, v := range g.scores {
		p.query(i, v)
		stat := -1
		if s, ok := p.stats[statKey{v, softmax}]; ok && s.pass {
			stat = s.number
		}
		p.printf("  t.into(%d, %d, %d);\n", i, p.places[v].vector, stat)
	}
	for i, v := range g.sums {
		at := p.places[v]
		if at.sumStat == none { // of an embedding that is not an estimate
			at.sumStat = p.newStat()
		}
		p.printf("  t.sum(%d, %d, %d);\n", i, at.partial, at.sumStat)
	}
	p.printf("  t.pass([&](int e, const float *score, Weigh *w) {\n")
	for i, v := range g.sums {
		p.printf("    w[%d] = %s;\n", i, p.weigh(v, g))
	}
	p.printf("  });\n")
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

// combine prints the kernel that adds the partial sums of a pass.
func (p *program) combine(g *passGroup) {
	name := p.kernel(device.Combine, "combine", len(g.sums))
	p.open(name, false)
	p.printf("  const Query t(*m, *q);\n  if (!t.asked()) return;\n")
	for i, v := range g.sums {
		stat, blocks := fmt.Sprint(p.places[v].sumStat), "q->sweepBlocks"
		if p.batch {
			stat, blocks = "-1", "q->splits"
		}
		p.printf("  if (blockIdx.z == %d) combine(t, %d, %d, %s, %s);\n", i, p.places[v].embedding, p.places[v].partial, stat, blocks)
	}
	p.printf("}\n\n")
}

// differences prints the kernel that sums the residual of a state over its estimates.
func (p *program) differences(v *ir.Value) {
	estimates := v.Args[1:]
	name := p.kernel(device.Differences, "differences", 0)
	p.notes([]*ir.Value{v})
	p.printf("// v%d: the residual of the state v%d over its estimates.\n", p.places[v].id, p.places[v.Args[0]].id)
	p.open(name, true)
	p.printf("  Residual<Row, %d> t(m, q);\n  if (!t.asked()) return;\n", len(estimates))
	for i, g := range estimates {
		p.printf("  t.estimate(%d, %d, %d);\n", i, p.places[g].embedding, p.places[g].sumStat)
	}
	p.printf("  t.sum(%d, %d, %d, [&](int e, Weigh *w) {\n", p.places[v.Args[0]].vector, p.places[v].coefficient, p.places[v].partial)
	for i, g := range estimates {
		p.printf("    w[%d] = %s;\n", i, p.weigh(g, nil))
	}
	p.printf("  });\n")
	p.close(name, "PASS_THREADS")
}

// corrected prints the kernel that adds the estimates to the residual.
func (p *program) corrected(v *ir.Value) {
	at, estimates := p.places[v], v.Args[1:]
	first, last := p.places[estimates[0]], p.places[estimates[len(estimates)-1]]
	name := p.kernel(device.Combine, "correct", 1)
	p.open(name, false)
	p.printf("  const Query t(*m, *q);\n  if (!t.asked()) return;\n")
	p.printf("  combine(t, %d, %d, -1, q->sweepBlocks);\n", at.embedding, at.partial)
	p.printf("  add_estimates<%d>(t, %d, %d, %d, %d);\n}\n\n", len(estimates), at.embedding, at.coefficient, first.embedding, last.embedding)
}

// pack prints the kernel that packs the queries of a batch's pass.
func (p *program) pack(g *passGroup) {
	name := p.kernel(device.Pack, "pack", len(g.scores))
	p.open(name, true)
	p.printf("  const Pack<Row> t(m, q);\n  if (!t.asked()) return;\n")
	for i, v := range g.scores {
		p.query(i, v)
	}
	p.close(name, "BATCH_THREADS")
}

// products prints the matrix products of a batch's pass.
func (p *program) products(g *passGroup) {
	name := p.kernel(device.Products, "products", len(g.scores))
	p.printf("// A pass over the entity table for a batch: %s.\n", listValues(p, &passGroup{scores: g.scores}))
	p.open(name, true)
	var to []string
	for _, v := range g.scores {
		to = append(to, fmt.Sprint(p.places[v].vector))
	}
	p.printf("  const int to[] = {%s}, i = blockIdx.z;\n", strings.Join(to, ", "))
	p.printf("  products<Row>(m, q, i, to[i], %s >> i & 1, %s >> i & 1);\n", bits(g.scores, ir.Cosine), bits(g.scores, ir.LoopScore))
	p.close(name, "BATCH_THREADS")
}

// embeds prints the matrix product that embeds the states of a batch.
func (p *program) embeds(v *ir.Value) {
	name := p.kernel(device.Embeds, "embeds", 1)
	p.notes([]*ir.Value{v})
	p.printf("// v%d: the sums of the rows for a batch.\n", p.places[v].id)
	p.open(name, true)
	p.printf("  embeds<Row>(m, q, %d, %d);\n", p.places[v.Args[0]].vector, p.places[v].partial)
	p.close(name, "BATCH_THREADS")
}
