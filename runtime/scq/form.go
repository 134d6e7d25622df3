package scq

import "slices"

// Form classifies questions by how well their answers are predicted, see model.Claims: 0 for a single atom, 1 for several
// atoms on the free variable alone, 2 for existential variables, 3 for several atoms on the free variable alone of which
// some are negated. A disjunction has the form of its disjuncts.
func Form(disjuncts []Disjunct) int {
	form := 0
	for i := range disjuncts {
		d := &disjuncts[i]
		if len(d.Variables) > 1 {
			return 2
		}
		if len(d.Atoms) > 1 {
			form = max(form, 1)
		}
		if slices.ContainsFunc(d.Atoms, func(a Atom) bool { return a.Negated && !a.Unequal() }) {
			form = 3
		}
	}
	return form
}
