package cugen_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/require"
)

// compareGenerated compares the answers of generated plans on a device and on the CPU: a chain and a union, one
// query at a time and in a batch.
func compareGenerated(t *testing.T, host, onDevice *runtime.Model) {
	t.Helper()
	for name, batch := range map[string][]runtime.Args{
		"2p": {bindings([]graph.EntityID{3}, 0, 2), bindings([]graph.EntityID{7}, 1, 4)},
		"2u": {bindings([]graph.EntityID{3, 5}, 0, 2), bindings([]graph.EntityID{7, 1}, 1, 4)},
	} {
		q, err := benchmark.Query(name)
		require.NoError(t, err)
		shape := stages.Analyze(q).Shape()
		made := shapes.ShapesPlans[slices.IndexFunc(shapes.ShapesPlans, func(p *plan.Plan) bool { return p.Shape == shape.Key })]
		for _, o := range []runtime.Options{{K: 5}, {K: 3, Offset: 2}, {K: 4, Filter: runtime.AnswerFilter{Statuses: runtime.Predicted}}} {
			sameUnder(t, name, host, onDevice, made, batch, o)
		}
	}
}

func bindings(constants []graph.EntityID, relations ...graph.RelationID) runtime.Args {
	return byslot.Args(scq.Bindings{Constants: constants, Relations: relations})
}

func sameUnder(t *testing.T, name string, host, onDevice *runtime.Model, p *plan.Plan, batch []runtime.Args, o runtime.Options) {
	t.Helper()
	var results [2][]*runtime.Reply
	for i, m := range []*runtime.Model{host, onDevice} {
		q, err := m.Bind(byslot.Spec("", p, nil))
		require.NoError(t, err)
		results[i], err = q.AskAll(context.Background(), batch, o)
		require.NoError(t, err)
		alone, err := q.Ask(context.Background(), batch[0], o)
		require.NoError(t, err)
		results[i] = append(results[i], alone)
	}
	for i, want := range results[0] {
		if len(results[1][i].Rows) != len(want.Rows) {
			t.Fatalf("%s: %d answers on the device, want %d", name, len(results[1][i].Rows), len(want.Rows))
		}
		for j, a := range want.Rows {
			b := results[1][i].Rows[j]
			if a.Values[0].ID != b.Values[0].ID || a.Status != b.Status {
				t.Errorf("%s, answer %d is %+v on the device, want %+v", name, j, b, a)
			}
			if math.Abs(float64(b.Score)-float64(a.Score)) > 1e-4*float64(a.Score)+1e-9 {
				t.Errorf("%s, answer %d has %g on the device, want %g", name, j, b.Score, a.Score)
			}
		}
	}
}
