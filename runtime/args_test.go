package runtime

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// bindParams binds a question that has some parameters, and uses none.
func bindParams(t *testing.T, m *Model, params ...plan.Param) *Question {
	t.Helper()
	q, err := m.Bind(&plan.Spec{
		Variables: []string{"y"}, Params: params, IDs: &plan.IDs{Entities: []graph.EntityID{0}, Relations: []graph.RelationID{0}},
		Parts: []plan.Part{{Plan: planOf(func(*plan.Workspace) {}), Constants: []plan.Slot{{}}, Relations: []plan.Slot{{}}}},
	})
	require.NoError(t, err)
	return q
}

// TestArgs gives parameters of random kinds values of random kinds: they are taken if and only if the kinds agree,
// and the error names the first parameter where they do not.
func TestArgs(t *testing.T) {
	m := randomModel(t, rand.New(rand.NewPCG(seed.Of(t), 11)), 20, 4, table.Float32)
	day, err := ParseDate("1950-01-31")
	require.NoError(t, err)
	values := map[kind.Param]plan.Arg{
		0:           {},
		kind.Entity: plan.Entity(graph.EntityOf(3)), kind.Relation: plan.Relation(graph.RelationOf(1)),
		kind.Number: plan.Number(5), kind.Date: plan.Date(day),
	}
	seed.Check(t, func(t2 *rapid.T) {
		kinds := []kind.Param{kind.Entity, kind.Relation, kind.Number, kind.Date}
		want := rapid.SliceOfN(rapid.SampledFrom(kinds), 0, 3).Draw(t2, "parameters")
		got := slices.Clone(want)
		for i := range got {
			if rapid.Bool().Draw(t2, "another") {
				got[i] = rapid.SampledFrom(append(kinds, 0)).Draw(t2, "value")
			}
		}

		var params []plan.Param
		var args Args
		wrong := ""
		for i, k := range want {
			params = append(params, plan.Param{Name: "p" + strconv.Itoa(i), Kind: k})
			args = append(args, values[got[i]])
			if got[i] != k && wrong == "" {
				wrong = params[i].Name
			}
		}
		err := bindParams(t, m, params...).CheckArgs(args)
		refused, _ := errors.AsType[*ParamError](err)
		if (err == nil) != (wrong == "") || wrong != "" && (refused == nil || refused.Param != wrong) {
			t2.Errorf("parameters %v take values %v: %v, want an error for %q", want, got, err, wrong)
		}
	})
}

// TestArgsErrors gives parameters values of their kind that they cannot have, and the largest that they can.
func TestArgsErrors(t *testing.T) {
	m := randomModel(t, rand.New(rand.NewPCG(4, 9)), 20, 4, table.Float32)
	inf := math.Inf(1)
	for _, c := range []struct {
		kind kind.Param
		arg  plan.Arg
		want string
	}{
		{kind.Number, plan.Number(1e308), ""},
		{kind.Number, plan.Number(-math.MaxFloat64), ""},
		{kind.Number, plan.Number(inf), "parameter p: +Inf is neither a number nor a date"},
		{kind.Number, plan.Number(math.NaN()), "parameter p: NaN is neither a number nor a date"},
		{kind.Number, plan.Arg{Kind: kind.Number, Span: values.Span{First: 100, Last: 1}}, "parameter p: the span from 100 to 1 is empty"},
		{kind.Number, plan.Arg{Kind: kind.Number, Span: values.Span{First: 1, Last: inf}}, "parameter p: +Inf is neither a number nor a date"},
		{kind.Date, plan.Date(Date{}), "parameter p: it is not set: want a date, which ParseDate reads"},
		{kind.Entity, plan.Entity(Entity{}), "parameter p: it is not set: want an entity, which Model.Entity finds by its name"},
		{kind.Entity, plan.Entity(graph.EntityOf(20)), "parameter p: entity 20 is not in the model: it has 20 entities"},
		{kind.Entity, plan.Number(5), "parameter p: want an entity, not a number"},
		{kind.Relation, plan.Relation(Relation{}), "parameter p: it is not set: want a relation, which Model.Relation finds by its name"},
		{kind.Relation, plan.Relation(graph.RelationOf(3)), ""},
		{kind.Relation, plan.Relation(graph.RelationOf(4)), "parameter p: relation 4 is not in the model: it has 4 relations with inverses"},
	} {
		got := ""
		if err := bindParams(t, m, plan.Param{Name: "p", Kind: c.kind}).CheckArgs(Args{c.arg}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v for a parameter of kind %s gives error %q, want %q", c.arg, c.kind, got, c.want)
		}
	}
}
