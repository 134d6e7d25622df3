package cugen

import (
	"fmt"

	"github.com/efoc/efoc/compiler/ir"
)

// reduction is a number, or a pair, computed from a whole vector.
type reduction uint8

const (
	cutSum  reduction = iota // Σ of the entries that are ε at least
	sum                      // Σ
	top                      // the largest entry
	softmax                  // the largest entry, and Σ exp of the others relative to it
)

// reductions are what ops need of their operand.
var reductions = map[ir.Op]reduction{
	ir.Normalize: cutSum, ir.ScaleSum: sum, ir.ScaleMax: top, ir.Softmax: softmax,
}

// statTexts are what kernels do with reductions: a part is of some kind, starts with none, adds
// entries and is put into memory; all brings together what kernels put there. The operands of the
// formats are the number of the reduction, that of the value, and the blocks that put parts.
var statTexts = map[reduction]struct{ kind, none, add, put, all string }{
	cutSum: {
		"float", "part%[1]d = 0", "part%[1]d += cut(v%[2]d, q.input->epsilon)",
		"t.put_sum(%[1]d, part%[1]d)", "const float all%[1]d = t.sum_stat(%[1]d)",
	},
	sum: {
		"float", "part%[1]d = 0", "part%[1]d += v%[2]d",
		"t.put_sum(%[1]d, part%[1]d)", "const float all%[1]d = t.sum_stat(%[1]d)",
	},
	top: {
		"float", "part%[1]d = -INFINITE", "part%[1]d = fmaxf(part%[1]d, v%[2]d)",
		"t.put_top(%[1]d, part%[1]d)", "const float all%[1]d = fmaxf(t.top_stat(%[1]d), 0.f)",
	},
	softmax: {
		"float2", "part%[1]d = no_stat()", "part%[1]d = merge(part%[1]d, make_float2(v%[2]d, 1.f))",
		"t.put_stat(%[1]d, part%[1]d)", "const float2 all%[1]d = t.softmax_stat(%[1]d, %[3]s)",
	},
}

// text prints one of the statTexts.
func (s *stat) text(p *program, format string) string {
	blocks := "q.mapBlocks"
	if s.pass {
		blocks = "q.sweepBlocks"
	}
	return fmt.Sprintf(format, s.number, p.places[s.value].id, blocks)
}

// stat is a reduction of a value: made by the kernel of a time, read after it.
type stat struct {
	value  *ir.Value
	kind   reduction
	number int
	time   int
	pass   bool // made by the pass that scores the value
}

type statKey struct {
	value *ir.Value
	kind  reduction
}

// reduce returns a reduction of a vector, which the kernel that has the vector first makes.
func (l *lowering) reduce(v *ir.Value, kind reduction) *stat {
	if s, ok := l.stats[statKey{v, kind}]; ok {
		return s
	}
	time := l.entryTime(v)
	if scored(v) {
		l.use(v, time)
	}
	return l.addStat(&stat{value: v, kind: kind, time: time})
}

// addStat numbers a statistic of a vector.
func (l *lowering) addStat(s *stat) *stat {
	s.number = l.newStat()
	l.stats[statKey{s.value, s.kind}] = s
	l.statOrder = append(l.statOrder, s)
	return s
}

// newStat returns the next free number of a statistic.
func (l *lowering) newStat() int {
	l.numStats++
	return l.numStats - 1
}
