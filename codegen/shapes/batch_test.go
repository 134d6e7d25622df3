package shapes

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// randomBindings fills a plan's slots with entities and relations of the model.
func randomBindings(rng *rand.Rand, m *query.Model, p *query.Plan) scq.Bindings {
	var b scq.Bindings
	for range p.Constants {
		b.Constants = append(b.Constants, model.EntityID(rng.IntN(m.NumEntities())))
	}
	for range p.Relations {
		b.Relations = append(b.Relations, model.RelationID(rng.IntN(m.NumRelations())))
	}
	return b
}

// TestAnswerBatch checks that a batch gives what its queries give one by one,
// whatever its size, and to the bit the same when it is asked again.
func TestAnswerBatch(t *testing.T) {
	m, err := plantest.NewModel(7, 300, 5, 12, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range ShapesPlans {
		q, err := query.New(m, p, query.Names{})
		require.NoError(t, err)
		for _, size := range []int{0, 1, 2, 7, 70} {
			var batch []scq.Bindings
			for range size {
				batch = append(batch, randomBindings(rng, m, p))
			}
			o := query.Options{K: 5, SetSize: 2}
			got, err := q.AnswerBatch(context.Background(), batch, o)
			if err != nil || len(got) != size {
				t.Fatalf("%s: %d answers of %d, error %v", p.Shape, len(got), size, err)
			}
			again, err := q.AnswerBatch(context.Background(), batch, o)
			if err != nil || !reflect.DeepEqual(got, again) {
				t.Errorf("%s: a batch of %d is answered in two ways, error %v", p.Shape, size, err)
			}
			for i, b := range batch {
				want, err := q.Answer(context.Background(), b, o)
				require.NoError(t, err)
				if !alike(got[i], want) {
					t.Errorf("%s: query %d of %d gives\n%+v in a batch, alone\n%+v", p.Shape, i, size, got[i], want)
				}
			}
		}
	}
}

// TestAnswerBatchCodes compares batches on a table of codes, which are made by products of
// integers where the machine has them, with queries one by one on the rows themselves: without a
// filter, and with one that wants more of an answer than its best entities.
func TestAnswerBatchCodes(t *testing.T) {
	wide, err := plantest.NewModel(9, 700, 5, 12, model.DefaultSettings())
	require.NoError(t, err)
	defer wide.Close()
	coded := withCodes(t, wide)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, p := range ShapesPlans {
		one, err := query.New(wide, p, query.Names{})
		require.NoError(t, err)
		many, err := query.New(coded, p, query.Names{})
		require.NoError(t, err)
		var batch []scq.Bindings
		for range 17 {
			batch = append(batch, randomBindings(rng, wide, p))
		}
		for _, o := range []query.Options{{K: 5}, {K: 100, Filter: query.Filter{Statuses: query.StatusesOf(query.Predicted)}}} {
			got, err := many.AnswerBatch(context.Background(), batch, o)
			require.NoError(t, err)
			for i, b := range batch {
				want, err := one.Answer(context.Background(), b, o)
				require.NoError(t, err)
				if len(got[i].Answers) != len(want.Answers) {
					t.Fatalf("%s: query %d has %d answers in a batch, %d alone", p.Shape, i, len(got[i].Answers), len(want.Answers))
				}
				for j, a := range want.Answers {
					if off := math.Abs(float64(got[i].Answers[j].Score)/float64(a.Score) - 1); !(off <= 0.002) {
						t.Errorf("%s: answer %d of query %d is %v in a batch, %v alone", p.Shape, j, i, got[i].Answers[j], a)
					}
				}
			}
		}
	}
}

// withCodes returns a model like m whose entity table has codes beside its rows.
func withCodes(t *testing.T, m *query.Model) *query.Model {
	t.Helper()
	p := m.Predictor
	var err error
	p.EntityTable, err = model.MakeTable(p.EntityTable.Float32s(), p.EntityTable.Width(), model.Int8, model.Float32)
	require.NoError(t, err)
	coded, err := model.New(m.Manifest, m.Graph, m.Heldout, p, m.Entities, m.Relations)
	require.NoError(t, err)
	t.Cleanup(func() { coded.Close() })
	return query.NewModel(coded)
}

// alike reports whether two results agree but for rounding: entities may have
// changed places only where their probabilities are near.
func alike(a, b *query.Answers) bool {
	for i := range b.Answers {
		x, y := a.Answers[i], b.Answers[i]
		if !near(float64(x.Score), float64(y.Score)) {
			return false
		}
	}
	for i := range b.Sets {
		for j := range b.Sets[i].Top {
			if !near(float64(a.Sets[i].Top[j].Score), float64(b.Sets[i].Top[j].Score)) {
				return false
			}
		}
	}
	return len(a.Answers) == len(b.Answers) && len(a.Sets) == len(b.Sets)
}

// TestAnswerBatchErrors checks that a query which fails neither hangs the others
// nor hides behind their cancellation.
func TestAnswerBatchErrors(t *testing.T) {
	m, err := plantest.NewModel(8, 50, 3, 4, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	q, err := query.New(m, ShapesPlans[5], query.Names{Query: "PI"})
	require.NoError(t, err)
	var batch []scq.Bindings
	for range 100 {
		batch = append(batch, randomBindings(rng, m, q.Plan()))
	}
	batch[40].Constants[0] = 50
	_, err = q.AnswerBatch(context.Background(), batch, query.Options{})
	if err == nil || !strings.Contains(err.Error(), "query 40 of the batch") || !strings.Contains(err.Error(), "entity 50") {
		t.Errorf("error is %v, want one about entity 50 of query 40", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	batch[40].Constants[0] = 0
	if _, err = q.AnswerBatch(ctx, batch, query.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
	if _, err := q.AnswerBatch(context.Background(), batch, query.Options{K: -1}); err == nil || !strings.Contains(err.Error(), "option K") {
		t.Errorf("error is %v, want one about option K", err)
	}
}
