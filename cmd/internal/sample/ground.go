package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/runtime/model/exact"
)

// ground fills the parameters of a template by its protocol. It returns nil if the attempt fails; the error comes
// from the solver.
func (s *Sampler) ground(t *Template, solver *exact.Solver, rng *rand.Rand, attempt int) ([]int32, error) {
	w := &walk{Template: t, index: s.index, rng: rng, args: slices.Repeat([]int32{unset}, len(t.Query.Params))}
	ok := false
	err := error(nil)
	switch p := s.protocol(t); {
	case p == BetaE && t.Name == "1p":
		if attempt >= len(s.facts) {
			return nil, nil
		}
		return s.facts[attempt], nil
	case p == BetaE:
		ok = w.betae()
	case p == FIT:
		ok, err = s.fit(w, solver)
	default:
		ok, err = w.own(solver)
	}
	if !ok || err != nil || slices.Contains(w.args, unset) {
		return nil, err
	}
	return w.args, nil
}
