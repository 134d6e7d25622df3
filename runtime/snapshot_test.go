package runtime

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// tailsPlan returns a plan that answers with the observed tails of its constant, which it reads twice.
func tailsPlan() *plan.Plan {
	p := planOf(func(*plan.Workspace) {})
	p.Constants, p.Relations, p.Sets, p.Vectors = 1, 1, nil, 2
	p.Run = func(w *plan.Workspace) error {
		x := w.Neighbors(0, w.Constant(0), w.Relation(0), graph.Forward)
		again := w.Neighbors(1, w.Constant(0), w.Relation(0), graph.Forward)
		if !slices.Equal(w.Vector(x), w.Vector(again)) {
			return errors.New("the second reading is of other facts")
		}
		w.SetAnswer(x)
		return w.Err()
	}
	return p
}

// newBound binds a plan whose constant is an entity.
func newBound(m *Model, p *plan.Plan, e graph.EntityID) (*Question, error) {
	return m.Bind(&plan.Spec{
		Variables: []string{"y"}, IDs: &plan.IDs{Entities: []graph.EntityID{e}, Relations: []graph.RelationID{0}},
		Parts: []plan.Part{{Plan: p, Constants: []plan.Slot{{}}, Relations: []plan.Slot{{}}}},
	})
}

// TestChangeUnderLoad changes the facts of one entity, and adds others, while queries are
// answered: alone, in batches and in groups. Each sees all facts of a change or none: an even number of them.
func TestChangeUnderLoad(t *testing.T) {
	m := randomModel(t, rand.New(rand.NewPCG(3, 9)), 60, 4, table.Float32)
	var first []graph.Triple
	for _, x := range m.bundle.Graph.Tails(1, 0) {
		first = append(first, graph.Triple{Head: 1, Tail: graph.EntityID(x)})
	}
	if _, err := m.Change(model.Change{Remove: first}); err != nil {
		t.Fatal(err)
	}
	q, err := newBound(m, tailsPlan(), 1)
	require.NoError(t, err)
	done := make(chan struct{})
	var wg sync.WaitGroup
	whole := func(r *Reply, err error) {
		known := 0
		if err == nil {
			for _, a := range r.Rows {
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
	group := m.NewGroup()
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
					whole(q.Ask(t.Context(), nil, o))
				case 2:
					results, err := q.AskAll(t.Context(), []Args{nil, nil, nil}, o)
					if err != nil {
						t.Error(err)
						return
					}
					for _, r := range results {
						whole(r, nil)
					}
				default:
					group.Enter(1)
					whole(q.answerIn(t.Context(), group, nil, o))
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	row := make([]float32, m.bundle.Predictor.EntityTable.Width())
	for i := range 300 {
		if i%10 == 5 {
			err := m.Update(func(now *model.Model) (*model.Model, error) {
				return now.Grown([]string{strconv.Itoa(now.NumEntities())}, row)
			})
			if err != nil {
				t.Error(err)
				break
			}
		}
		e := graph.EntityID(2 * rng.IntN(m.Now().NumEntities()/2))
		pair := []graph.Triple{{Head: 1, Tail: e}, {Head: 1, Tail: e + 1}}
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
	m := randomModel(t, rand.New(rand.NewPCG(3, 9)), 20, 4, table.Float32)
	q := newQuestion(t, m, planOf(func(*plan.Workspace) {}), "q")
	part := q.parts[0]
	before := part.at(m.Now())
	if before.at(m.Now()) != before || part.at(m.Now()) != before || before.model != m.Now() {
		t.Error("a snapshot of the same facts is another one")
	}
	fact := graph.Triple{Head: 3, Tail: 4}
	add := model.Change{Add: []graph.Triple{fact}}
	if m.bundle.Graph.Has(3, 0, 4) {
		add = model.Change{Remove: []graph.Triple{fact}}
	}
	if _, err := m.Change(add); err != nil {
		t.Fatal(err)
	}
	had := before.model
	if m.Now() == had || had.Bundle().Graph.Has(3, 0, 4) == m.Bundle().Graph.Has(3, 0, 4) || before.model != had || part.at(m.Now()).model != m.Now() {
		t.Error("a snapshot has changed, or the query has not followed")
	}
	now, refused := m.Now(), errors.New("refused")
	if err := m.Update(func(at *model.Model) (*model.Model, error) { return nil, refused }); err != refused || m.Now() != now {
		t.Errorf("error %v", err)
	}
	if _, err := m.Change(model.Change{Add: []graph.Triple{{Head: 99}}}); err == nil || m.Now() != now {
		t.Errorf("a fact of an unknown entity was added: %v", err)
	}
	m.Close()
	if _, err := m.Change(add); !errors.Is(err, model.ErrClosed) {
		t.Errorf("a closed model was changed: %v", err)
	}
}

// TestGrownInGroup answers questions together, and adds entities when some of them have begun: each
// question has the scores of its own snapshot.
func TestGrownInGroup(t *testing.T) {
	for _, table := range []table.Type{table.Float32, table.Int8} {
		m := randomModel(t, rand.New(rand.NewPCG(6, 1)), 60, 4, table)
		p := walk(3)
		q := newQuestion(t, m.Now(), p, "walk")
		questions := []*Question{q}
		for i := range 2 {
			row := make([]float32, 2*8*(i+1))
			for k := range row {
				row[k] = float32(k%5) / 9
			}
			err := m.Update(func(now *model.Model) (*model.Model, error) {
				n, width := now.NumEntities(), now.Predictor.EntityTable.Width()
				return now.Grown([]string{strconv.Itoa(n)}, slices.Repeat(row, width)[:width])
			})
			require.NoError(t, err)
			on := newQuestion(t, m.Now(), p, "walk")
			questions = append(questions, on, on)
		}
		group := m.NewGroup()
		group.Enter(len(questions))
		var wg sync.WaitGroup
		for i, asked := range questions {
			wg.Go(func() {
				on := asked.Model()
				e := graph.EntityID(7 * i)
				r, err := asked.answerIn(t.Context(), group, argsOf(e), Options{K: on.NumEntities(), NoStatus: true})
				if err != nil {
					t.Error(err)
					return
				}
				want := walked(on, e, 3)
				if len(r.Rows) != len(want) {
					t.Errorf("%d answers, want %d", len(r.Rows), len(want))
				}
				for _, a := range r.Rows {
					if w := want[a.Values[0].ID]; math.Abs(float64(a.Score)-w) > 0.02*w {
						t.Errorf("%s, query %d, entity %d: %v, want %v", table, i, a.Values[0].ID, a.Score, w)
					}
				}
			})
		}
		wg.Wait()
	}
}

// TestAskingSnapshot has a question refuse an entity that was added after the facts it is asked on.
func TestAskingSnapshot(t *testing.T) {
	m := randomModel(t, rand.New(rand.NewPCG(4, 9)), 20, 4, table.Float32)
	p := planOf(func(*plan.Workspace) {})
	q, err := m.Bind(&plan.Spec{
		Variables: []string{"y"}, Params: []plan.Param{{Name: "a", Kind: plan.EntityParam}, {Name: "r", Kind: plan.RelationParam}},
		Parts: []plan.Part{{Plan: p, Constants: []plan.Slot{{From: plan.FromParam}}, Relations: []plan.Slot{{From: plan.FromParam, Index: 1}}}},
	})
	require.NoError(t, err)
	before := m.Now()
	row := make([]float32, m.bundle.Predictor.EntityTable.Width())
	require.NoError(t, m.Update(func(now *model.Model) (*model.Model, error) { return now.Grown([]string{"new"}, row) }))

	a := q.Spec().Args(20, 0)
	require.NoError(t, q.CheckArgs(a))
	_, err = q.asking(m.Now(), a)
	require.NoError(t, err)
	var refused *ParamError
	if _, err := q.asking(before, a); !errors.As(err, &refused) || refused.Param != "a" {
		t.Errorf("the error on earlier facts is %v", err)
	}
}

// TestLookupFollows has an opened model look up an entity that was added since, as questions bound to it take it,
// which a snapshot from before does not.
func TestLookupFollows(t *testing.T) {
	m := randomModel(t, rand.New(rand.NewPCG(4, 9)), 20, 4, table.Float32)
	before := m.Now()
	row := make([]float32, m.Bundle().Predictor.EntityTable.Width())
	require.NoError(t, m.Update(func(now *model.Model) (*model.Model, error) { return now.Grown([]string{"new"}, row) }))

	e, err := m.Entity("new")
	require.NoError(t, err)
	if e.ID() != 20 || m.NumEntities() != 21 || m.EntityName(20) != "new" || m.EntityLabel(20) != "new" || m.Named(20).Name != "new" {
		t.Errorf("the model has entity %d of %d, named %q", e.ID(), m.NumEntities(), m.EntityName(20))
	}
	if _, err := before.Entity("new"); err == nil || before.NumEntities() != 20 {
		t.Error("a snapshot has grown")
	}
}
