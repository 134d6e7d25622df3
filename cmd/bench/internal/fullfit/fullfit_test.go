package fullfit

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// room is more memory than the matrices of small models need.
const room = 1 << 30

// scores answers one query.
func scores(t rapid.TB, q *query.Query, b scq.Bindings, s model.Settings) []float32 {
	t.Helper()
	var degrees []float32
	err := q.Scores(context.Background(), b, &s, func(answer query.Vector, _ []query.Vector) error {
		degrees = slices.Clone(answer)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return degrees
}

// prepare makes a query ready for package fit.
func prepare(t rapid.TB, m *query.Model, q *lang.Query) *compiler.Prepared {
	t.Helper()
	p, err := compiler.Prepare(m, q, compiler.PrepareOptions{Semantics: new(model.FIT)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exact answers by matrices.
func exact(t rapid.TB, p *compiler.Prepared, b scq.Bindings, s model.Settings) []float32 {
	t.Helper()
	m := p.Query.Model()
	x, err := Make(context.Background(), m, Needs(p.Query.Plan().Patterns, b, s.Degrees), Options{Budget: room})
	if err != nil {
		t.Fatal(err)
	}
	q, err := x.Query(p.Query)
	if err != nil {
		t.Fatal(err)
	}
	return scores(t, q, b, s)
}

// TestAgrees compares with the interpreter, and package fit as well, where it is exact, on
// random formulas.
func TestAgrees(t *testing.T) {
	const entities, relations = 5, 2
	rapid.Check(t, func(t *rapid.T) {
		m := plantest.Model(t, entities, relations, 3)
		o := plantest.Options{Entities: entities, Relations: relations, Atoms: 6, Disjuncts: 3}
		q := rapid.Custom(func(t *rapid.T) *lang.Query { return plantest.Formula(t, o) }).Draw(t, "query")
		p := prepare(t, m, q)
		s := p.Settings
		s.Degrees = model.Degrees{
			Candidates:  entities,
			Negation:    rapid.SampledFrom([]float64{1, 3}).Draw(t, "negation"),
			Threshold:   rapid.SampledFrom([]float64{0, 0.01, 0.2}).Draw(t, "threshold"),
			Temperature: rapid.SampledFrom([]float64{1, 1.5}).Draw(t, "temperature"),
			Mass:        rapid.Bool().Draw(t, "mass"),
		}
		patterns := p.Query.Plan().Patterns
		if slices.ContainsFunc(patterns, func(g scq.Graph) bool { return len(g.Unequal) > 0 }) {
			x := &Matrices{model: m}
			if _, err := x.Query(p.Query); err == nil || !strings.Contains(err.Error(), "inequality") {
				t.Fatalf("%s: error %v, want one for the inequality", p.Shape.Key, err)
			}
			return
		}
		b := plantest.DrawArguments(t, entities, relations).Bindings(p.Shape.Constants, p.Shape.Relations)
		want, err := reference.Expect(t.Context(), p.Compiled.Naive, m.Model, s, b, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range [][]float32{exact(t, p, b, s), scores(t, p.Query, b, s)} {
			what, err := want.Compare(t.Context(), m.Model, append([][]float32{got}, want.Want[1:]...))
			if err != nil {
				t.Fatal(err)
			}
			if what != "" {
				t.Fatalf("%s: %s; plan\n%s", p.Shape.Key, what, p.Compiled.Plan)
			}
		}
	})
}

// TestMatrix compares a matrix with the definition in package fit, in float64.
func TestMatrix(t *testing.T) {
	const entities, rank = 150, 3
	m, err := plantest.NewModel(7, entities, 2, rank, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	d := model.Degrees{Candidates: 1, Negation: 1, Threshold: 0.05, Temperature: 1.5}
	for _, mass := range []bool{false, true} {
		d.Mass = mass
		x, err := Make(context.Background(), m, []Key{KeyOf(3, d), KeyOf(3, d)}, Options{Budget: room})
		if err != nil {
			t.Fatal(err)
		}
		made := x.byKey[KeyOf(3, d)]
		if x.Relations != 1 || x.Read != 0 || x.Entries != int64(len(made.ids)) || x.Bytes != matrixBytes(m.NumEntities(), int64(len(made.ids))) {
			t.Errorf("report is %+v", x.Report)
		}
		w := m.Predictor.Relation(3)
		for h := range entities {
			for tail, want := range row(m, w, h, d) {
				if got := made.at(h, tail); math.Abs(float64(got)-want) > 1e-4*want && math.Abs(want-d.Threshold) > 1e-4*want {
					t.Fatalf("mass %v: degree of %d to %d is %v, want %v", mass, h, tail, got, want)
				}
			}
		}
	}
}

// row computes a row of relation 3, whose embedding is w.
func row(m *query.Model, w []float32, h int, d model.Degrees) []float64 {
	rank := m.Predictor.Rank
	c := func(x []float32, k int) complex128 { return complex(float64(x[k]), float64(x[rank+k])) }
	p, sum, mass, known := make([]float64, m.NumEntities()), 0.0, 0.0, 0.0
	for t := range p {
		head, tail := m.Predictor.EntityTable.Row(model.EntityID(h), nil), m.Predictor.EntityTable.Row(model.EntityID(t), nil)
		score := 0.0
		for k := range rank {
			z, e := c(head, k)*c(w, k), c(tail, k)
			score += real(z)*real(e) + imag(z)*imag(e)
		}
		p[t] = math.Exp(score / d.Temperature)
		sum += p[t]
	}
	for t := range p {
		if p[t] /= sum; m.Graph.Has(model.EntityID(h), 3, model.EntityID(t)) {
			mass, known = mass+p[t], known+1
		}
	}
	scale := max(1, known)
	if d.Mass && known > 0 {
		scale = known / max(mass, 1e-6)
	}
	for t := range p {
		if p[t] = min(0.9999, scale*p[t]); p[t] < d.Threshold {
			p[t] = 0
		}
		if m.Graph.Has(model.EntityID(h), 3, model.EntityID(t)) {
			p[t] = 1
		}
	}
	return p
}

// TestMakeErrors checks that memory is refused before it is taken, and what cannot be
// answered.
func TestMakeErrors(t *testing.T) {
	m, err := plantest.NewModel(7, 50, 2, 3, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	keys := []Key{KeyOf(0, model.Degrees{}), KeyOf(1, model.Degrees{})}
	var budget *BudgetError
	if _, err := Make(context.Background(), m, keys, Options{Budget: 1000}); !errors.As(err, &budget) || budget.Relations != 2 || budget.Bytes <= 1000 ||
		!strings.Contains(err.Error(), "2 relations") {
		t.Errorf("error is %v, want one of the budget", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Make(ctx, m, keys, Options{Budget: room}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
	b := newMaker(m)
	defer b.pool.Close()
	b.entries = 10
	if _, err := b.matrix(context.Background(), keys[0]); err != errTooLarge {
		t.Errorf("error is %v, want that of a matrix that is too large", err)
	}
	x, err := Make(context.Background(), m, keys[:1], Options{Budget: room})
	if err != nil {
		t.Fatal(err)
	}
	shape, err := lang.ShapeQuery("1p")
	if err != nil {
		t.Fatal(err)
	}
	q, err := x.Query(prepare(t, m, shape).Query)
	if err != nil {
		t.Fatal(err)
	}
	one := scq.Bindings{Constants: []model.EntityID{0}, Relations: []model.RelationID{1}}
	ignore := func(query.Vector, []query.Vector) error { return nil }
	if err := q.Scores(context.Background(), one, nil, ignore); err == nil || !strings.Contains(err.Error(), "no matrix of relation 1") {
		t.Errorf("error is %v, want one of a missing matrix", err)
	}
}

// TestFile checks that kept matrices are read again, and that damage is noticed.
func TestFile(t *testing.T) {
	m, err := plantest.NewModel(7, 50, 2, 3, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	o := Options{Budget: room, Dir: filepath.Join(t.TempDir(), "new"), Model: "m"}
	k := KeyOf(2, model.Degrees{})
	first, err := Make(context.Background(), m, []Key{k}, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Make(context.Background(), m, []Key{k}, o)
	if err != nil {
		t.Fatal(err)
	}
	a, b := first.byKey[k], again.byKey[k]
	if again.Read != 1 || again.Seconds != first.Seconds || !slices.Equal(a.start, b.start) || !slices.Equal(a.ids, b.ids) || !slices.Equal(a.deg, b.deg) {
		t.Errorf("read %+v, made %+v, or other degrees", again.Report, first.Report)
	}
	name := fileName(o, k)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(text)
	flipped[len(text)-1] ^= 1
	for _, damaged := range [][]byte{flipped, text[:len(text)-4], text[:10], nil} {
		if err := os.WriteFile(name, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Make(context.Background(), m, []Key{k}, o); err == nil || !strings.Contains(err.Error(), "is not whole") {
			t.Errorf("a file of %d bytes: error is %v", len(damaged), err)
		}
	}
}
