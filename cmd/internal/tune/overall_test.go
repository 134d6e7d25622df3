package tune

import (
	"math"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/world"
)

// TestRunOverall compares how settings do that all shapes share with evaluations under
// them: of shapes for which α makes a difference, and of others.
func TestRunOverall(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	set := random(t, m, []string{"2p", "2nm", "2u"}, 6)
	grid := Grid{Values: map[string][]float64{"lambda": {0, 0.7}, "alpha": {3}, "mixture": {0, 0.3, 1}}}
	for _, semantics := range []model.Semantics{model.NSMP, model.Mixed} {
		list, err := RunOverall(t.Context(), set, Config{Model: m, Semantics: semantics, Grid: grid})
		require.NoError(t, err)
		own := list[0]
		if want := m.Manifest.Settings; own.Gain != 0 || own.GainError != 0 || own.Settings.Lambda != want.Lambda || own.Settings.Alpha != want.Alpha {
			t.Errorf("%s: the model's own are %+v", semantics, own)
		}
		// Three values of λ and two of α, or four of g.
		if want := map[model.Semantics]int{model.NSMP: 6, model.Mixed: 4}[semantics]; len(list) != want {
			t.Errorf("%s: %d settings, want %d", semantics, len(list), want)
		}
		for _, x := range list {
			want := 0.0
			for _, g := range set.Groups {
				o, err := eval.Run(t.Context(), &queryset.Set{Groups: []*queryset.Group{g}}, eval.Config{
					Model: m, Engine: compiler.EngineInterpreted, Batch: batch, Filter: eval.Released, Semantics: semantics,
					Variants: []eval.Variant{{Settings: x.Settings}},
				})
				require.NoError(t, err)
				for _, q := range o.Groups[0][0].Queries {
					want += eval.MRR(q.Ranks) / float64(len(g.Queries)*len(set.Groups))
				}
			}
			if math.Abs(x.MRR-want) > 1e-3*want || math.Abs(x.Gain-(x.MRR-own.MRR)) > 1e-9 {
				t.Errorf("%s, %+v: MRR %v, gain %v, want %v", semantics, x.Settings, x.MRR, x.Gain, want)
			}
		}
	}
}

// TestBest checks that settings must be better by more than chance.
func TestBest(t *testing.T) {
	s := func(lambda float64) model.Settings { return model.Settings{Lambda: lambda} }
	list := []Overall{{Settings: s(0)}, {s(1), 0.3, 0.02, 0.011}, {s(2), 0.2, 0.01, 0.002}, {s(3), 0.2, 0.01, 0.001}}
	if got := Best(list).Settings.Lambda; got != 3 {
		t.Errorf("λ = %v is best, want 3", got)
	}
	if got := Best(slices.Delete(list, 2, 4)).Settings.Lambda; got != 0 {
		t.Errorf("λ = %v is best, want 0", got)
	}
}
