package shapes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// TestInterpreted checks that on small tables generated code and the interpreter, which run one plan, agree in every bit
// of the answers and fuzzy sets.
func TestInterpreted(t *testing.T) {
	m, err := plantest.NewModel(4, 300, 5, 8, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	if m.Access() != plan.Exact {
		t.Fatalf("the table is read by %v", m.Access())
	}
	rng := rand.New(rand.NewPCG(6, 7))
	for _, p := range Plans() {
		c, err := stages.Compile(lower.Unnamed(p.Disjuncts), stages.Options{Layers: p.Layers, Semantics: p.Semantics})
		require.NoError(t, err)
		interpreted, err := c.Interpreted()
		require.NoError(t, err)
		for range 5 {
			q, args := bindShape(t, rng, m, p)
			other, _ := bindShape(t, rng, m, interpreted)
			for i, want := range vectors(t, q, args) {
				if got := vectors(t, other, args)[i]; !slices.Equal(got, want) {
					t.Errorf("%s by %s: vector %d is %v interpreted, %v by generated code", p.Shape, p.Semantics, i, got, want)
				}
			}
			want, err := q.Best(t.Context(), args, 10, nil)
			require.NoError(t, err)
			got, err := other.Best(t.Context(), args, 10, nil)
			require.NoError(t, err)
			if !slices.Equal(got, want) {
				t.Errorf("%s by %s: the best answers are %v interpreted, %v by generated code", p.Shape, p.Semantics, got, want)
			}
		}
	}
}

// vectors returns the answer and the fuzzy sets of a question.
func vectors(t *testing.T, q *runtime.Question, args runtime.Args) (list []plan.Vector) {
	t.Helper()
	require.NoError(t, q.Each(t.Context(), []runtime.Args{args}, nil, func(_ int, r *runtime.Run) error {
		for _, x := range append([]plan.Vector{r.Scores()}, r.Sets()...) {
			list = append(list, slices.Clone(x))
		}
		return nil
	}))
	return list
}
