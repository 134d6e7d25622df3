package fit

// Mixture stands for the scores of the mixture of probabilities x and degrees y in dst, which must be the answer and
// may be x or y. They are computed once the caller says how many it needs: until then x and y must not change.
func (m *Machine) Mixture(dst, x, y []float32) []float32 {
	m.pending = mixture{dst, x, y}
	return dst
}

// Pending returns the operands of the pending mixture, nil if there is none.
func (m *Machine) Pending() (probabilities, degrees []float32) {
	return m.pending.probabilities, m.pending.degrees
}

// Mix computes the pending mixture of all entities.
func (m *Machine) Mix() {
	m.now()
	x := m.pending
	m.pending = mixture{}
	if m.off > 0 { // fewer are mixed than requested
		for e := range x.degrees {
			if m.run.Err() != nil {
				return
			}
			x.degrees[e] = m.Exactly(int32(e))
		}
	}
	if !m.want.Best {
		m.probabilities = append(m.probabilities[:0], x.probabilities...)
	}
	m.mixer.mix(x.dst, x.probabilities, x.degrees, m.settings.Mixture, m.run.Workers)
}

// Scorer returns the scorer of the pending mixture.
func (m *Machine) Scorer() Scorer { return NewScorer(m.settings.Mixture) }

// Probabilities returns the probabilities of the last mixture of a run that computes all degrees.
func (m *Machine) Probabilities() []float32 { return m.probabilities }
