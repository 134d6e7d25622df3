package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// TestTrials compares the MRR of settings with evaluations under them: of shapes for which α
// makes a difference, and of others.
func TestTrials(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	set := &queryset.Set{}
	rng := rand.New(rand.NewPCG(5, 6))
	for _, shape := range []string{"2p", "2nm", "2u"} {
		q, err := benchmark.Query(shape)
		require.NoError(t, err)
		g := queryset.NewGroup(shape, q, false)
		for range 6 {
			q := queryset.Case{Hard: []int32{rng.Int32N(1000), 1000 + rng.Int32N(1000)}}
			for _, p := range g.Template.Params {
				limit := m.NumEntities()
				if p.Kind == plan.RelationParam {
					limit = m.NumRelations()
				}
				q.Args = append(q.Args, rng.Int32N(int32(limit)))
			}
			g.Queries = append(g.Queries, q)
		}
		set.Groups = append(set.Groups, g)
	}
	own := m.Settings()
	messages, err := trials{m, set}.messages(t.Context(), []float64{3}, []float64{0, own.Lambda, 0.7}, Options{}.stage("settings"))
	require.NoError(t, err)
	mixtures, err := trials{m, set}.mixtures(t.Context(), []float64{0, 0.3, 1}, Options{}.stage("semantics"))
	require.NoError(t, err)
	// Two values of α and three of λ; four of g.
	if len(messages) != 6 || len(mixtures) != 4 || messages[0].settings != own || mixtures[0].settings.Degrees != own.Degrees.OrDefault() {
		t.Fatalf("tried %+v and %+v, the model has %+v", messages, mixtures, own)
	}
	for semantics, list := range map[model.Semantics][]trial{model.NSMP: messages, model.Mixed: mixtures} {
		for _, x := range list {
			o, err := eval.Run(t.Context(), set, eval.Config{
				Model: m, Engine: compiler.EngineInterpreted, Batch: 64, Filter: eval.Released, Semantics: semantics,
				Settings: x.settings,
			})
			require.NoError(t, err)
			want := 0.0
			for i, g := range o.Groups {
				for k, q := range g.Queries {
					mrr := eval.MRR(q.Ranks)
					if want += mrr / 18; math.Abs(x.mrr[i][k]-mrr) > 1e-3*mrr {
						t.Errorf("%s, %+v, %s query %d: MRR %v, want %v", semantics, x.settings, set.Groups[i].Name, k, x.mrr[i][k], mrr)
					}
				}
			}
			gain := eval.NewGain(x.mrr, list[0].mrr)
			if math.Abs(x.mean()-want) > 1e-3*want || math.Abs(gain.Mean-(x.mean()-list[0].mean())) > 1e-9 {
				t.Errorf("%s, %+v: MRR %v, gain %v, want %v", semantics, x.settings, x.mean(), gain.Mean, want)
			}
		}
	}
}

// TestBest checks that settings must be better by more than chance: a constant gain is, noise
// is not, nor is a single query.
func TestBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	own := trial{mrr: [][]float64{make([]float64, 50), make([]float64, 50), {0}}}
	for k := range 100 {
		own.mrr[k/50][k%50] = rng.Float64()
	}
	changed := func(by func() float64) trial {
		x := trial{mrr: [][]float64{nil, nil, {1}}}
		for shape := range 2 {
			for _, mrr := range own.mrr[shape] {
				x.mrr[shape] = append(x.mrr[shape], mrr+by())
			}
		}
		return x
	}
	list := []trial{own}
	for range 4 {
		list = append(list, changed(func() float64 { return 0.01 * rng.NormFloat64() }))
	}
	if got := best(list); got != &list[0] {
		t.Errorf("took noise for a gain: %+v", eval.NewGain(got.mrr, own.mrr))
	}
	list = append(list, changed(func() float64 { return 0.02 + 0.03*rng.NormFloat64() }), changed(func() float64 { return 0.02 + 0.001*rng.NormFloat64() }))
	if got := best(list); got != &list[len(list)-1] {
		t.Error("the best is not the one with the most certain gain")
	}
}
