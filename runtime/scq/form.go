package scq

// Form classifies questions by how well their answers are predicted, see model.Coverage: 0 for a single atom, 1 for
// several atoms on the free variable alone, 2 for questions with existential variables.
func Form(disjuncts []Disjunct) int {
	form := 0
	for i := range disjuncts {
		if len(disjuncts[i].Variables) > 1 {
			return 2
		}
		if len(disjuncts) > 1 || len(disjuncts[i].Atoms) > 1 {
			form = 1
		}
	}
	return form
}
