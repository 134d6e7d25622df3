package tune

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/world"
)

// blankModel is a model of five entities and a relation that has learnt nothing: all
// its embeddings are 0, so with λ = 0 all entities are level. 0 leads to 1, 1 to 2
// and so on.
func blankModel(t testing.TB, lambda float64) *query.Model {
	t.Helper()
	var triples []model.Triple
	for e := range model.EntityID(5) {
		triples = append(triples, model.Triple{Head: e, Relation: 0, Tail: (e + 1) % 5})
	}
	s := model.DefaultSettings()
	s.Lambda = lambda
	return query.NewModel(modeltest.New(t, modeltest.Spec{Manifest: model.Manifest{Settings: s}, Entities: 5, Relations: 1, Facts: triples, Rank: 2}))
}

// steps are 1p queries for the next entity, and 2p queries for that after next.
func steps(t testing.TB) *queryset.Set {
	t.Helper()
	set := &queryset.Set{}
	for i, shape := range []string{"1p", "2p"} {
		g, err := queryset.ShapeGroup(shape, false)
		require.NoError(t, err)
		for e := range int32(5) {
			q := queryset.Query{Args: append([]int32{e}, make([]int32, i+1)...), Hard: []int32{(e + 1 + int32(i)) % 5}}
			g.Queries = append(g.Queries, q)
		}
		g.Queries = append(g.Queries, queryset.Query{Args: make([]int32, i+2), Easy: []int32{1}}) // says nothing
		set.Groups = append(set.Groups, g)
	}
	return set
}

func smallGrid() Grid {
	return Grid{Values: map[string][]float64{"lambda": {0.5, 0, 1}, "alpha": {10}, "weight": {0.5}}, Over: []int{1, 2}}
}

// TestRun plants an optimum: with the model's λ = 0 every answer is level with the
// four others, at rank 3, and with any other λ it is the first.
func TestRun(t *testing.T) {
	set := steps(t)
	var last, total int
	c := Config{Model: blankModel(t, 0), Semantics: model.NSMP, Grid: smallGrid(), Folds: 5, Progress: func(d, n int) { last, total = d, n }}
	r, err := Run(context.Background(), set, c)
	require.NoError(t, err)
	want := c.Model.Manifest.Settings
	want.Lambda = 0.5
	for _, s := range r.Shapes {
		near := func(x, y float64) bool { return math.Abs(x-y) < 1e-6 }
		if s.Queries != 5 || s.Tried != 6 || !near(s.Before, 1.0/3) || !near(s.Fitted, 1) || !near(s.Gain, 2.0/3) || !near(s.GainError, 0) {
			t.Errorf("%+v, want an MRR of 1/3 before and of 1 after", s)
		}
		if len(s.Tuned) != 1 || s.Tuned[0] != want {
			t.Errorf("%s has settings %+v, want %+v", s.Name, s.Tuned, want)
		}
	}
	if len(r.Shapes) != 2 || len(r.After) != 1 || math.Abs(r.After[0].MRR-1) > 1e-6 || last != total || total != 2*2*5 {
		t.Errorf("%d shapes, averages %+v, %d of %d", len(r.Shapes), r.After, last, total)
	}
	// What was tuned before is replaced for these shapes alone, also by nothing.
	old := []model.Settings{model.DefaultSettings()}
	tuned := r.Tuned(map[string][]model.Settings{r.Shapes[0].Key: old, "other": old})
	if len(tuned) != 3 || tuned[r.Shapes[0].Key][0] != want || tuned["other"][0] != old[0] {
		t.Errorf("tuned settings are %+v", tuned)
	}
	c.Model = blankModel(t, 0.5)
	if r, err = Run(context.Background(), set, c); err != nil || len(r.Shapes[0].Tuned) > 0 {
		t.Errorf("settings that cannot be bettered were: %v, %+v", err, r.Shapes[0])
	}
	if tuned := r.Tuned(map[string][]model.Settings{r.Shapes[0].Key: old}); tuned != nil {
		t.Errorf("tuned settings are %+v, want none", tuned)
	}
}

// TestLayers checks that the best settings with D+1 layers follow those with others.
func TestLayers(t *testing.T) {
	base := model.DefaultSettings()
	s := &subject{
		name: "1p", semantics: model.NSMP, base: base, free: []float64{base.Lambda},
		points: Grid{Values: map[string][]float64{"alpha": {1}, "weight": {0.5, 0.7}}, Over: []int{1, 2}}.points(model.NSMP, base, traits{variables: 1}),
	}
	for range s.points {
		s.mrr = append(s.mrr, slices.Repeat([]float32{0.1}, 10))
	}
	q, err := queryset.ShapeGroup("1p", false)
	require.NoError(t, err)
	q.Queries = make([]queryset.Query, 10)
	s.groups = []*queryset.Group{q}
	for i, p := range s.points {
		if p.Weight == 0.7 {
			s.mrr[i] = slices.Repeat([]float32{0.2 + 0.1*float32(p.Layers)}, 10)
		}
	}
	x := s.choose(5)
	if len(s.points) != 4 || len(x.Tuned) != 2 || x.Tuned[0].Layers != 3 || x.Tuned[1].Layers != 0 || x.Tuned[1].Weight != 0.7 {
		t.Errorf("of %+v chose %+v", s.points, x.Tuned)
	}
}

// TestReadout compares the MRR under each λ with that of an evaluation with this λ,
// of conjunctions and unions on the world.
func TestReadout(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	set := random(t, m, []string{"2p", "2in", "2u", "up", "pni"}, 6)
	grid := Grid{Values: map[string][]float64{"lambda": {0, 0.3, 0.7, 1}, "alpha": {3}, "weight": {0.8}}, Over: []int{2}}
	list, err := subjects(set, Config{Model: m, Semantics: model.NSMP, Grid: grid})
	require.NoError(t, err)
	r := &run{Config: Config{Model: m, Semantics: model.NSMP, Grid: grid}}
	for _, s := range list {
		require.NoError(t, r.subject(context.Background(), s))
		if want := map[bool]int{false: 4, true: 8}[s.name == "pni"]; len(s.points) != want {
			t.Errorf("%s: %d points, want %d: two of w, two of L, and of α where it matters", s.name, len(s.points), want)
		}
		for row := range s.mrr {
			o, err := eval.Run(context.Background(), &queryset.Set{Groups: s.groups}, eval.Config{
				Model: m, Engine: compiler.EngineInterpreted, Semantics: model.NSMP, Batch: batch, Filter: eval.Released, Variants: []eval.Variant{{Settings: s.settings(row)}},
			})
			require.NoError(t, err)
			for q, x := range o.Groups[0][0].Queries {
				if want := eval.MRR(x.Ranks); math.Abs(float64(s.mrr[row][q])-want) > 1e-3*want {
					t.Errorf("%s, %+v, query %d: MRR %v, want %v", s.name, s.settings(row), q, s.mrr[row][q], want)
				}
			}
		}
	}
}

func TestRunErrors(t *testing.T) {
	c := Config{Model: blankModel(t, 0), Semantics: model.NSMP, Grid: smallGrid(), Folds: 2}
	set := steps(t)
	set.Groups[0].Queries = set.Groups[0].Queries[5:]
	set.Groups = set.Groups[:1]
	if _, err := Run(context.Background(), set, c); err == nil || !strings.Contains(err.Error(), "no query has a hard answer") {
		t.Errorf("got %v", err)
	}
	set = steps(t)
	set.Groups[1].Queries[2].Hard = []int32{7}
	if _, err := Run(context.Background(), set, c); err == nil || !strings.Contains(err.Error(), "query 2 of 2p: answers from 7 to 7") {
		t.Errorf("got %v", err)
	}
	c.Grid.Over = []int{model.MaxLayers}
	var formula *eval.PrepareError
	if _, err := Run(context.Background(), steps(t), c); !errors.As(err, &formula) || !strings.Contains(err.Error(), "layers is 65") {
		t.Errorf("got %v", err)
	}
	for _, change := range []func(g *Grid){
		func(g *Grid) { g.Values["lambda"] = nil },
		func(g *Grid) { g.Values["lambda"] = []float64{0, 2} },
		func(g *Grid) { g.Values["alpha"] = []float64{0} },
		func(g *Grid) { g.Values["weight"] = []float64{-1} },
		func(g *Grid) { g.Over = []int{-1} },
	} {
		g := smallGrid()
		if change(&g); g.Validate(model.NSMP) == nil {
			t.Errorf("grid %+v is valid", g)
		}
	}
	for _, s := range model.AllSemantics {
		if err := DefaultGrid(s).Validate(s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
}
