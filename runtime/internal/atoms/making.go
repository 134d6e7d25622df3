package atoms

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
)

// making is how a sweep made a row.
type making struct {
	*scored
	entities int
	tails    []int32   // observed, of the head
	below    fuzzy.Set // the degrees just below the threshold
}

// belowShare is how far the degrees that are kept reach below the threshold: a fifth tail of a head needs as much.
const belowShare = 1.25

// bytes returns the memory of a making.
func (m *making) bytes() int { return m.below.Bytes() + m.Bytes() }

// changed lists the entities whose exponentials differ under other weights, in a model of n entities.
func (m *making) changed(w *weights, n int) (list []int32) {
	if m.tailFactors != w.tailFactors {
		list = m.differ(w.tailFactors)
	}
	if m.loop != w.loop && !slices.Contains(list, m.head) {
		list = append(list, m.head)
	}
	for e := m.entities; e < n; e++ {
		if !slices.Contains(list, int32(e)) {
			list = append(list, int32(e))
		}
	}
	return list
}

// differ lists the entities whose factors differ.
func (x *tailFactors) differ(y *tailFactors) (list []int32) {
	j := 0
	for i, t := range x.tails {
		for ; j < len(y.tails) && y.tails[j] < t; j++ {
			list = append(list, y.tails[j])
		}
		both := j < len(y.tails) && y.tails[j] == t
		if !both || x.factors[i] != y.factors[j] {
			list = append(list, t)
		}
		if both {
			j++
		}
	}
	return append(list, y.tails[j:]...)
}
