package missing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// random makes a model of random embeddings and facts, some held back, with a calibration of round numbers.
func random(t *testing.T, n, relations int) *runtime.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 7))
	facts := make([]graph.Triple, 3*n)
	for i := range facts {
		facts[i] = graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(relations)), Tail: graph.EntityID(rng.IntN(n))}
	}
	m := modeltest.New(t, modeltest.Spec{
		Entities: n, Relations: relations, Rank: 4, Rows: modeltest.Normals(rng, n*8), RelationRows: modeltest.Normals(rng, relations*16),
		Facts: facts[n/2:], Heldout: facts[:n/2],
	})
	t.Cleanup(func() { m.Close() })
	claims := model.Claims{
		Applies: 1, Evidence: 0.5, Margin: 0.25, Offsets: make([]float64, 2*relations), Unlinked: -1,
		Terms: model.LinkTerms{model.TermSecond: 0.3, model.TermLoop: 0.2, model.TermShare: 0.4, model.TermAtoms: -0.3},
		Curve: model.Curve{X: []float64{-6, 2}, Y: []float64{0, 0.9}},
	}
	for r := range claims.Offsets {
		claims.Offsets[r] = float64(r%5)/5 - 0.5
	}
	c := &model.Calibration{Ordinary: claims, HeldOut: claims, Lacking: claims}
	m.Manifest.Confidence = model.Confidence{}
	for _, s := range model.AllSemantics {
		m.Manifest.Confidence[s.String()] = c
	}
	return runtime.NewModel(m)
}

// link asks a prepared formula for all tails of a relation.
func link(t *testing.T, m *runtime.Model, h graph.EntityID, r graph.RelationID, s *model.Semantics) *runtime.Reply {
	t.Helper()
	q, err := benchmark.Query("1p")
	require.NoError(t, err)
	p, err := compiler.Prepare(m, q, compiler.Options{Semantics: s})
	require.NoError(t, err)
	reply, err := p.Ask(t.Context(), p.Spec().Args(int32(h), int32(r)), runtime.Options{K: m.NumEntities()})
	require.NoError(t, err)
	return reply
}

// brute asks for all answers to every question, and returns all facts that the graph lacks, the likeliest first.
func brute(t *testing.T, m *runtime.Model, s model.Semantics, least float64) (all []Fact) {
	t.Helper()
	for h := range graph.EntityID(m.NumEntities()) {
		for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
			for _, row := range link(t, m, h, r, &s).Rows {
				if f := graph.TripleOf(h, r, row.Values[0].ID); row.Status != runtime.Known && row.Confidence >= least {
					all = append(all, Fact{Confidence: row.Confidence, Status: row.Status, triple: f})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), a.triple.Compare(b.triple))
	})
	return all
}

// TestRun compares the most likely facts with all that there are.
func TestRun(t *testing.T) {
	m := random(t, 40, 3)
	for _, semantics := range model.AllSemantics {
		for _, c := range []struct {
			k     int
			least float64
		}{{5, 0.01}, {1000, 0.2}, {100_000, 0.05}} {
			s, err := New(m, Options{K: c.k, MinConfidence: c.least, Semantics: &semantics})
			require.NoError(t, err)
			got, err := s.Run(t.Context())
			require.NoError(t, err)
			want := brute(t, m, semantics, c.least)
			want = want[:min(len(want), c.k)]
			if len(got.Facts) != len(want) || len(want) < 5 || got.Questions != 120 || got.Possible != 120 || got.Heads != 40 {
				t.Fatalf("%s, %v: %d facts of %+v, want %d", semantics, c, len(got.Facts), got, len(want))
			}
			of := map[graph.Triple]Fact{}
			for _, f := range brute(t, m, semantics, 0) {
				of[f.triple] = f
			}
			for i, f := range got.Facts { // a question asked with others is off by rounding
				same := of[f.triple]
				if math.Abs(f.Confidence-want[i].Confidence) > 1e-6 || math.Abs(f.Confidence-same.Confidence) > 1e-6 || f.Status != same.Status {
					t.Fatalf("%s, %v: fact %d is %+v, want %+v, whose place has %+v", semantics, c, i, f, same, want[i])
				}
			}
		}
	}
}

// TestHead compares the facts of one entity with the answers from it in both directions: a fact that leads from the
// entity to itself is an answer in both, and is listed once, as the likelier one.
func TestHead(t *testing.T) {
	m := random(t, 40, 3)
	loops := 0
	for e := range graph.EntityID(m.NumEntities()) {
		s, err := New(m, Options{Head: &e, K: 1000, MinConfidence: 0.01})
		require.NoError(t, err)
		got, err := s.Run(t.Context())
		require.NoError(t, err)
		want := map[graph.Triple]float64{}
		for _, r := range Plausible(m, e) {
			for _, row := range link(t, m, e, r, nil).Rows {
				if f := graph.TripleOf(e, r, row.Values[0].ID); row.Status != runtime.Known && row.Confidence >= 0.01 {
					want[f] = max(want[f], row.Confidence)
				}
			}
		}
		if len(got.Facts) != len(want) {
			t.Errorf("entity %d: %d facts, want %d", e, len(got.Facts), len(want))
		}
		for _, f := range got.Facts {
			if math.Abs(f.Confidence-want[f.triple]) > 1e-6 {
				t.Errorf("entity %d: %+v has confidence %v, want %v", e, f.triple, f.Confidence, want[f.triple])
			}
			if f.triple.Head == f.triple.Tail {
				loops++
			}
		}
	}
	if loops < 20 {
		t.Errorf("%d facts lead from an entity to itself", loops)
	}
}

// TestComplete checks that no fact of a complete relation is listed, and all others are as before.
func TestComplete(t *testing.T) {
	m := random(t, 40, 3)
	m.Bundle().Manifest.Missing = model.Missing{HeldOut: 0.1, Assumed: 0.1, Relations: map[string]float64{}}
	run := func(relation *graph.RelationID) []Fact {
		s, err := New(m, Options{K: 100_000, MinConfidence: 1e-9, Relation: relation})
		require.NoError(t, err)
		r, err := s.Run(t.Context())
		require.NoError(t, err)
		return r.Facts
	}
	ofFirst := func(f Fact) bool { return f.triple.Relation == 0 }
	before := run(nil)
	want := slices.DeleteFunc(slices.Clone(before), ofFirst)
	m.Bundle().Manifest.Missing.Relations[m.RelationName(0)] = 0
	got := run(nil)
	if len(want) == len(before) || slices.ContainsFunc(got, ofFirst) || len(got) != len(want) {
		t.Errorf("of %d facts, %d of other relations, %d are listed", len(before), len(want), len(got))
	}
	for _, r := range []graph.RelationID{0, 1} {
		list, err := json.Marshal(run(&r))
		require.NoError(t, err)
		if string(list) != "[]" {
			t.Errorf("of relation %d, JSON lists %s, want []", r, list)
		}
	}
}

// TestUntrue marks the likeliest facts as not true: they are not offered again, nor likely.
func TestUntrue(t *testing.T) {
	m := random(t, 40, 3)
	best := func() *Result {
		s, err := New(m, Options{K: 10})
		require.NoError(t, err)
		r, err := s.Run(t.Context())
		require.NoError(t, err)
		return r
	}
	before := best()
	var untrue []graph.Triple
	for _, f := range before.Facts[:5] {
		untrue = append(untrue, f.triple)
	}
	require.NoError(t, m.Update(func(now *model.Model) (*model.Model, error) {
		next, _, err := now.With(model.Change{Untrue: untrue})
		return next, err
	}))
	after := best().Facts
	if len(after) != len(before.Facts) {
		t.Errorf("%d facts are offered, want %d", len(after), len(before.Facts))
	}
	for i, f := range after {
		if slices.Contains(untrue, f.triple) {
			t.Fatalf("a fact marked as not true is offered again: %+v", f)
		}
		if i < 5 && f.triple != before.Facts[5+i].triple {
			t.Errorf("fact %d is %+v, want the one offered before, %+v", i, f.triple, before.Facts[5+i].triple)
		}
	}
	f := untrue[0]
	for _, row := range link(t, m, f.Head, graph.RelationID(2*f.Relation), nil).Rows {
		if row.Values[0].ID == f.Tail && row.Confidence > 1e-6 {
			t.Errorf("an answer that is not true has confidence %v", row.Confidence)
		}
	}
}

// TestSome bounds the questions, asks for one end and one type, and stops early.
func TestSome(t *testing.T) {
	m := random(t, 40, 3)
	run := func(ctx context.Context, o Options) (*Result, error) {
		t.Helper()
		s, err := New(m, o)
		require.NoError(t, err)
		return s.Run(ctx)
	}
	few, err := run(t.Context(), Options{Questions: 30})
	if err != nil || few.Questions > 30 || few.Questions < 20 || few.Heads < 5 || few.Possible != 120 {
		t.Errorf("30 questions at most: %+v, %v", few, err)
	}

	inverse := graph.RelationID(3)
	back, err := run(t.Context(), Options{Relation: &inverse})
	require.NoError(t, err)
	for _, f := range back.Facts[:3] {
		reply := link(t, m, f.triple.Tail, inverse, nil)
		at := slices.IndexFunc(reply.Rows, func(x runtime.Row) bool { return x.Values[0].ID == f.triple.Head })
		if f.triple.Relation != 1 || f.Relation != m.RelationName(2) || math.Abs(reply.Rows[at].Confidence-f.Confidence) > 1e-6 {
			t.Errorf("from the other end: %+v, want the confidence of %+v", f, reply.Rows[at])
		}
	}

	heads, tails := m.Bundle().Graph.Edges(0)
	kind, err := m.Type(m.RelationName(0), m.EntityName(graph.EntityID(tails[0])))
	require.NoError(t, err)
	typed, err := run(t.Context(), Options{Type: kind})
	require.NoError(t, err)
	for _, f := range typed.Facts {
		if !m.Bundle().Graph.Has(f.Head.ID, 0, graph.EntityID(tails[0])) {
			t.Errorf("%+v has not the type of %d", f, heads[0])
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	stopped, err := run(ctx, Options{Progress: func(done, _ int) {
		if done > 0 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || !stopped.Stopped || stopped.Questions != together || len(stopped.Facts) == 0 {
		t.Errorf("stopped early: %+v, %v", stopped, err)
	}
}

// TestRunAgain runs a search twice, the first time only in part.
func TestRunAgain(t *testing.T) {
	m := random(t, 40, 3)
	stopped, cancel := context.WithCancel(t.Context())
	s, err := New(m, Options{K: 20, Progress: func(done, _ int) {
		if done > 0 {
			cancel()
		}
	}})
	require.NoError(t, err)
	_, err = s.Run(stopped)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the first run ends by %v", err)
	}
	again, err := s.Run(t.Context())
	require.NoError(t, err)
	fresh, err := New(m, Options{K: 20})
	require.NoError(t, err)
	want, err := fresh.Run(t.Context())
	require.NoError(t, err)
	if !reflect.DeepEqual(again, want) {
		t.Errorf("the second run finds %+v, want %+v", again, want)
	}
}

// TestRunMeanwhile adds entities while a search runs: it goes on with the facts that it began with.
func TestRunMeanwhile(t *testing.T) {
	m := random(t, 40, 3)
	run := func(progress func(int, int)) *Result {
		s, err := New(m, Options{K: 1000, MinConfidence: 0.001, Progress: progress})
		require.NoError(t, err)
		r, err := s.Run(t.Context())
		require.NoError(t, err)
		return r
	}
	want := run(nil)
	row := m.Bundle().Predictor.EntityTable.Row(want.Facts[0].Tail.ID, make([]float32, 8))
	got := run(func(int, int) {
		require.NoError(t, m.Update(func(now *model.Model) (*model.Model, error) {
			return now.Grown([]string{fmt.Sprint("new ", now.NumEntities())}, row)
		}))
	})
	if m.NumEntities() == 40 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d entities later: %+v, want %+v", m.NumEntities()-40, got, want)
	}
}
