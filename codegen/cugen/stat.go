package cugen

import (
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
)

// statTexts are the formats of reductions: the type of a partial result, its initial value, adding an entry,
// storing it, and combining all stored ones. Their operands are the number of the reduction, the number of the
// value, and the number of blocks that store partial results.
var statTexts = map[ir.Op]struct{ kind, none, add, put, all string }{
	ir.SumCut: {
		"float", "part%[1]d = 0", "part%[1]d += cut(v%[2]d, q.input->epsilon)",
		"t.put_sum(%[1]d, part%[1]d)", "const float all%[1]d = t.sum_stat(%[1]d)",
	},
	ir.Sum: {
		"float", "part%[1]d = 0", "part%[1]d += v%[2]d",
		"t.put_sum(%[1]d, part%[1]d)", "const float all%[1]d = t.sum_stat(%[1]d)",
	},
	ir.Largest: {
		"float", "part%[1]d = -INFINITE", "part%[1]d = fmaxf(part%[1]d, v%[2]d)",
		"t.put_top(%[1]d, part%[1]d)", "const float all%[1]d = fmaxf(t.top_stat(%[1]d), 0.f)",
	},
	ir.SumExp: {
		"float2", "part%[1]d = no_stat()", "part%[1]d = merge(part%[1]d, make_float2(v%[2]d, 1.f))",
		"t.put_stat(%[1]d, part%[1]d)", "const float2 all%[1]d = t.softmax_stat(%[1]d, %[3]s)",
	},
}

// stat prints one of the statTexts of a reduction.
func (p *program) stat(v *ir.Value, format string) string {
	blocks := "q.mapBlocks"
	if p.reducedBySweep(v) {
		blocks = "q.scoreBlocks"
	}
	return fmt.Sprintf(format, p.places[v].stat, p.places[v.Args[0]].id, blocks)
}
