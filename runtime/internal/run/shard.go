package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/internal/collective"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/exchange"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// A split model is answered by ranks that each hold a shard of its entity table. Rank 0 also has the head and
// receives the questions: it sends each batch to the others, as the text of its shape with the values of the slots.
// All run the distributed plan of the shape on their own rows (plan/reduce.go), in step, and rank 0 collects the
// results. Batches run one after the other.

// Serve answers the questions that rank 0 receives, until its model is closed.
func (s *Shard) Serve(ctx context.Context) error {
	for {
		message, err := s.part.Wait()
		if err != nil || len(message) == 0 {
			return err
		}
		var q question
		if err := json.Unmarshal(message, &q); err != nil {
			s.part.Abort(fmt.Errorf("rank %d: %w", s.part.Rank(), err))
			return err
		}
		if _, err := s.answer(ctx, &q); err != nil && s.part.Broken() != nil {
			return err
		}
	}
}

// Shard is a rank's part of a split model.
type Shard struct {
	model     plan.Host
	part      *exchange.Shard
	plans     plan.Plans
	executors map[planKey]plan.Executor
}

// planKey names a plan.
type planKey struct {
	shape     string
	semantics model.Semantics
	layers    int
}

// mostExecutors bounds the plans that a rank keeps.
const mostExecutors = 1024

// NewShard prepares a shard, on all ranks at once, which must hold the shards of one model.
func NewShard(m *model.Model, t collective.Transport, plans plan.Plans) (*Shard, error) {
	if of := m.Manifest.Shard.Of; t.Size() != of || t.Rank() != m.Manifest.Shard.Index {
		return nil, fmt.Errorf("rank %d of %d has %s: start as many ranks as the model has shards", t.Rank(), t.Size(), m.Manifest.Shard)
	}
	p := exchange.New(m, collective.NewGroup(t))
	s := &Shard{model: plan.Host{Model: m, Shared: plan.NewShared(m, p)}, part: p, plans: plans, executors: map[planKey]plan.Executor{}}
	split := sha256.Sum256(fmt.Append(nil, m.Manifest.Shard.Split, m.Manifest.Shard.Pushed))
	all := collective.Gather(s.part.Group, split[:])
	if all == nil {
		return nil, s.part.Err()
	}
	for i := range t.Size() {
		if !slices.Equal(all[i*len(split):(i+1)*len(split)], all[:len(split)]) {
			return nil, fmt.Errorf("shard %d is of another model than shard 0, or was split another time: split the model again", i)
		}
	}
	return s, nil
}

// question is a batch of one shape that rank 0 sends to the others.
type question struct {
	Shape     string
	Disjuncts []scq.Disjunct // of the shape
	Semantics model.Semantics
	Layers    int
	Sets      []plan.PlanSet
	Batch     []scq.Bindings
	// Filters has the filters of each query of the batch. A rank applies them to its own entities.
	Filters  [][]model.Selector
	Settings model.Settings
	// K and SetSize are the numbers of entities of each answer and of each set, unless all are wanted.
	K, SetSize int
	Whole      bool
	// Links, if not nil, are the entities of the answer whose links are the only result.
	Links []graph.EntityID
}

// reply has the results of all ranks for one query of a batch: whole vectors on rank 0 only.
type reply struct {
	top.Ranking
	answer plan.Vector
	sets   []plan.Vector
	links  []plan.Link
}

// answer runs the plan of a question, with all ranks. A panic becomes an error.
func (s *Shard) answer(ctx context.Context, q *question) ([]reply, error) {
	s.part.Begin(ctx)
	var x plan.Executor
	err := pool.Caught(func() (err error) {
		x, err = s.executor(q)
		return cmp.Or(err, s.bind(q))
	})
	if err != nil {
		s.part.Fail(err)
	}
	replies := make([]reply, len(q.Batch))
	err = pool.Caught(func() error {
		if rows := s.constants(q); s.part.Err() == nil {
			return s.run(ctx, x, q, rows, replies)
		}
		return nil
	})
	if err != nil && s.part.Err() == nil { // the others continue without this rank
		s.part.Abort(fmt.Errorf("rank %d: %w", s.part.Rank(), err))
		return nil, err
	}
	return replies, s.part.End()
}

// fits reports a question that does not fit the slots of a plan.
func fits(p *plan.Plan, q *question) error {
	for _, b := range q.Batch {
		if len(b.Constants) != p.Constants || len(b.Relations) != p.Relations {
			return fmt.Errorf("shape %s takes %d entities and %d relations, got %d and %d",
				q.Shape, p.Constants, p.Relations, len(b.Constants), len(b.Relations))
		}
	}
	for _, filters := range q.Filters {
		if len(filters) != p.Filters {
			return fmt.Errorf("shape %s takes %d filters, got %d", q.Shape, p.Filters, len(filters))
		}
	}
	return nil
}

// bind applies the filters of a question to this rank's entities, and reports ids that the model lacks.
func (s *Shard) bind(q *question) error {
	if len(q.Filters) != len(q.Batch) {
		return fmt.Errorf("%d queries have the filters of %d", len(q.Batch), len(q.Filters))
	}
	n := s.part.Entities
	for i := range q.Batch {
		b := &q.Batch[i]
		b.Filters = nil
		for _, c := range q.Filters[i] {
			f, err := s.model.SelectPart(c)
			if err != nil {
				return fmt.Errorf("%s: %w", s.model.Manifest.Shard, err)
			}
			b.Filters = append(b.Filters, f)
		}
		for _, e := range b.Constants {
			if e < 0 || int(e) >= n {
				return fmt.Errorf("there is no entity %d: the model has %d", e, n)
			}
		}
		for _, r := range b.Relations {
			if r < 0 || int(r) >= s.model.NumRelations() {
				return fmt.Errorf("there is no relation %d: the model has %d", r, s.model.NumRelations())
			}
		}
	}
	return nil
}

// constants returns the rows of the constants of a question, consecutively, once all ranks have agreed to answer it.
func (s *Shard) constants(q *question) []float32 {
	var ids []int32
	for _, b := range q.Batch {
		for _, e := range b.Constants {
			ids = append(ids, int32(e))
		}
	}
	if len(ids) == 0 {
		s.part.Agree()
		return nil
	}
	table := &s.model.Predictor.EntityTable
	rows := make([]float32, len(ids)*table.Width())
	s.part.Embeddings(rows, ids, table)
	return rows
}

// run runs the plan for a batch, whose queries exchange together. It returns the first error of a query on this rank
// alone; it then aborts the next exchange, so that no rank waits.
func (s *Shard) run(ctx context.Context, x plan.Executor, q *question, rows []float32, replies []reply) error {
	each := len(rows) / len(q.Batch)
	var fault atomic.Pointer[error]
	driver := drive.New(s.model.Pool(), func(list []*collective.Exchange) {
		if err := fault.Load(); err != nil {
			s.part.Abort(fmt.Errorf("rank %d: %w", s.part.Rank(), *err))
		}
		s.part.Meet(list)
	})
	together := context.WithoutCancel(ctx) // cancelled only by agreement: see drive.State.BeginPart
	driver.Run(together, len(q.Batch), func(i int, d *drive.Run) error {
		err := pool.Caught(func() error {
			return x.RunPart(ctx, q.Batch[i], q.Settings, d, rows[i*each:], func(w *plan.Workspace) { collect(w, x.Plan, q, &replies[i]) })
		})
		if err != nil && s.part.Err() == nil {
			fault.CompareAndSwap(nil, &err)
		}
		return err
	})
	if err := fault.Load(); err != nil {
		return *err
	}
	return nil
}

// executor returns an executor that runs the plan of a question.
func (s *Shard) executor(q *question) (plan.Executor, error) {
	key := planKey{q.Shape, q.Semantics, q.Layers}
	if x, ok := s.executors[key]; ok {
		return x, fits(x.Plan, q)
	}
	p, err := s.plans(q.Disjuncts, q.Semantics, q.Layers)
	switch {
	case err != nil:
	case p.Shape != q.Shape || !slices.Equal(p.Sets, q.Sets):
		err = fmt.Errorf("shape %s has another plan here: start the same program on all ranks", q.Shape)
	}
	if err == nil && !p.Distributed {
		err = fmt.Errorf("internal error: shape %s has a plan for a whole model", q.Shape)
	}
	if err == nil {
		err = fits(p, q)
	}
	if err != nil {
		return plan.Executor{}, err
	}
	x := plan.NewExecutor(s.model, p)
	if len(s.executors) == mostExecutors {
		clear(s.executors)
	}
	s.executors[key] = x
	return x, nil
}

// collect gathers the results of the ranks in one exchange.
func collect(w *plan.Workspace, p *plan.Plan, q *question, r *reply) {
	switch {
	case len(q.Links) > 0:
		var err error
		r.links, err = w.Links(p, q.Links)
		if err != nil {
			w.Part.Fail(err)
		}
	case q.Whole:
		r.answer, r.sets = w.Whole()
	default:
		r.Ranking = w.Best(q.K, q.SetSize)
	}
}
