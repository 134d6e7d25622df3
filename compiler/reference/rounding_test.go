package reference_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// TestRunRounded checks, on every benchmark shape and for each semantics, that results without noise are
// bit-identical to those of Run, that noise changes the answer, and that it changes it little if the scores are
// small.
func TestRunRounded(t *testing.T) {
	m, err := plantest.NewModel(5, 30, 3, 6, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	nothing := func() float64 { return 0 }
	something := func() float64 { return 2*rng.Float64() - 1 }
	for _, s := range benchmark.Shapes {
		for _, semantics := range model.AllSemantics {
			q, err := benchmark.Query(s.Name)
			require.NoError(t, err)
			shape := stages.Analyze(q).Shape()
			c, err := stages.Compile(shape, stages.Options{Layers: 0, Semantics: semantics})
			require.NoError(t, err)
			var b scq.Bindings
			for i := range shape.Constants {
				b.Constants = append(b.Constants, graph.EntityID(7*i+3))
			}
			for i := range shape.Relations {
				b.Relations = append(b.Relations, graph.RelationID(i%m.NumRelations()))
			}
			answer := func(noise func() float64) []float32 {
				r, err := reference.RunRounded(context.Background(), c.Lowered, m.Bundle(), m.Settings(), b, noise)
				require.NoError(t, err)
				return r.Answer
			}
			want := lowered(t, c, m.Bundle(), b)
			if got := answer(nothing); !slices.Equal(got, want) {
				t.Errorf("%s by %s: results off by nothing give %v, want %v", s.Name, semantics, got, want)
			}
			moved := false
			for range 3 {
				for e, got := range answer(something) {
					moved = moved || got != want[e]
					if !(math.Abs(float64(got-want[e])) <= 1e-3*float64(want[e])+1e-6) {
						t.Errorf("%s by %s: rounding moves entity %d from %g to %g", s.Name, semantics, e, want[e], got)
					}
				}
			}
			if certain := slices.IndexFunc(want, func(p float32) bool { return p != 0 && p != 1 }) < 0; !moved && !certain {
				t.Errorf("%s by %s: rounding moves nothing", s.Name, semantics)
			}
		}
	}
}

// lowered returns the answer of the unoptimised plan.
func lowered(t *testing.T, c *stages.Compiled, m *model.Model, b scq.Bindings) []float32 {
	t.Helper()
	r, err := reference.Run(context.Background(), c.Lowered, m, m.Manifest.Settings, b)
	require.NoError(t, err)
	return r.Answer
}
