package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
)

// complete evaluates the deferred steps again, with the rows of candidates that are not outdone.
func (m *Machine) complete(c contest) {
	before := m.phase
	m.phase = completing
	for _, x := range m.steps {
		if x.rows != nil {
			c.drop(x.rows)
		}
		m.do(x)
	}
	m.phase = before
	m.clear()
}

// Finish evaluates the deferred steps. If k is not 0 and the answer is deferred, only its k best entities get exact
// degrees; the others get lower bounds.
func (m *Machine) Finish(k int) {
	if k > 0 && m.leaves() {
		m.doAll(observing)
		best := m.bestExactly(nil, m.answer.single(), k, k, m.answer)
		if len(best) == k {
			m.complete(m.contestOf(nil, best[k-1].Score*(1-1e-6)))
			return
		}
	}
	m.now()
}

// leaves reports whether only the answer is wanted and it is deferred, so that only the best need be exact.
func (m *Machine) leaves() bool {
	return m.answer != nil && m.answer.state == waits &&
		!(m.want.Sets && slices.ContainsFunc(m.steps, func(x step) bool { return x.dst != nil && x.set != m.answer }))
}

// Least evaluates the degrees of the pending mixture by observed links alone, without deferred rows of candidates.
func (m *Machine) Least() {
	if m.leaves() {
		m.doAll(observing)
	} else {
		m.now()
	}
}

// Waits reports whether Least has omitted rows.
func (m *Machine) Waits() bool { return len(m.steps) > 0 }

// Complete makes the rows that Least omitted, except those that give no entity the degree it needs for the given
// score; most bounds the probabilities from above. Degrees of entities that reach the score are then exact, the
// others lower bounds.
func (m *Machine) Complete(most []float32, score float32) {
	if len(m.steps) > 0 {
		m.complete(m.contestOf(most, score))
	}
}

// SharpenAnswer is Sharpen for the answer.
func (m *Machine) SharpenAnswer(degrees []float32, k int) { m.Sharpen(degrees, m.answer, k) }

// Sharpen makes the k best of degrees exact, which Dense has written from a set.
func (m *Machine) Sharpen(degrees []float32, s *Set, k int) {
	if m.off == 0 || s == nil {
		return
	}
	m.bestExactly(degrees, &fuzzy.Set{Full: degrees}, k, k, s)
}

// contestOf returns the contest of the deferred steps for a score of at least tau.
func (m *Machine) contestOf(most []float32, tau float32) contest {
	return newContest(&m.sharpener, &m.deferral, m.answer, most, tau)
}
