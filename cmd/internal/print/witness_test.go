package print

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// TestAtoms prints a witness with a fact that someone added, a fact of the bundle, and links that are predicted.
func TestAtoms(t *testing.T) {
	france := runtime.Value{Name: "France", Label: "France"}
	peru := runtime.Value{Name: "Q419", Label: "Peru"}
	added := &model.Origin{Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), By: "ann"}
	w := &runtime.Witness{Atoms: []runtime.WitnessAtom{
		{Relation: "borders", Head: france, Tail: peru, Observed: true, Degree: 1, Added: added},
		{Relation: "capital^-1", Head: peru, Tail: france, Observed: true, Degree: 1},
		{Relation: "borders", Head: peru, Tail: france, Degree: 0.25, Confidence: 0.256},
		{Relation: "borders", Head: peru, Tail: peru, Negated: true, Degree: 0.5, Confidence: 0.001},
		{Relation: "borders", Head: peru, Tail: peru, Degree: 0.5},
	}}
	for name, c := range map[string]struct {
		got  []string
		want []string
	}{
		"people": {said(w), []string{
			`  observed  1.0000  borders("France", "Peru"), added 2026-03-01 by ann`,
			`  observed  1.0000  capital^-1("Peru", "France")`,
			`  predicted 0.2500  borders("Peru", "France"), confidence 26%`,
			`  absent    0.5000  !borders("Peru", "Peru"), confidence < 1%`,
			`  predicted 0.5000  borders("Peru", "Peru")`,
		}},
		"assistants": {briefAtoms(w), []string{
			"\t" + `borders("France", "Q419")` + "\tstored fact, degree 1, added 2026-03-01 by ann",
			"\t" + `capital^-1("Q419", "France")` + "\tstored fact, degree 1",
			"\t" + `borders("Q419", "France")` + "\tpredicted, degree 0.25, confidence 0.26",
			"\t" + `!borders("Q419", "Q419")` + "\tpredicted, degree 0.5, confidence 0.00",
			"\t" + `borders("Q419", "Q419")` + "\tpredicted, degree 0.5",
		}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("for %s:\n%s\nwant\n%s", name, strings.Join(c.got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// said returns the lines that people read about the atoms of a witness.
func said(w *runtime.Witness) []string {
	var text strings.Builder
	p := &Printer{W: &text}
	p.atoms(w)
	return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}
