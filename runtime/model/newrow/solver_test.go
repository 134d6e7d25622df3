package newrow

import (
	"context"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// small returns a model whose sums the solver takes in full.
func small(t *testing.T, table, exact table.Type) *model.Model {
	t.Helper()
	const n, relations, d = 60, 3, 4
	rng := rand.New(rand.NewPCG(4, 2))
	numbers := func(rows int) []float32 {
		list := make([]float32, rows*2*d)
		for i := range list {
			list[i] = float32(rng.NormFloat64())
		}
		return list
	}
	var facts []graph.Triple
	for range 90 {
		facts = append(facts, graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(relations - 1)), Tail: graph.EntityID(rng.IntN(n/2) * 2)})
	}
	relationRows := numbers(2 * relations)
	m := modeltest.New(t, modeltest.Spec{
		Entities: n, Relations: relations, Facts: facts, Rank: d, RelationRows: relationRows, Rows: numbers(n), Table: table, Exact: exact,
	})
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// plain is what package doc states, in complex numbers of float64.
type plain struct {
	m     *model.Model
	facts []fact
}

func complexes(row []float32) []complex128 {
	d := len(row) / 2
	list := make([]complex128, d)
	for k := range list {
		list[k] = complex(float64(row[k]), float64(row[d+k]))
	}
	return list
}

func (p *plain) entity(e int) []complex128 {
	return complexes(p.m.Predictor.EntityTable.Row(graph.EntityID(e), nil))
}

func score(h, r, t []complex128) (sum float64) {
	for k := range h {
		sum += real(h[k] * r[k] * cmplx.Conj(t[k]))
	}
	return sum
}

func (p *plain) total(h, r []complex128) (z float64) {
	for e := range p.m.NumEntities() {
		z += math.Exp(score(h, r, p.entity(e)))
	}
	return z
}

func (p *plain) loss(row []float32) (sum float64) {
	x := complexes(row)
	relations := map[graph.RelationID]bool{}
	for _, f := range p.facts {
		r, back, t := complexes(p.m.Predictor.Relation(f.Relation)), complexes(p.m.Predictor.Relation(f.Relation.Inverse())), p.entity(int(f.Other))
		sum += math.Log(p.total(x, r)) - score(x, r, t)
		sum += math.Log1p(p.total(t, back) * math.Exp(-score(t, back, x)))
		for _, v := range x {
			sum += 2 * n3 * math.Pow(cmplx.Abs(v), 3)
		}
		relations[f.Relation] = true
	}
	for r := range relations {
		back := complexes(p.m.Predictor.Relation(r.Inverse()))
		heads, _ := p.m.Graph.Edges(r.Inverse())
		for _, h := range heads {
			q := p.entity(int(h))
			sum += math.Log1p(math.Exp(score(q, back, x)) / p.total(q, back))
		}
	}
	return sum
}

// descend returns the least loss that steps along numerical gradients find.
func (p *plain) descend(x []float32) float64 {
	x = slices.Clone(x)
	least, size := p.loss(x), 0.1
	for range 40 {
		gradient, norm := make([]float64, len(x)), 0.0
		for k, v := range x {
			const by = 1e-3
			x[k] = v + by
			up := p.loss(x)
			x[k] = v - by
			gradient[k] = (up - p.loss(x)) / (2 * by)
			x[k] = v
			norm += gradient[k] * gradient[k]
		}
		for ; size > 1e-6; size /= 2 {
			next := slices.Clone(x)
			for k := range next {
				next[k] -= float32(size * gradient[k] / math.Sqrt(norm))
			}
			if loss := p.loss(next); loss < least {
				x, least, size = next, loss, size*2
				break
			}
		}
	}
	return least
}

// TestRow compares the loss of rows with the least that plain descent finds.
func TestRow(t *testing.T) {
	m := small(t, table.Float32, "")
	rng := rand.New(rand.NewPCG(5, 6))
	for _, count := range []int{1, 3, 12} {
		p := plain{m: m}
		for range count {
			p.facts = append(p.facts, fact{graph.RelationID(rng.IntN(4)), graph.EntityID(rng.IntN(60))})
		}
		row := newSolver(m).rowFor(p.facts)
		zero, least, got := p.loss(make([]float32, len(row))), p.descend(row), p.loss(row)
		t.Logf("%d facts: %.4f at 0, %.4f reached, %.4f at the least", count, zero, got, least)
		if got-least > 0.05*(zero-least) {
			t.Errorf("%d facts: the loss is %.4f, %.4f at 0, %.4f at the least", count, got, zero, least)
		}
		shuffled := append(slices.Clone(p.facts), p.facts[0])
		slices.Reverse(shuffled)
		if !slices.Equal(newSolver(m).rowFor(shuffled), row) {
			t.Error("the order of the facts matters")
		}
	}
	if row := newSolver(m).rowFor(nil); !slices.Equal(row, make([]float32, 8)) {
		t.Errorf("without facts the row is %v", row)
	}
	// A relation that no fact has, as the third one.
	if row := newSolver(m).rowFor([]fact{{4, 0}}); slices.ContainsFunc(row, func(v float32) bool { return v-v != 0 }) {
		t.Errorf("of a relation without facts the row is %v", row)
	}
}

// enter returns the model with new entities.
func enter(m *model.Model, names []string, facts []graph.Triple) (*model.Model, error) {
	rows, err := Rows(context.Background(), m, names, facts)
	if err != nil {
		return nil, err
	}
	return m.Grown(names, rows)
}

// TestRows makes rows of entities that are linked with the model, with one another, and with
// nothing.
func TestRows(t *testing.T) {
	for _, tables := range [][2]table.Type{{table.Float32, ""}, {table.Int8, table.Float32}, {table.Int8, ""}} {
		m := small(t, tables[0], tables[1])
		names := []string{"far", "near", "alone", "alike"}
		facts := []graph.Triple{{Head: 61, Relation: 0, Tail: 3}, {Head: 4, Relation: 1, Tail: 61}, {Head: 60, Relation: 1, Tail: 61}, {Head: 62, Relation: 0, Tail: 63}, {Head: 0, Relation: 0, Tail: 1}}
		next, err := enter(m, names, facts)
		require.NoError(t, err)
		again, err := enter(m, names, facts)
		require.NoError(t, err)
		table, same := &next.Predictor.EntityTable, &again.Predictor.EntityTable
		if next.NumEntities() != 64 || m.NumEntities() != 60 || next.EntityName(63) != "alike" {
			t.Fatalf("%d entities", next.NumEntities())
		}
		for e := range graph.EntityID(64) {
			if !slices.Equal(table.Row(e, nil), same.Row(e, nil)) {
				t.Fatalf("row %d differs from one time to the next", e)
			}
			if e < 60 && !slices.Equal(table.Row(e, nil), m.Predictor.EntityTable.Row(e, nil)) {
				t.Fatalf("row %d has changed", e)
			}
			if e >= 60 && next.Predictor.EntityNorms[e] < 0.01 {
				t.Errorf("%s has a row of length %v", next.EntityName(e), next.Predictor.EntityNorms[e])
			}
		}
		want, err := m.Grown([]string{"near"}, newSolver(m).rowFor([]fact{{0, 3}, {3, 4}}))
		require.NoError(t, err)
		if !slices.Equal(table.Row(61, nil), want.Predictor.EntityTable.Row(60, nil)) {
			t.Error("the row of near is not made of its facts with the model")
		}
	}
}
