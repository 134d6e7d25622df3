package calibrate

import (
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestUntrue marks facts as not true: they count as false answers, by themselves, to the questions from either end.
func TestUntrue(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	shape, err := sample.NewShape("1p")
	require.NoError(t, err)
	p, err := compiler.Prepare(m, shape.Query, compiler.Options{Semantics: new(model.Mixed)})
	require.NoError(t, err)
	untrue := []graph.Triple{{Head: 3, Relation: 1, Tail: 4}, {Head: 3, Relation: 1, Tail: 9}, {Head: 7, Relation: 2, Tail: 4}}
	marked, done, err := m.Bundle().With(model.Change{Untrue: untrue})
	require.NoError(t, err)
	o := &observer{model: runtime.NewModel(marked), full: marked.Graph}
	asked := o.untrue(p)
	questions, err := o.questions(t.Context(), p, asked)
	require.NoError(t, err)
	if done.Marked != 3 || len(asked) != 5 || len(questions) != 5 {
		t.Fatalf("%d facts are marked, and %d questions asked of %d", done.Marked, len(questions), len(asked))
	}
	var list []runtime.Observed
	for e := range graph.EntityID(10) {
		list = append(list, runtime.Observed{Entity: e, Head: -1, Tail: -1})
	}
	seen := &observed{}
	for i := range questions {
		seen.add(&questions[i], i, found{list: list}, o.ends)
	}
	var at []int
	for _, a := range seen.answers {
		if a.isTrue || a.kind != extra {
			t.Errorf("an answer that is not true counts as %+v", a)
		}
		at = append(at, a.question)
	}
	if want := []int{0, 0, 1, 2, 3, 4}; !slices.Equal(at, want) {
		t.Errorf("answers to questions %v count, want %v", at, want)
	}
}
