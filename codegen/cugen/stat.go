package cugen

import "github.com/efoc/efoc/compiler/ir"

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
