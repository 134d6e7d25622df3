package query

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// boundPlan returns a plan that keeps the observed tails of its constant when it is bound,
// and answers with them and those that it sees as it runs: twice the same.
func boundPlan() *Plan {
	p := planOf(func(*Workspace) {})
	p.Constants, p.Relations, p.Sets, p.KeptVectors, p.Vectors = 1, 1, nil, 1, 1
	p.Bind = func(w *Workspace) error {
		w.KeepVector(0, w.Neighbors(w.Vector(0), w.Constant(0), w.Relation(0), model.Forward))
		return nil
	}
	p.Run = func(w *Workspace) error {
		x := w.Neighbors(w.Vector(0), w.Constant(0), w.Relation(0), model.Forward)
		if !slices.Equal(x, w.KeptVector(0)) {
			return errors.New("what was kept is of other facts")
		}
		w.SetAnswer(x)
		return w.Err()
	}
	return p
}

// TestChangeUnderLoad changes the facts of one entity while queries are answered: alone, in
// batches and in groups. Each sees all facts of a change or none: an even number of them.
func TestChangeUnderLoad(t *testing.T) {
	m := randomModel(t, rand.New(rand.NewPCG(3, 9)), 60, 4, model.Float32)
	b := scq.Bindings{Constants: []model.EntityID{1}, Relations: []model.RelationID{0}}
	var first []model.Triple
	for _, x := range m.Graph.Tails(1, 0) {
		first = append(first, model.Triple{Head: 1, Tail: model.EntityID(x)})
	}
	if _, err := m.Change(model.Change{Remove: first}); err != nil {
		t.Fatal(err)
	}
	q, err := NewBound(m, boundPlan(), Names{}, b)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	whole := func(r *Answers, err error) {
		known := 0
		if err == nil {
			for _, a := range r.Answers {
				if a.Score > 0 {
					known++
				}
			}
		}
		if err != nil || known%2 != 0 {
			t.Errorf("%d answers, want an even number; error %v", known, err)
		}
	}
	o := Options{K: m.NumEntities(), NoStatus: true}
	group := NewGroup(m)
	for i := range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				switch i {
				case 0, 1:
					whole(q.Answer(t.Context(), b, o))
				case 2:
					results, err := q.AnswerBatch(t.Context(), []scq.Bindings{b, b, b}, o)
					if err != nil {
						t.Error(err)
						return
					}
					for _, r := range results {
						whole(r, nil)
					}
				default:
					group.Enter(1)
					whole(group.Answer(t.Context(), Question{q, b}, o))
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		e := model.EntityID(2 * rng.IntN(30))
		pair := []model.Triple{{Head: 1, Tail: e}, {Head: 1, Tail: e + 1}}
		c := model.Change{Add: pair}
		if rng.IntN(2) == 0 {
			c = model.Change{Remove: pair}
		}
		if _, err := m.Change(c); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	wg.Wait()
}

// TestSnapshot checks what a snapshot holds, and that an update that fails changes nothing.
func TestSnapshot(t *testing.T) {
	m := randomModel(t, rand.New(rand.NewPCG(3, 9)), 20, 4, model.Float32)
	q := newQuery(t, m, planOf(func(*Workspace) {}), "q")
	before := q.Snapshot()
	if before.Snapshot() != before || q.Snapshot() != before || m.Now() != m {
		t.Error("a snapshot of the same facts is another one")
	}
	fact := model.Triple{Head: 3, Tail: 4}
	add := model.Change{Add: []model.Triple{fact}}
	if m.Graph.Has(3, 0, 4) {
		add = model.Change{Remove: []model.Triple{fact}}
	}
	if _, err := m.Change(add); err != nil {
		t.Fatal(err)
	}
	if m.Now() == m || m.Graph.Has(3, 0, 4) == m.Now().Graph.Has(3, 0, 4) || before.Model() != m || q.Snapshot().Model() != m.Now() {
		t.Error("a snapshot has changed, or the query has not followed")
	}
	now, refused := m.Now(), errors.New("refused")
	if err := m.Update(func(at *model.Model) (*model.Model, error) { return nil, refused }); err != refused || m.Now() != now {
		t.Errorf("error %v", err)
	}
	if _, err := m.Change(model.Change{Add: []model.Triple{{Head: 99}}}); err == nil || m.Now() != now {
		t.Errorf("a fact of an unknown entity was added: %v", err)
	}
	m.Close()
	if _, err := m.Change(add); !errors.Is(err, model.ErrClosed) {
		t.Errorf("a closed model was changed: %v", err)
	}
}
