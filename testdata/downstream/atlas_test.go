package atlas

import (
	"context"
	"strings"
	"testing"

	rt "github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/world"
)

// open opens the model that comes with the command. A program of your own calls
// runtime.Open with the path of a bundle.
func open(t *testing.T) *rt.Model {
	t.Helper()
	m, err := world.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func entity(t *testing.T, m *rt.Model, name string) rt.Entity {
	t.Helper()
	e, err := m.Entity(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// find returns the answer of that name.
func find(r *rt.Answers, name string) (rt.Answer, bool) {
	for _, a := range r.Answers {
		if a.Name == name {
			return a, true
		}
	}
	return rt.Answer{}, false
}

func TestNeighbours(t *testing.T) {
	m := open(t)
	q, err := NewNeighbours(m)
	if err != nil {
		t.Fatal(err)
	}
	r, err := q.Answer(context.Background(), NeighboursParams{Country: entity(t, m, "France")}, rt.Options{K: 20})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]rt.Status{"Spain": rt.Known, "Belgium": rt.Known, "Italy": rt.Confirmed} {
		if a, ok := find(r, name); !ok || a.Status != want {
			t.Errorf("%s: found %v, status %s; want it %s", name, ok, a.Status, want)
		}
	}
}

func TestPayAlikeSets(t *testing.T) {
	m := open(t)
	q, err := NewPayAlike(m)
	if err != nil {
		t.Fatal(err)
	}
	r, err := q.Answer(context.Background(), PayAlikeParams{Country: entity(t, m, "Germany")}, rt.Options{SetSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sets) != 1 || r.Sets[0].Variable != "money" || r.Sets[0].Top[0].Name != "Euro" {
		t.Errorf("fuzzy sets are %+v, want money: Euro", r.Sets)
	}
}

func TestBatch(t *testing.T) {
	m := open(t)
	q, err := NewNewLanguages(m)
	if err != nil {
		t.Fatal(err)
	}
	var batch []NewLanguagesParams
	for _, name := range []string{"France", "Japan", "Kenya"} {
		batch = append(batch, NewLanguagesParams{Country: entity(t, m, name)})
	}
	results, err := q.AnswerBatch(context.Background(), batch, rt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range batch {
		single, err := q.Answer(context.Background(), p, rt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for j, a := range single.Answers {
			if got := results[i].Answers[j]; got.Name != a.Name || got.Status != a.Status {
				t.Errorf("query %d, answer %d: %+v in a batch, %+v alone", i, j, got, a)
			}
		}
	}
}

func TestRelationParameter(t *testing.T) {
	m := open(t)
	q, err := NewShared(m)
	if err != nil {
		t.Fatal(err)
	}
	by, err := m.Relation("official_language")
	if err != nil {
		t.Fatal(err)
	}
	r, err := q.Answer(context.Background(), SharedParams{
		One: entity(t, m, "Austria"), Other: entity(t, m, "Germany"), By: by,
	}, rt.Options{K: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Answers[0].Name != "German" || r.Answers[0].Status != rt.Known {
		t.Errorf("first answer is %+v, want German, known", r.Answers[0])
	}
}

// TestBoundSettings checks that what was computed when the query was bound follows
// the settings of a call.
func TestBoundSettings(t *testing.T) {
	m := open(t)
	q, err := NewEuropeanNeighbours(m)
	if err != nil {
		t.Fatal(err)
	}
	p := EuropeanNeighboursParams{Country: entity(t, m, "France")}
	ask := func(s *rt.Settings) []rt.Answer {
		t.Helper()
		r, err := q.Answer(context.Background(), p, rt.Options{Settings: s})
		if err != nil {
			t.Fatal(err)
		}
		return r.Answers
	}
	first := ask(nil)
	other := m.Manifest.Settings
	other.Epsilon = 1e-3
	if strict := ask(&other); strict[0] == first[0] {
		t.Errorf("another threshold changes nothing: %+v", strict[0])
	}
	if again := ask(nil); again[0] != first[0] {
		t.Errorf("after a call with other settings the answer is %+v, it was %+v", again[0], first[0])
	}
}

func TestCancelled(t *testing.T) {
	m := open(t)
	q, err := NewPayAlike(m)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = q.Answer(ctx, PayAlikeParams{Country: entity(t, m, "France")}, rt.Options{})
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error is %v, want that of the context", err)
	}
}
