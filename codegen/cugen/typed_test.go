package cugen_test

import (
	"context"
	"math"
	"testing"

	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// compareTyped compares what generated types answer on a device and on the processor: a chain
// and a union, one query at a time and in a batch.
func compareTyped(t *testing.T, host, onDevice *query.Model) {
	t.Helper()
	e, r := model.EntityOf, model.RelationOf
	same(t, host, onDevice, shapes.NewP2, []shapes.P2Params{{S1: e(3), R1: r(0), R2: r(2)}, {S1: e(7), R1: r(1), R2: r(4)}})
	same(t, host, onDevice, shapes.NewU2, []shapes.U2Params{{S1: e(3), S2: e(5), R1: r(0), R2: r(2)}, {S1: e(7), S2: e(1), R1: r(1), R2: r(4)}})
}

// template is a generated type with the parameters P.
type template[P any] interface {
	Answer(ctx context.Context, p P, o query.Options) (*query.Answers, error)
	AnswerBatch(ctx context.Context, batch []P, o query.Options) ([]*query.Answers, error)
}

func same[P any, Q template[P]](t *testing.T, host, onDevice *query.Model, bind func(*query.Model) (Q, error), batch []P) {
	t.Helper()
	for _, o := range []query.Options{{K: 5}, {K: 3, Offset: 2}, {K: 4, Filter: query.Filter{Statuses: query.StatusesOf(query.Predicted)}}} {
		sameUnder(t, host, onDevice, bind, batch, o)
	}
}

func sameUnder[P any, Q template[P]](t *testing.T, host, onDevice *query.Model, bind func(*query.Model) (Q, error), batch []P, o query.Options) {
	t.Helper()
	var results [2][]*query.Answers
	for i, m := range []*query.Model{host, onDevice} {
		q, err := bind(m)
		if err != nil {
			t.Fatal(err)
		}
		if results[i], err = q.AnswerBatch(context.Background(), batch, o); err != nil {
			t.Fatal(err)
		}
		alone, err := q.Answer(context.Background(), batch[0], o)
		if err != nil {
			t.Fatal(err)
		}
		results[i] = append(results[i], alone)
	}
	for i, want := range results[0] {
		if len(results[1][i].Answers) != len(want.Answers) {
			t.Fatalf("%T: %d answers on the device, want %d", batch[0], len(results[1][i].Answers), len(want.Answers))
		}
		for j, a := range want.Answers {
			b := results[1][i].Answers[j]
			if a.Entity != b.Entity || a.Status != b.Status {
				t.Errorf("%T, answer %d is %+v on the device, want %+v", batch[0], j, b, a)
			}
			if math.Abs(float64(b.Score)-float64(a.Score)) > 1e-4*float64(a.Score)+1e-9 {
				t.Errorf("%T, answer %d has %g on the device, want %g", batch[0], j, b.Score, a.Score)
			}
		}
	}
}
