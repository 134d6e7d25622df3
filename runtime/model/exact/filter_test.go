package exact_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestFilterBudget bounds the work for a filter on an attribute with many values: few candidates are looked at one
// by one, and all values once.
func TestFilterBudget(t *testing.T) {
	const n = 20_000
	var facts []graph.Triple
	var sizes []values.Fact
	var want []int32
	for e := range graph.EntityID(n) {
		facts = append(facts, graph.Triple{Head: e, Tail: (e + 1) % n})
		sizes = append(sizes, values.Fact{EntityValue: values.EntityValue{Entity: e, Number: float64(e % 10)}, Attribute: "size", Kind: values.NumberKind})
		if e%10 > 6 {
			want = append(want, int32(e))
		}
	}
	whole := modeltest.New(t, modeltest.Spec{Entities: n, Relations: 1, Facts: facts})
	defer whole.Close()
	m, _, err := whole.With(model.Change{AddValues: sizes})
	require.NoError(t, err)
	large, err := m.Select(model.Condition{Attribute: "size", Comparisons: []model.Comparison{{Operator: ">", Value: "6"}}})
	require.NoError(t, err)
	b := scq.Bindings{Relations: []graph.RelationID{0}, Filters: []*model.Selection{large}}
	next := scq.Disjunct{Variables: []string{"y", "x"}, Atoms: []scq.Atom{{Head: scq.Var(0), Tail: scq.Var(1)}}, Filters: []scq.Filter{{Variable: 1}}}
	alone := scq.Disjunct{Variables: []string{"y"}, Filters: []scq.Filter{{}}}

	s := exact.Solver{Budget: 100}
	for y := range int32(50) {
		found, err := s.Among(exact.Facts{m.Graph}, []scq.Disjunct{next}, b, []int32{y})
		if err != nil || (len(found) > 0) != ((y+1)%10 > 6) {
			t.Errorf("%d has the answers %v, error %v", y, found, err)
		}
	}
	s.Budget = 1000
	if _, err := s.Answers(m.Graph, []scq.Disjunct{alone}, b); !errors.Is(err, exact.ErrBudget) {
		t.Errorf("%d values with a budget of 1000: error %v", n, err)
	}
	for _, budget := range []int{3 * n, 2 * n} { // the second time, the values are not looked at
		s.Reset(t.Context(), budget)
		found, err := s.Answers(m.Graph, []scq.Disjunct{alone}, b)
		if err != nil || !slices.Equal(found, want) {
			t.Errorf("%d answers, want %d; error %v", len(found), len(want), err)
		}
	}
	if s.Spent() >= n {
		t.Errorf("a list that is there has cost %d", s.Spent())
	}
}
