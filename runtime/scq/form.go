package scq

import "slices"

// Form classifies questions by how well their answers are predicted, see model.Claims: 0 for a single atom, 1 for several
// atoms on the free variable alone, 2 for questions with existential variables, 3 for those of form 1 with a negated atom.
func Form(disjuncts []Disjunct) int {
	form := 0
	for i := range disjuncts {
		d := &disjuncts[i]
		if len(d.Variables) > 1 {
			return 2
		}
		if len(disjuncts) > 1 || len(d.Atoms) > 1 {
			form = max(form, 1)
		}
		if slices.ContainsFunc(d.Atoms, func(a Atom) bool { return a.Negated && !a.Unequal() }) {
			form = 3
		}
	}
	return form
}
