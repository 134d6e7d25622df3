package reference

import (
	"math"
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// numbers flattens the result of a truth-degree op for a comparison number by number.
func numbers(result any) []float64 {
	var out []float64
	ints := func(xs ...int) {
		out = append(out, float64(len(xs)))
		for _, x := range xs {
			out = append(out, float64(x))
		}
	}
	floats := func(xs []float32) {
		out = append(out, float64(len(xs)))
		for _, x := range xs {
			out = append(out, float64(x))
		}
	}
	switch x := result.(type) {
	case []float32:
		floats(x)
	case fuzzy:
		floats(x.deg)
		out = append(out, float64(x.rest))
	case degrees:
		out = append(out, indicator(x.branched), float64(len(x.sets)))
		for _, s := range x.sets {
			out = append(out, numbers(s)...)
		}
	case candidates:
		ints(x.ids...)
		ints(x.predicted)
	case rowSet:
		out = append(numbers(x.candidates), float64(x.relation), indicator(x.negated), indicator(x.unequal))
		for _, s := range x.rows {
			out = append(out, numbers(s)...)
		}
	case branches:
		floats(x.weights)
		ints(x.parents...)
		ints(x.value...)
	}
	return out
}

// TestDegreeOps checks each op of truth degrees on numbers computed by hand, on the model of TestOps. With τ =
// 2/ln 2 a score s contributes 2^(s/2); θ = 0.3, ν = 0.5, φ = 0.25 and g = 0.5. K is 1 of 3 entities, unless a
// case says otherwise.
//
// For r, entity 0 has the scores 0, -2 and 0, which give 0.4, 0.2 and 0.4, has the tails 0 and 1, and therefore
// twice the degree at 2; 1 has the scores 2, 0 and 0, which give 0.5, 0.25 and 0.25, and no tails; 2 has no
// scores and the tail 0. For the inverse, 0 has the scores 5, 11 and 0, and the tails 0 and 2.
func TestDegreeOps(t *testing.T) {
	m := tiny(t)
	vec := func(a, b, c, rest float32) fuzzy { return fuzzy{[]float32{a, b, c}, rest} }
	one := func(a, b, c, rest float32) degrees { return single(vec(a, b, c, rest)) }
	many := func(sets ...fuzzy) degrees { return degrees{sets, true} }
	same := func(d float32) degrees { return one(d, d, d, d) }
	top := func(predicted int, ids ...int) candidates { return candidates{ids, predicted} }
	rows := func(c candidates, negated bool, rows ...fuzzy) rowSet { return rowSet{c, rows, 0, negated, false} }
	others := func(c candidates, rows ...fuzzy) rowSet { return rowSet{c, rows, 0, true, true} }
	row0, row1, row2 := vec(1, 1, 0.8, 0), vec(0.5, 0, 0, 0), vec(1, 1./3, 1./3, 0)
	not0, not2 := vec(0.5, 0.5, 0.6, 1), vec(0.5, 5./6, 5./6, 1)
	none := branches{}
	// Entity 0 has the value 1 and entity 2 the value 3; of these two, one is larger than 2.
	valued, err := m.WithValues([]values.AttributeValues{{Name: "size", Kind: values.NumberKind, Values: []values.EntityValue{{Number: 1}, {Entity: 2, Number: 3}}}})
	require.NoError(t, err)
	large, err := valued.Select(model.Condition{Attribute: "size", Comparisons: []model.Comparison{{Operator: ">", Value: "2"}}, Unknown: true})
	require.NoError(t, err)
	two := branches{[]float32{0.5, 0.25}, []int{1, 0}, []int{0, 1}}
	seen := map[ir.Op]bool{}
	for _, c := range []struct {
		op       ir.Value
		args     []any
		want     any
		settings model.Degrees
	}{
		{op: ir.Value{Op: ir.Row}, want: single(row0)},
		{op: ir.Value{Op: ir.Row, Negated: true}, want: single(not0)},
		{op: ir.Value{Op: ir.Row, Const: 1}, want: single(row2)},
		{op: ir.Value{Op: ir.Row, Backward: true}, want: one(1, 0.9999, 1, 0)},
		{op: ir.Value{Op: ir.Row, Rel: 1}, want: one(1, 0.9999, 1, 0)},
		{op: ir.Value{Op: ir.Row}, settings: model.Degrees{Mass: true}, want: one(1, 1, 0.9999, 0)},
		{op: ir.Value{Op: ir.Row, Const: 1}, settings: model.Degrees{Threshold: 0.34}, want: one(1, 0, 0, 0)},
		{op: ir.Value{Op: ir.Any}, want: same(1)},
		{op: ir.Value{Op: ir.Except, Const: 1}, want: one(1, 1, 0, 1)},
		{op: ir.Value{Op: ir.Others}, args: []any{top(1, 2, 0)}, want: others(top(1, 2, 0), vec(1, 1, 0, 1), vec(0, 1, 1, 1))},
		{op: ir.Value{Op: ir.Other}, args: []any{one(0.1, 0.4, 0.3, 0)}, want: one(0.4, 0.3, 0.4, 0.4)},
		{op: ir.Value{Op: ir.Other}, args: []any{many(vec(0.4, 0.4, 0.3, 0), vec(0.5, 0, 0, 0))}, want: many(vec(0.4, 0.4, 0.4, 0.4), vec(0, 0.5, 0.5, 0.5))},
		{op: ir.Value{Op: ir.Peak}, args: []any{one(0.1, 0.4, 0.3, 0.5)}, want: same(0.4)},
		{op: ir.Value{Op: ir.Peak}, args: []any{many(row1, row0)}, want: many(vec(0.5, 0.5, 0.5, 0.5), vec(1, 1, 1, 1))},
		{op: ir.Value{Op: ir.Best}, args: []any{one(0.1, 0.4, 0.4, 0)}, want: top(1, 1)},
		{op: ir.Value{Op: ir.Best}, settings: model.Degrees{Candidates: 2}, args: []any{one(0.1, 0.4, 0.4, 0)}, want: top(2, 1, 2)},
		{op: ir.Value{Op: ir.Best}, settings: model.Degrees{Candidates: 3}, args: []any{one(0.1, 0, 0.4, 0)}, want: top(2, 2, 0)},
		// 0.011 and 0.010 are below 0.03 of 0.4, 0.013 is not.
		{op: ir.Value{Op: ir.Best}, settings: model.Degrees{Candidates: 2}, args: []any{one(0.011, 0.4, 0, 0)}, want: top(1, 1)},
		{op: ir.Value{Op: ir.Values, Index: 16}, settings: model.Degrees{Candidates: 2}, args: []any{one(0.011, 0.4, 0.013, 0)}, want: top(2, 1, 2, 0)},
		{op: ir.Value{Op: ir.Values, Index: 16}, settings: model.Degrees{Candidates: 2}, args: []any{one(0.011, 0.4, 0.010, 0)}, want: top(1, 1, 0, 2)},
		{op: ir.Value{Op: ir.Every}, args: []any{one(0.1, 0.2, 0.3, 0)}, want: top(0)},
		{op: ir.Value{Op: ir.Every}, settings: model.Degrees{Candidates: 3}, args: []any{one(0.1, 0, 0.3, 0)}, want: top(2, 2, 0)},
		{op: ir.Value{Op: ir.Values, Index: 16}, args: []any{one(0.1, 0.9, 0.3, 0), one(0.9, 0, 0.5, 0)}, want: top(1, 2, 0)},
		{op: ir.Value{Op: ir.Values, Index: 16}, settings: model.Degrees{Candidates: 3}, args: []any{one(0.1, 0.9, 0.3, 0), one(0.9, 0, 0.5, 0)}, want: top(3, 1, 2, 0)},
		{op: ir.Value{Op: ir.Rows}, args: []any{top(2, 1, 2)}, want: rows(top(2, 1, 2), false, row1, row2)},
		{op: ir.Value{Op: ir.Rows}, args: []any{top(1, 1, 0)}, want: rows(top(1, 1, 0), false, row1, vec(1, 1, 0, 0))},
		{op: ir.Value{Op: ir.Rows, Negated: true}, args: []any{top(1, 2, 0)}, want: rows(top(1, 2, 0), true, not2, vec(0.5, 0.5, 1, 1))},
		{op: ir.Value{Op: ir.Rows, Backward: true}, args: []any{top(1, 0)}, want: rowSet{top(1, 0), []fuzzy{vec(1, 0.9999, 1, 0)}, 1, false, false}},
		{op: ir.Value{Op: ir.Diagonal}, args: []any{rows(top(1, 2), false, row2)}, want: one(1, 0, 1./3, 0)},
		{op: ir.Value{Op: ir.Diagonal}, args: []any{rows(top(1, 2), true, not2)}, want: one(0.5, 1, 5./6, 1)},
		// 1 has a row. 2 leads to its tail; 0 has no degree of its own, or leads as well.
		{op: ir.Value{Op: ir.Push}, args: []any{one(0.1, 0.8, 0.2, 0.1), rows(top(1, 1), false, row1)}, want: one(0.4, 0, 0, 0)},
		{op: ir.Value{Op: ir.Push}, args: []any{one(0.1, 0.8, 0.2, 0), rows(top(1, 1), false, row1)}, want: one(0.4, 0.1, 0, 0)},
		{op: ir.Value{Op: ir.Push}, args: []any{one(0.1, 0.2, 0.6, 0), rows(top(1, 2), true, not2)}, want: one(0.3, 0.5, 0.5, 0.6)},
		{op: ir.Value{Op: ir.Push}, args: []any{one(0.9, 0.2, 1, 0), rows(top(1, 2), false, row2), rows(top(1, 2), true, not2)}, want: one(0.5, 5./18, 5./18, 0)},
		{op: ir.Value{Op: ir.Push}, args: []any{one(0.9, 0.2, 1, 0), rows(top(1, 2), false, row2), rowSet{top(1, 2), []fuzzy{not2}, 1, true, false}}, want: one(0.5, 0.9, 5./18, 0)},
		{op: ir.Value{Op: ir.Push}, settings: model.Degrees{Candidates: 3}, args: []any{one(0.1, 0.8, 0.2, 0), rows(top(1, 1), false, row1)}, want: one(0.4, 0, 0, 0)},
		{op: ir.Value{Op: ir.Push}, args: []any{many(vec(0, 1, 0, 0), vec(0, 0.5, 0.75, 0)), rows(top(1, 1), false, row1)}, want: many(vec(0.5, 0, 0, 0), vec(0.75, 0, 0, 0))},
		// Of 1 there is a row of r, and x != y; 0 leads to itself and to 1 without.
		{op: ir.Value{Op: ir.Push}, args: []any{one(0.1, 0.8, 0.2, 0), rows(top(1, 1), false, vec(0.5, 1, 0, 0)), others(top(1, 1), vec(1, 0, 1, 1))}, want: one(0.4, 0.1, 0, 0)},
		{op: ir.Value{Op: ir.Push}, args: []any{one(0.6, 0.8, 0, 0), rows(top(1, 1), false, row1), others(top(1, 1), vec(1, 0, 1, 1))}, want: one(0.4, 0.6, 0, 0)},
		{op: ir.Value{Op: ir.Narrow}, args: []any{one(0.5, 0, 1, 0.2), one(0.1, 0.8, 0.2, 0), rows(top(1, 1), false, row1)}, want: one(0.2, 0, 0, 0)},
		// r has the tails 0, of 0 and 2, and 1, of 0.
		{op: ir.Value{Op: ir.Leaf}, args: []any{same(1), rows(top(0), false)}, want: one(1, 1, 0.25, 0.25)},
		{op: ir.Value{Op: ir.Leaf}, args: []any{one(0.1, 0.8, 0.6, 0), rows(top(0), false)}, want: one(0.6, 0.2, 0.2, 0.2)},
		{op: ir.Value{Op: ir.Leaf}, args: []any{one(0.1, 0.8, 0.6, 0), rows(top(0), true), rows(top(0), false), rows(top(0), false)}, want: one(0.3, 0.05, 0.05, 0.05)},
		// By r^-1 too: 0 leads to 0 by both, 2 by r and 1 by r^-1.
		{op: ir.Value{Op: ir.Leaf}, args: []any{one(0.1, 0.8, 0.6, 0), rows(top(0), false), rowSet{candidates: top(0), relation: 1}}, want: one(0.2, 0.05, 0.05, 0.05)},
		{op: ir.Value{Op: ir.Leaf}, args: []any{one(0.1, 0.8, 0.6, 0), rows(top(0), true)}, want: same(0.8)},
		{op: ir.Value{Op: ir.Leaf}, args: []any{one(0.6, 0.8, 0.1, 0), rows(top(0), false), others(top(0))}, want: one(0.2, 0.6, 0.2, 0.2)},
		{op: ir.Value{Op: ir.Leaf}, settings: model.Degrees{Candidates: 3}, args: []any{one(0.1, 0, 0.6, 0), rows(top(2, 2, 0), false, row2, row0)}, want: one(0.6, 0.2, 0.2, 0)},
		{op: ir.Value{Op: ir.Root}, want: branches{[]float32{1}, []int{0}, []int{0}}},
		{op: ir.Value{Op: ir.Branch}, args: []any{one(0.5, 0, 1, 0), top(1, 2, 1, 0), two}, want: branches{[]float32{0.5, 0.25, 0.25, 0.125}, []int{0, 0, 1, 1}, []int{0, 2, 0, 2}}},
		{op: ir.Value{Op: ir.Branch}, args: []any{many(vec(0.5, 0, 0, 0), vec(0, 0.5, 0, 0)), top(2, 0, 1), two}, want: branches{[]float32{0.25, 0.125}, []int{0, 1}, []int{0, 1}}},
		{op: ir.Value{Op: ir.Branch}, args: []any{same(0), top(0), two}, want: none},
		// 1 has a row; 2 has neither a row nor links; 0 has links only by r; negated atoms exclude none.
		{op: ir.Value{Op: ir.Branch}, args: []any{same(1), top(1, 1, 2, 0), two, rows(top(1, 1, 2, 0), false, vec(0, 0, 0, 0), vec(0, 0, 0, 0), row0)}, want: branches{[]float32{0.5, 0.5, 0.25, 0.25}, []int{0, 0, 1, 1}, []int{0, 2, 0, 2}}},
		{op: ir.Value{Op: ir.Branch}, args: []any{same(1), top(1, 1, 2, 0), two, rows(top(1, 1, 2, 0), false, row1, row2, row0), rows(top(1, 1, 2, 0), false, row1, row2, vec(0, 0, 0, 0))}, want: branches{[]float32{0.5, 0.5, 0.25, 0.25}, []int{0, 0, 1, 1}, []int{0, 1, 0, 1}}},
		{op: ir.Value{Op: ir.Branch}, args: []any{same(1), top(0, 2), two, rows(top(0, 2), true, vec(0, 0, 0, 0))}, want: branches{[]float32{0.5, 0.25}, []int{0, 1}, []int{0, 0}}},
		{op: ir.Value{Op: ir.Each}, args: []any{two, rows(top(1, 0, 1), false, row0, row1), rows(top(1, 0, 1), true, not0, not2)}, want: many(vec(0.5, 0.5, 0.48, 0), vec(0.25, 0, 0, 0))},
		{op: ir.Value{Op: ir.Each}, args: []any{none, rows(top(0), false)}, want: many()},
		{op: ir.Value{Op: ir.Follow}, args: []any{many(row0, row1), two}, want: many(row1, row0)},
		{op: ir.Value{Op: ir.Follow}, args: []any{many(row0, row1), none}, want: many()},
		{op: ir.Value{Op: ir.Join}, args: []any{many(row1, not0), two}, want: one(0.25, 0.125, 0.15, 0.25)},
		{op: ir.Value{Op: ir.Join}, args: []any{one(1, 0.5, 0.2, 0.4), two}, want: one(0.5, 0.25, 0.1, 0.2)},
		{op: ir.Value{Op: ir.Selected}, want: one(0, 0.5, 1, 0.5)},
		{op: ir.Value{Op: ir.Join}, args: []any{same(1), none}, want: same(0)},
		{op: ir.Value{Op: ir.Join}, args: []any{many(), none}, want: same(0)},
		{op: ir.Value{Op: ir.Times}, args: []any{single(row0), single(not0), same(0.5)}, want: one(0.25, 0.25, 0.24, 0)},
		{op: ir.Value{Op: ir.Times}, args: []any{same(0.5), many(row0, row1)}, want: many(vec(0.5, 0.5, 0.4, 0), vec(0.25, 0, 0, 0))},
		{op: ir.Value{Op: ir.Times}, args: []any{many(), same(0.5)}, want: many()},
		{op: ir.Value{Op: ir.Either}, args: []any{one(0.5, 0, 1, 0.25), one(0.5, 0.2, 0, 0), one(0.5, 0, 0.5, 0)}, want: one(0.875, 0.2, 1, 0.25)},
		{op: ir.Value{Op: ir.Dense}, args: []any{single(row0)}, want: []float32{1, 1, 0.8}},
		// The floors apart, the square roots of 0.09, 0.36 and 0.
		{op: ir.Value{Op: ir.Mixture}, args: []any{[]float32{0.1, 0.9, 0}, []float32{0.9, 0.4, 0}}, want: []float32{0.3, 0.6, 0}},
		{op: ir.Value{Op: ir.Mixture}, args: []any{[]float32{1e-30, 1e-30, 0}, []float32{0, 0, 3e-6}}, want: []float32{5e-28, 5e-28, 1e-9}},
		// √4 − 1 and √9 − 1 of the 10⁹ times that √(10⁻¹²·10⁻⁶) is in 1.
		{op: ir.Value{Op: ir.Mixture}, args: []any{[]float32{3e-12, 3e-12, 0}, []float32{0, 0, 8e-6}}, want: []float32{1e-9, 1e-9, 2e-9}},
		{op: ir.Value{Op: ir.Mixture}, args: []any{[]float32{3e-12, 3e-12, 8e-12}, []float32{0, 0, 0}}, want: []float32{1e-9, 1e-9, 2e-9}},
		{op: ir.Value{Op: ir.Mixture}, args: []any{[]float32{0, 0, 3e-12}, []float32{0, 3e-6, 0}}, want: []float32{0, 1e-9, 1e-9}},
		{op: ir.Value{Op: ir.Mixture}, args: []any{[]float32{0, 0, 0}, []float32{0, 0, 0}}, want: []float32{0, 0, 0}},
	} {
		d := c.settings
		if d.Candidates == 0 {
			d.Candidates = 1
		}
		if d.Threshold == 0 {
			d.Threshold = 0.3
		}
		d.Temperature, d.Negation, d.Leaf, d.Mixture = 2/math.Ln2, 0.5, 0.25, 0.5
		mc := &machine{
			model: m, settings: model.Settings{Degrees: d}, results: map[*ir.Value]any{},
			bindings: scq.Bindings{Constants: []graph.EntityID{0, 2}, Relations: []graph.RelationID{0, 1}, Filters: []*model.Selection{large}},
		}
		v := c.op
		seen[v.Op] = true
		for _, a := range c.args {
			arg := &ir.Value{}
			v.Args = append(v.Args, arg)
			mc.results[arg] = a
		}
		result, err := mc.eval(&v)
		if err != nil {
			t.Errorf("%s: %v", v.Op, err)
			continue
		}
		got, want := numbers(result), numbers(c.want)
		for i := range want {
			if len(got) != len(want) || !(math.Abs(got[i]-want[i]) <= 1e-6*math.Abs(want[i])) {
				t.Errorf("%s (backward %v, negated %v, K = %d) of %v is %v, want %v", v.Op, v.Backward, v.Negated, d.Candidates, c.args, result, c.want)
				break
			}
		}
	}
	for op := range degreeOps {
		if !seen[op] {
			t.Errorf("%s is not checked", op)
		}
	}
}

// TestManyBranches checks the bounds on values and on branches: the given number of values and 64 branches for
// each of the K best, but all values of a variable that is enumerated alone.
func TestManyBranches(t *testing.T) {
	const n = 100
	mc := wide(t, n)
	values := degreeOps[ir.Values](call{mc, &ir.Value{Index: 16}, []any{single(mc.constant(1))}}).(candidates)
	if len(values.ids) != 16 || values.predicted != 1 || values.ids[15] != 15 {
		t.Errorf("the values are %v, want the first 16, one with rows", values)
	}
	// The second of five branches has the largest weight, the others equal ones.
	parents := branches{weights: []float32{0.5, 1, 0.5, 0.5, 0.5}}
	b := mc.branch(single(mc.constant(1)), values, parents, nil)
	if len(b.weights) != 64 {
		t.Fatalf("%d branches, want 64", len(b.weights))
	}
	many := degreeOps[ir.Values](call{mc, &ir.Value{Index: 512}, []any{single(mc.constant(1))}}).(candidates)
	if b := mc.branch(single(mc.constant(1)), many, branches{weights: []float32{1}}, nil); len(b.weights) != n {
		t.Errorf("%d branches of a variable alone, want one for each of %d values", len(b.weights), n)
	}
	for i, want := range []int{1, 0, 2, 3} {
		for j := range 16 {
			if b.parents[16*i+j] != want || b.value[16*i+j] != j {
				t.Fatalf("branch %d has value %d of parent %d, want %d of %d", 16*i+j, b.value[16*i+j], b.parents[16*i+j], j, want)
			}
		}
	}
	mc.settings.Degrees.Candidates = n
	if b := mc.branch(single(mc.constant(1)), values, parents, nil); len(b.weights) != 80 {
		t.Errorf("%d branches of the exact method, want all 80", len(b.weights))
	}
}

// wide returns a machine with K = 1 on a model of n entities without facts.
func wide(t *testing.T, n int) *machine {
	t.Helper()
	s := model.DefaultSettings()
	s.Degrees.Candidates, s.Degrees.Negation, s.Degrees.Temperature = 1, 1, 1
	m := modeltest.New(t, modeltest.Spec{Manifest: model.Manifest{Settings: s}, Entities: n, Relations: 1})
	return &machine{model: m, settings: s}
}
