package atlas

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// open opens the model that comes with the command. A program of your own calls
// runtime.Open with the path of a bundle.
func open(t *testing.T) *runtime.Model {
	t.Helper()
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

func entity(t *testing.T, m *runtime.Model, name string) graph.Entity {
	t.Helper()
	e, err := m.Entity(name)
	require.NoError(t, err)
	return e
}

// find returns the answer of that name.
func find(r *runtime.Reply, name string) (runtime.Row, bool) {
	for _, a := range r.Rows {
		if a.Values[0].Name == name {
			return a, true
		}
	}
	return runtime.Row{}, false
}

func TestNeighbours(t *testing.T) {
	m := open(t)
	q, err := BindNeighbours(m)
	require.NoError(t, err)
	r, err := q.Answer(context.Background(), NeighboursParams{Country: entity(t, m, "France")}, runtime.Options{K: 20})
	require.NoError(t, err)
	for name, want := range map[string]runtime.Status{"Spain": runtime.Known, "Belgium": runtime.Known, "Italy": runtime.Confirmed} {
		if a, ok := find(r.Reply, name); !ok || a.Status != want {
			t.Errorf("%s: found %v, status %s; want it %s", name, ok, a.Status, want)
		}
	}
}

// TestNearby checks that the known answers are those at one border and at two.
func TestNearby(t *testing.T) {
	m := open(t)
	portugal := entity(t, m, "Portugal")
	near, err := BindNeighbours(m)
	require.NoError(t, err)
	away, err := BindTwoBordersAway(m)
	require.NoError(t, err)
	nearby, err := BindNearby(m)
	require.NoError(t, err)
	known := runtime.Options{K: m.NumEntities(), Filter: runtime.AnswerFilter{Statuses: runtime.Known}}
	one, err := near.Answer(context.Background(), NeighboursParams{Country: portugal}, known)
	require.NoError(t, err)
	two, err := away.Answer(context.Background(), TwoBordersAwayParams{Country: portugal}, known)
	require.NoError(t, err)
	both, err := nearby.Answer(context.Background(), NearbyParams{Country: portugal}, known)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, a := range slices.Concat(one.Reply.Rows, two.Reply.Rows) {
		names[a.Values[0].Name] = true
	}
	if len(names) != len(both.Rows) || len(one.Rows) == 0 || len(two.Rows) == 0 {
		t.Errorf("%d are nearby, want %d", len(both.Rows), len(names))
	}
	for _, a := range both.Rows {
		if !names[a.Y.Name] {
			t.Errorf("%s is not nearby", a.Y.Name)
		}
	}
}

// TestTwoBordersAway checks that a country is not among the answers that its own template
// excludes, however many are asked for.
func TestTwoBordersAway(t *testing.T) {
	m := open(t)
	q, err := BindTwoBordersAway(m)
	require.NoError(t, err)
	r, err := q.Answer(context.Background(), TwoBordersAwayParams{Country: entity(t, m, "France")}, runtime.Options{K: m.NumEntities()})
	require.NoError(t, err)
	if a, ok := find(r.Reply, "France"); ok || len(r.Rows) != m.NumEntities()-1 {
		t.Errorf("%d answers of %d entities, France among them: %v, %+v", len(r.Rows), m.NumEntities(), ok, a)
	}
	if a, ok := find(r.Reply, "Portugal"); !ok || a.Status != runtime.Known {
		t.Errorf("Portugal, by way of Spain: found %v, %+v", ok, a)
	}
}

// TestSpokenNextDoor checks rows: facts of the graph, with neither French nor a country that does not
// border France.
func TestSpokenNextDoor(t *testing.T) {
	m := open(t)
	q, err := BindSpokenNextDoor(m)
	require.NoError(t, err)
	r, err := q.Answer(context.Background(), SpokenNextDoorParams{Country: entity(t, m, "France")}, runtime.Options{K: 12})
	require.NoError(t, err)
	found := map[string]runtime.Status{}
	for _, x := range r.Rows {
		found[x.Neighbour.Name+" "+x.Language.Name] = x.Status
		if x.Language.Name == "French" || x.Values[1].ID != x.Language.ID {
			t.Errorf("row %+v has French, or other values than its fields", x)
		}
	}
	for _, row := range []string{"Belgium Dutch", "Spain Spanish", "Germany German"} {
		if found[row] != runtime.Known {
			t.Errorf("%s is %s among %v, want known", row, found[row], found)
		}
	}
	if _, err := q.Answer(context.Background(), SpokenNextDoorParams{}, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "parameter Country: it is not set") {
		t.Errorf("without a country the error is %v", err)
	}
}

func TestPayAlikeSets(t *testing.T) {
	m := open(t)
	q, err := BindPayAlike(m)
	require.NoError(t, err)
	r, err := q.Answer(context.Background(), PayAlikeParams{Country: entity(t, m, "Germany")}, runtime.Options{SetSize: 1})
	require.NoError(t, err)
	if len(r.Sets) != 1 || r.Sets[0].Variable != "money" || r.Sets[0].Top[0].Values[0].Name != "Euro" {
		t.Errorf("fuzzy sets are %+v, want money: Euro", r.Sets)
	}
}

func TestBatch(t *testing.T) {
	m := open(t)
	q, err := BindNewLanguages(m)
	require.NoError(t, err)
	var batch []NewLanguagesParams
	for _, name := range []string{"France", "Japan", "Kenya"} {
		batch = append(batch, NewLanguagesParams{Country: entity(t, m, name)})
	}
	results, err := q.AnswerBatch(context.Background(), batch, runtime.Options{})
	require.NoError(t, err)
	for i, p := range batch {
		single, err := q.Answer(context.Background(), p, runtime.Options{})
		require.NoError(t, err)
		for j, a := range single.Rows {
			if got := results[i].Rows[j]; got.Y.Name != a.Y.Name || got.Status != a.Status {
				t.Errorf("query %d, answer %d: %+v in a batch, %+v alone", i, j, got, a)
			}
		}
	}
}

func TestRelationParameter(t *testing.T) {
	m := open(t)
	q, err := BindShared(m)
	require.NoError(t, err)
	by, err := m.Relation("official_language")
	require.NoError(t, err)
	r, err := q.Answer(context.Background(), SharedParams{
		One: entity(t, m, "Austria"), Other: entity(t, m, "Germany"), By: by,
	}, runtime.Options{K: 1})
	require.NoError(t, err)
	if r.Rows[0].Y.Name != "German" || r.Rows[0].Status != runtime.Known {
		t.Errorf("first answer is %+v, want German, known", r.Rows[0])
	}
}

// TestSettings checks that a template with names follows the settings of a call.
func TestSettings(t *testing.T) {
	m := open(t)
	q, err := BindFrenchCircle(m)
	require.NoError(t, err)
	p := FrenchCircleParams{By: relation(t, m, "currency")}
	ask := func(s *model.Settings) []FrenchCircleRow {
		t.Helper()
		r, err := q.Answer(context.Background(), p, runtime.Options{Settings: s})
		require.NoError(t, err)
		return r.Rows
	}
	first := ask(nil)
	other := m.Settings()
	other.Epsilon = 1e-2
	if strict := ask(&other); strict[0].Y.ID == first[0].Y.ID && strict[0].Score == first[0].Score {
		t.Errorf("another threshold changes nothing: %+v", strict[0])
	}
	if again := ask(nil); again[0].Y.ID != first[0].Y.ID || again[0].Score != first[0].Score {
		t.Errorf("after a call with other settings the answer is %+v, it was %+v", again[0], first[0])
	}
}

func TestCancelled(t *testing.T) {
	m := open(t)
	q, err := BindPayAlike(m)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = q.Answer(ctx, PayAlikeParams{Country: entity(t, m, "France")}, runtime.Options{})
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error is %v, want that of the context", err)
	}
}

// TestForgotten checks that a parameter which was not set is an error that names it, and
// not a question about the entity or relation of id 0.
func TestForgotten(t *testing.T) {
	m := open(t)
	checkForgotten(t, m, m)
}

func checkForgotten(t *testing.T, host *runtime.Model, m *runtime.Model) {
	t.Helper()
	q, err := BindShared(m)
	require.NoError(t, err)
	by, err := host.Relation("official_language")
	require.NoError(t, err)
	austria, germany := entity(t, host, "Austria"), entity(t, host, "Germany")
	ctx, good := context.Background(), SharedParams{One: austria, Other: germany, By: by}
	for want, p := range map[string]SharedParams{
		"query Shared: parameter One: it is not set":   {Other: germany, By: by},
		"query Shared: parameter Other: it is not set": {One: austria, By: by},
		"query Shared: parameter By: it is not set":    {One: austria, Other: germany},
	} {
		_, err := q.Answer(ctx, p, runtime.Options{})
		if param := (*runtime.ParamError)(nil); !errors.As(err, &param) || !strings.HasPrefix(err.Error(), want) || !strings.Contains(want, param.Param) {
			t.Errorf("Answer gives error %v, want %s", err, want)
		}
		if _, err := q.Why(ctx, p, runtime.Options{}, 0); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Why gives error %v, want %s", err, want)
		}
		if _, err := q.AnswerBatch(ctx, []SharedParams{good, p}, runtime.Options{}); err == nil || !strings.HasPrefix(err.Error(), "query 1 of the batch: "+want) {
			t.Errorf("AnswerBatch gives error %v, want %s", err, want)
		}
	}
}

// TestFirstEntity checks that the entity and the relation of id 0 are ones to ask about.
func TestFirstEntity(t *testing.T) {
	m := open(t)
	q, err := BindShared(m)
	require.NoError(t, err)
	p := SharedParams{One: graph.EntityOf(0), Other: graph.EntityOf(1), By: graph.RelationOf(0)}
	if r, err := q.Answer(context.Background(), p, runtime.Options{K: 3}); err != nil || len(r.Rows) != 3 {
		t.Errorf("answers %+v, %v", r, err)
	}
}

// TestWhy explains answers of message passing: those of Answer, and some that are chosen.
func TestWhy(t *testing.T) {
	m := open(t)
	checkWhy(t, m, m)
}

func checkWhy(t *testing.T, host *runtime.Model, m *runtime.Model) {
	t.Helper()
	q, err := BindNewLanguages(m)
	require.NoError(t, err)
	ctx, p := context.Background(), NewLanguagesParams{Country: entity(t, host, "France")}
	r, err := q.Answer(ctx, p, runtime.Options{K: 3})
	require.NoError(t, err)
	why, err := q.Why(ctx, p, runtime.Options{K: 3})
	if err != nil || len(why) != 3 {
		t.Fatalf("%d witnesses, %v", len(why), err)
	}
	for i, a := range r.Rows {
		if why[i].Answer.ID != a.Y.ID {
			t.Errorf("answer %d is %s, explained is %s", i, a.Y.Name, why[i].Answer.Name)
		}
	}
	german := entity(t, host, "German").ID()
	chosen, err := q.Why(ctx, p, runtime.Options{}, german)
	if err != nil || len(chosen) != 1 {
		t.Fatalf("%d witnesses, %v", len(chosen), err)
	}
	w := chosen[0]
	if len(w.Values) != 1 || w.Values[0].Variable != "x" || w.Degree <= 0 || len(w.Atoms) != 3 {
		t.Fatalf("German is explained by %+v", w)
	}
	for _, a := range w.Atoms {
		head, relation := entity(t, host, a.Head.Name).ID(), relation(t, host, a.Relation)
		if has := host.Bundle().Graph.Has(head, relation.ID(), a.Tail.ID); has != a.Observed || a.Negated == has {
			t.Errorf("atom %+v: the link is in the graph: %v", a, has)
		}
	}
}

func relation(t *testing.T, m *runtime.Model, name string) graph.Relation {
	t.Helper()
	r, err := m.Relation(name)
	require.NoError(t, err)
	return r
}

// TestSentences asks yes or no: links of the graph decide, and a witness has them.
func TestSentences(t *testing.T) {
	m := open(t)
	near, err := BindNear(m)
	require.NoError(t, err)
	alpine, err := BindAlpine(m)
	require.NoError(t, err)
	for _, c := range []struct {
		one, other string
		holds      bool
	}{{"France", "Spain", true}, {"France", "Portugal", true}, {"France", "Mongolia", false}} {
		v, err := near.Decide(context.Background(), NearParams{One: entity(t, m, c.one), Other: entity(t, m, c.other)}, runtime.Options{})
		require.NoError(t, err)
		if known := v.Status == runtime.Known; v.Holds != c.holds || known != c.holds || known && !v.Witnesses[0].Atoms[0].Observed {
			t.Errorf("%s is near %s: %+v", c.one, c.other, v)
		}
	}
	for name, known := range map[string]bool{"Switzerland": true, "Spain": false} {
		v, err := alpine.Decide(context.Background(), AlpineParams{Country: entity(t, m, name)}, runtime.Options{})
		require.NoError(t, err)
		if (v.Status == runtime.Known) != known || len(v.Witnesses) != 2 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestCount compares the number of known answers with the answers themselves.
func TestCount(t *testing.T) {
	m := open(t)
	count, err := BindNeighbourCount(m)
	require.NoError(t, err)
	neighbours, err := BindNeighbours(m)
	require.NoError(t, err)
	france := entity(t, m, "France")
	n, err := count.Count(context.Background(), NeighbourCountParams{Country: france}, runtime.Options{})
	require.NoError(t, err)
	r, err := neighbours.Answer(context.Background(), NeighboursParams{Country: france},
		runtime.Options{K: 100, Filter: runtime.AnswerFilter{Statuses: runtime.Known}})
	require.NoError(t, err)
	if n.Known != len(r.Rows) || n.Missing <= 0 || n.Low > n.Total() || n.High < n.Total() {
		t.Errorf("counted %+v, there are %d known ones", n, len(r.Rows))
	}
}
