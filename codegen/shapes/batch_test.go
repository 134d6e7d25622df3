package shapes

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// randomArgs fills a plan's slots with random entities and relations: see byslot.Spec.
func randomArgs(rng *rand.Rand, m *runtime.Model, p *plan.Plan) runtime.Args {
	var b scq.Bindings
	for range p.Constants {
		b.Constants = append(b.Constants, graph.EntityID(rng.IntN(m.NumEntities())))
	}
	for range p.Relations {
		b.Relations = append(b.Relations, graph.RelationID(rng.IntN(m.NumRelations())))
	}
	return byslot.Args(b)
}

// TestAnswerBatchErrors checks that a failing query does not block the others, and that its error is not masked
// by their cancellation.
func TestAnswerBatchErrors(t *testing.T) {
	m, err := plantest.NewModel(8, 50, 3, 4, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	q, err := m.Bind(byslot.Spec("PI", ShapesPlans[5], nil))
	require.NoError(t, err)
	var batch []runtime.Args
	for range 100 {
		batch = append(batch, randomArgs(rng, m, ShapesPlans[5]))
	}
	batch[40][0].ID = 50
	_, err = q.AskAll(context.Background(), batch, runtime.Options{})
	if err == nil || !strings.Contains(err.Error(), "query 40 of the batch") || !strings.Contains(err.Error(), "entity 50") {
		t.Errorf("error is %v, want one about entity 50 of query 40", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	batch[40][0].ID = 0
	if _, err = q.AskAll(ctx, batch, runtime.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
	if got, err := q.AskAll(context.Background(), nil, runtime.Options{}); err != nil || len(got) != 0 {
		t.Errorf("a batch of no query has %d answers, error %v", len(got), err)
	}
	if _, err := q.AskAll(context.Background(), batch, runtime.Options{K: -1}); err == nil || !strings.Contains(err.Error(), "option K") {
		t.Errorf("error is %v, want one about option K", err)
	}
}
