package truth

import (
	"context"
	"errors"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestMixed checks that generated code answers by what it was generated for: with g =
// 0 as message passing does, and otherwise in another way, one by one as in a batch.
func TestMixed(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	q, err := BindNewLanguages(m)
	require.NoError(t, err)
	var batch []NewLanguagesParams
	for _, name := range []string{"France", "Japan", "Kenya"} {
		e, err := m.Entity(name)
		require.NoError(t, err)
		batch = append(batch, NewLanguagesParams{Country: e})
	}
	ctx := context.Background()
	results, err := q.AnswerBatch(ctx, batch, runtime.Options{})
	require.NoError(t, err)
	for i, p := range batch {
		single, err := q.Answer(ctx, p, runtime.Options{})
		require.NoError(t, err)
		for j, a := range single.Rows {
			if got := results[i].Rows[j]; got.Y.Name != a.Y.Name || got.Status != a.Status {
				t.Errorf("query %d, answer %d: %+v in a batch, %+v alone", i, j, got, a)
			}
		}
	}
	// The model, which has no other choice, takes the mixture too.
	if own := m.Bundle().Manifest.Semantics; results[0].Semantics != model.Mixed || own != model.Mixed || q.Warning() != "" {
		t.Errorf("answers by %s on a model of %s, warning %q", results[0].Semantics, own, q.Warning())
	}
	alone := m.Settings()
	alone.Degrees = model.DefaultDegrees()
	alone.Degrees.Mixture = 0
	messages, err := q.Answer(ctx, batch[0], runtime.Options{Settings: &alone})
	require.NoError(t, err)
	if mixed := results[0].Rows; messages.Rows[0].Y.Name != "German" || messages.Rows[0].Score == mixed[0].Score {
		t.Errorf("message passing answers %+v, the mixture %+v", messages.Rows[0], mixed[0])
	}
	if s, err := BindSpanishNeighbours(m); err != nil {
		t.Error(err)
	} else if r, err := s.Answer(ctx, SpanishNeighboursParams{}, runtime.Options{K: 1}); err != nil || len(r.Rows) != 1 || r.Rows[0].Status != runtime.Known {
		t.Errorf("answers %+v, %v", r, err)
	}
}

// TestInequality checks generated code for two variables that differ: the country beside
// each answer is another one, for all entities in turn.
func TestInequality(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	q, err := BindLanguageFellows(m)
	require.NoError(t, err)
	why, err := q.Why(context.Background(), LanguageFellowsParams{}, runtime.Options{K: 100})
	if err != nil || len(why) != 100 {
		t.Fatalf("%d witnesses, %v", len(why), err)
	}
	for _, w := range why {
		for _, v := range w.Values {
			if v.Variable == "x" && v.ID == w.Answer.ID {
				t.Errorf("%s is its own fellow: %+v", w.Answer.Name, w)
			}
		}
	}
	if why[0].Degree != 1 || len(why[0].Values) != 2 {
		t.Errorf("the best witness is %+v, want one of facts", why[0])
	}
}

// TestTypeAndColumns checks the type and the column of a template: every answer lies in
// Europe by a fact, and the first ones border the country in the column beside them, which
// borders Turkey.
func TestTypeAndColumns(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	q, err := BindEuropeTwoBordersAway(m)
	require.NoError(t, err)
	turkey, err := m.Entity("Turkey")
	require.NoError(t, err)
	europe, err := m.ParseType("in_continent=Europe")
	require.NoError(t, err)
	borders, err := m.Relation("borders")
	require.NoError(t, err)
	r, err := q.Answer(context.Background(), EuropeTwoBordersAwayParams{Country: turkey}, runtime.Options{K: 20})
	if err != nil || len(r.Rows) != 20 {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, a := range r.Rows {
		if !m.Bundle().Graph.Has(a.Y.ID, europe.Relation.ID(), europe.Entity.ID()) || a.Y.ID == turkey.ID() {
			t.Errorf("%s is no answer", a.Y.Name)
		}
		if i < 3 && !(a.X.Name != "" && a.Status == runtime.Known && m.Bundle().Graph.Has(turkey.ID(), borders.ID(), a.X.ID) && m.Bundle().Graph.Has(a.X.ID, borders.ID(), a.Y.ID)) {
			t.Errorf("%s is beside %+v", a.Y.Name, a.X)
		}
	}
	plain, err := q.Answer(context.Background(), EuropeTwoBordersAwayParams{Country: turkey}, runtime.Options{K: 1, Show: []string{}})
	if err != nil || plain.Rows[0].Shown != nil || plain.Rows[0].X.Name != "" {
		t.Errorf("values that nobody wants: %+v, %v", plain, err)
	}
	batch, err := q.AnswerBatch(context.Background(), []EuropeTwoBordersAwayParams{{turkey}, {turkey}}, runtime.Options{K: 20})
	if err != nil || len(batch) != 2 || batch[1].Rows[0].X.ID != r.Rows[0].X.ID {
		t.Errorf("in a batch %+v, %v", batch, err)
	}
}

// TestWhy explains an answer of both semantics together.
func TestWhy(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	q, err := BindSpanishNeighbours(m)
	require.NoError(t, err)
	why, err := q.Why(context.Background(), SpanishNeighboursParams{}, runtime.Options{K: 2})
	if err != nil || len(why) != 2 || len(why[0].Atoms) != 2 || !why[0].Atoms[0].Observed {
		t.Errorf("witnesses %+v, %v", why, err)
	}
}

// TestShow has the neighbour beside each language, and none beside the languages of others.
func TestShow(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	q, err := BindNewLanguages(m)
	require.NoError(t, err)
	france, err := m.Entity("France")
	require.NoError(t, err)
	known := runtime.AnswerFilter{Statuses: runtime.Known}
	r, err := q.Answer(context.Background(), NewLanguagesParams{Country: france}, runtime.Options{Show: []string{"x"}, Filter: known, K: 100})
	if err != nil || r.Next != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	neighbours := map[string]string{}
	for _, a := range r.Rows {
		x := a.Value("x")
		neighbours[a.Y.Name] = x.Name
	}
	if neighbours["Portuguese"] != "Brazil" || neighbours["Catalan"] != "Andorra" {
		t.Errorf("beside the languages there are %v", neighbours)
	}
}

// TestForgottenEnd checks that a parameter of a sentence that is not set does not stand for any entity.
func TestForgottenEnd(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	q, err := BindAdjacent(m)
	require.NoError(t, err)
	france, err := m.Entity("France")
	require.NoError(t, err)
	for want, p := range map[string]AdjacentParams{"One": {Other: france}, "Other": {One: france}} {
		v, err := q.Decide(context.Background(), p, runtime.Options{})
		if param := (*runtime.ParamError)(nil); !errors.As(err, &param) || param.Param != want {
			t.Errorf("without %s, Decide says %+v, %v", want, v, err)
		}
	}
}
