package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/world"
)

// random returns random queries of shapes on a model, with random answers.
func random(t *testing.T, m *query.Model, shapes []string, each int) *queryset.Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	set := &queryset.Set{}
	for _, shape := range shapes {
		g, err := queryset.ShapeGroup(shape, false)
		require.NoError(t, err)
		for range each {
			q := queryset.Query{Hard: []int32{rng.Int32N(1000), 1000 + rng.Int32N(1000)}}
			for _, p := range g.Template.Params {
				limit := m.NumEntities()
				if p.Kind == lang.RelationKind {
					limit = m.NumRelations()
				}
				q.Args = append(q.Args, rng.Int32N(int32(limit)))
			}
			g.Queries = append(g.Queries, q)
		}
		set.Groups = append(set.Groups, g)
	}
	return set
}

// TestDegrees compares the MRR of every point of the grid, under every g, with that of
// an evaluation with these settings.
func TestDegrees(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	set := random(t, m, []string{"2p", "2in", "2u", "2il"}, 4)
	m.Manifest.Tuned = map[string][]model.Settings{}
	grid := Grid{Values: map[string][]float64{"mixture": {0, 0.3, 1}, "candidates": {3}, "negation": {2}, "threshold": {0.01}, "temperature": {0.7}, "leaf": {0.2}}}
	for _, semantics := range []model.Semantics{model.FIT, model.Mixed} {
		c := Config{Model: m, Semantics: semantics, Grid: grid}
		list, err := subjects(set, c)
		require.NoError(t, err)
		if semantics == model.FIT {
			// In the mixture 2p has its own messages.
			tuned := m.Manifest.Settings
			tuned.Weight, tuned.Lambda = 0.8, 0.9
			m.Manifest.Tuned[list[0].key] = []model.Settings{tuned}
		} else if list[0].base.Weight != 0.8 || list[0].base.Degrees != model.DefaultDegrees() {
			t.Errorf("2p is mixed with %+v", list[0].base)
		}
		r := &run{Config: c}
		for _, s := range list {
			require.NoError(t, r.subject(context.Background(), s))
			// Two of τ and of θ always, of ν with a negated atom, of φ with a leaf, of K
			// with a link between variables.
			if want := map[string]int{"2p": 8, "2in": 8, "2u": 4, "2il": 16}[s.name]; len(s.points) != want {
				t.Errorf("%s: %d points, want %d", s.name, len(s.points), want)
			}
			for row := range s.mrr {
				o, err := eval.Run(context.Background(), &queryset.Set{Groups: s.groups}, eval.Config{
					Model: m, Semantics: semantics, Batch: batch, Filter: eval.Released, Variants: []eval.Variant{{Settings: s.settings(row)}},
				})
				require.NoError(t, err)
				for q, x := range o.Groups[0][0].Queries {
					if want := eval.MRR(x.Ranks); math.Abs(float64(s.mrr[row][q])-want) > 1e-3*want {
						t.Errorf("%s of %s, %+v, query %d: MRR %v, want %v", semantics, s.name, s.settings(row), q, s.mrr[row][q], want)
					}
				}
			}
		}
	}
}

// TestTraits checks which settings make a difference to a shape.
func TestTraits(t *testing.T) {
	m := blankModel(t, 0)
	for shape, want := range map[string]traits{
		"1p":  {variables: 1},
		"2in": {variables: 1, negated: true},
		"2p":  {variables: 2, links: true},
		"pni": {variables: 2, links: true, negated: true, alpha: true},
		"2il": {variables: 2, links: true, leaf: true},
		"up":  {variables: 2, links: true},
	} {
		g, err := queryset.ShapeGroup(shape, false)
		require.NoError(t, err)
		p, err := prepare(g, m, m.Manifest.Settings, model.FIT)
		require.NoError(t, err)
		if got := traitsOf(p.Query.Plan()); got != want {
			t.Errorf("%s has %+v, want %+v", shape, got, want)
		}
	}
}

// TestCheaper checks that a larger K is chosen only where it is certainly better than
// a smaller one with the same other settings.
func TestCheaper(t *testing.T) {
	base := model.DefaultSettings()
	base.Degrees = model.DefaultDegrees()
	grid := Grid{Values: map[string][]float64{"candidates": {2, 8, 32}, "threshold": {base.Degrees.Threshold}, "temperature": {3}}}
	for _, c := range []struct {
		mrr map[int]float32 // by K, at τ = 3
		// noise is added to a query and taken from the next; the other way round of the
		// largest K.
		noise float32
		want  int
	}{
		{map[int]float32{2: 0.5, 8: 0.5, 32: 0.5}, 0, 2},
		{map[int]float32{2: 0.4, 8: 0.5, 32: 0.5}, 0, 8},
		{map[int]float32{2: 0.4, 8: 0.5, 32: 0.6}, 0, 32},
		{map[int]float32{2: 0.5, 8: 0.4, 32: 0.3}, 0, 2},
		{map[int]float32{2: 0.5, 8: 0.5, 32: 0.52}, 0.01, 32},
		{map[int]float32{2: 0.5, 8: 0.5, 32: 0.52}, 0.1, 2}, // not better by more than chance
	} {
		q, err := queryset.ShapeGroup("2p", false)
		require.NoError(t, err)
		q.Queries = make([]queryset.Query, 10)
		s := &subject{
			name: "2p", semantics: model.Mixed, base: base, free: []float64{base.Degrees.Mixture},
			points: grid.points(model.Mixed, base, traits{links: true}), groups: []*queryset.Group{q},
		}
		for _, p := range s.points {
			mrr, noise := float32(0.1), float32(0)
			if p.Degrees.Temperature == 3 {
				mrr, noise = c.mrr[p.Degrees.Candidates], c.noise
			}
			row := slices.Repeat([]float32{mrr}, 10)
			for q := range row {
				turn := noise * float32(1-2*(q%2))
				if p.Degrees.Candidates == 32 {
					turn = -turn
				}
				row[q] += turn
			}
			s.mrr = append(s.mrr, row)
		}
		if x := s.choose(5); len(s.points) != 6 || len(x.Tuned) != 1 || x.Tuned[0].Degrees.Candidates != c.want || x.Tuned[0].Degrees.Temperature != 3 {
			t.Errorf("of %v chose %+v, want K = %d", c.mrr, x.Tuned, c.want)
		}
	}
}

// TestTunedParts checks that what is tuned replaces its own part of the settings
// alone.
func TestTunedParts(t *testing.T) {
	own := model.DefaultSettings()
	messages, degrees := own, model.DefaultDegrees()
	messages.Weight, degrees.Mixture = 0.9, 0.7
	both := messages
	both.Degrees = degrees
	other, mixed := own, own
	other.Lambda, mixed.Degrees = 0.8, degrees
	otherBoth := other
	otherBoth.Degrees = degrees
	for _, c := range []struct {
		semantics             model.Semantics
		before, chosen, after []model.Settings
	}{
		{model.Mixed, nil, []model.Settings{mixed}, []model.Settings{mixed}},
		{model.Mixed, []model.Settings{messages, other}, []model.Settings{both}, []model.Settings{both, otherBoth}},
		{model.Mixed, []model.Settings{both}, nil, []model.Settings{messages}},
		{model.Mixed, []model.Settings{mixed}, nil, nil},
		{model.NSMP, []model.Settings{mixed}, []model.Settings{messages, other}, []model.Settings{both, otherBoth}},
		{model.NSMP, []model.Settings{both}, nil, []model.Settings{mixed}},
		{model.NSMP, []model.Settings{messages}, nil, nil},
	} {
		r := &Report{Semantics: c.semantics, Settings: own, Shapes: []Shape{{Key: "x", Tuned: c.chosen}}}
		if got := r.Tuned(map[string][]model.Settings{"x": c.before})["x"]; !slices.Equal(got, c.after) {
			t.Errorf("%s: of %+v and %+v came %+v, want %+v", c.semantics, c.before, c.chosen, got, c.after)
		}
	}
}
