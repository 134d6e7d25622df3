package query

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/collective"
	"github.com/efoc/efoc/runtime/internal/part"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// A split model is answered by ranks that hold a shard of its entity table each. Rank 0 has
// the head too, and is asked: it sends each question to the others, as the text of its shape
// with what fills the slots, all run the plan of that shape on their own rows (parted.go),
// and rank 0 collects what they found. Questions are answered one after the other.

// Plans returns the plan of a shape, the same on all ranks.
type Plans func(shape string, s model.Semantics, layers int) (*Plan, error)

// Sharded returns a model of which rank 0 is asked, by its head and its own shard, and all
// other ranks are in ServeShard. Close ends those.
func Sharded(head, shard *model.Model, t collective.Transport, plans Plans) (*Model, error) {
	if err := head.Manifest.Shard.Fits(shard.Manifest.Shard, shard.Manifest.Shard.String()); err != nil {
		return nil, err
	}
	own, err := newShard(shard, t, plans)
	if err != nil {
		return nil, err
	}
	m := NewModel(head)
	m.shards = &shards{own: own, turn: make(chan struct{}, 1)}
	return m, nil
}

// ServeShard works on the questions that rank 0 is asked, until its model is closed.
func ServeShard(ctx context.Context, m *model.Model, t collective.Transport, plans Plans) error {
	s, err := newShard(m, t, plans)
	if err != nil {
		return err
	}
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

// shard is what a rank has.
type shard struct {
	model     *Model
	part      *part.Part
	plans     Plans
	executors map[planKey]executor
}

// planKey names a plan.
type planKey struct {
	shape     string
	semantics model.Semantics
	layers    int
}

// mostExecutors bounds the plans that a rank keeps.
const mostExecutors = 1024

// newShard makes a shard ready, on all ranks at a time, which must hold those of one model.
func newShard(m *model.Model, t collective.Transport, plans Plans) (*shard, error) {
	if of := m.Manifest.Shard.Of; t.Size() != of || t.Rank() != m.Manifest.Shard.Index {
		return nil, fmt.Errorf("rank %d of %d has %s: start as many ranks as the model has shards", t.Rank(), t.Size(), m.Manifest.Shard)
	}
	s := &shard{model: NewModel(m), plans: plans, executors: map[planKey]executor{}}
	s.part = part.New(m, collective.NewGroup(t))
	s.model.part = s.part
	var split [96]byte
	copy(split[:], m.Manifest.Shard.Split)
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

// question is what rank 0 tells the others to answer.
type question struct {
	Shape     string
	Semantics model.Semantics
	Layers    int
	Sets      []PlanSet
	Bindings  scq.Bindings
	Settings  model.Settings
	// K and SetSize are how many entities are wanted of the answer and of each set, unless
	// all are.
	K, SetSize int
	Whole      bool
}

// reply is what all ranks have found: whole vectors on rank 0 alone.
type reply struct {
	found
	answer Vector
	sets   []Vector
}

// answer runs the plan of a question, with all ranks.
func (s *shard) answer(ctx context.Context, q *question) (*reply, error) {
	s.part.Begin(ctx)
	x, err := s.executor(q)
	if err != nil {
		s.part.Fail(err)
	}
	r := &reply{}
	if s.part.Agree() {
		err := caught(func() error {
			return x.run(ctx, q.Bindings, q.Settings, nil, 0, func(w *Workspace) error {
				s.collect(w, q, r)
				return nil
			})
		})
		if err != nil && s.part.Err() == nil { // the others go on without this rank
			s.part.Abort(fmt.Errorf("rank %d: %w", s.part.Rank(), err))
			return nil, err
		}
	}
	return r, s.part.Settle()
}

// executor returns what runs the plan of a question.
func (s *shard) executor(q *question) (executor, error) {
	key := planKey{q.Shape, q.Semantics, q.Layers}
	if x, ok := s.executors[key]; ok {
		return x, nil
	}
	p, err := s.plans(q.Shape, q.Semantics, q.Layers)
	switch {
	case err != nil:
	case p.Shape != q.Shape || !slices.Equal(p.Sets, q.Sets) || p.Bind != nil:
		err = fmt.Errorf("shape %s has another plan here: start the same program on all ranks", q.Shape)
	case len(q.Bindings.Constants) != p.Constants || len(q.Bindings.Relations) != p.Relations:
		err = fmt.Errorf("shape %s takes %d entities and %d relations, got %d and %d",
			q.Shape, p.Constants, p.Relations, len(q.Bindings.Constants), len(q.Bindings.Relations))
	}
	if err != nil {
		return executor{}, err
	}
	x, err := newExecutor(s.model, p)
	if err != nil {
		return x, err
	}
	if len(s.executors) == mostExecutors {
		clear(s.executors)
	}
	s.executors[key] = x
	return x, nil
}

// collect brings together what the ranks have found.
func (s *shard) collect(w *Workspace, q *question, r *reply) {
	r.left = w.evidence(q.Semantics)
	if q.Whole {
		r.answer = s.whole(w.answer)
		for _, set := range w.sets {
			r.sets = append(r.sets, s.whole(set))
		}
		return
	}
	r.Answer = s.best(w.answer, q.K)
	if q.SetSize > 0 {
		for _, set := range w.sets {
			r.Sets = append(r.Sets, s.best(set, q.SetSize))
		}
	}
}

// whole returns a vector of all entities, on rank 0.
func (s *shard) whole(x Vector) Vector {
	p := s.part
	from, to := make([][]float32, p.Size()), make([][]float32, p.Size())
	to[0] = x
	var all Vector
	if p.Rank() == 0 {
		all = make(Vector, p.Total)
		for i := range from {
			first, rows := model.ShardRows(p.Total, p.Size(), i)
			from[i] = all[first : first+rows]
		}
	}
	p.Swap(from, to)
	return all
}

// best returns the k best entities of all parts, ties in order of id.
func (s *shard) best(x Vector, k int) []rank.Ranked {
	mine := make([]rank.Ranked, min(k, s.part.Total))
	n := copy(mine, rank.Top(x, k))
	for i := range mine[:n] {
		mine[i].Entity += model.EntityID(s.part.First)
	}
	for i := range mine[n:] {
		mine[n+i].Entity = -1
	}
	all := slices.Clone(collective.Gather(s.part.Group, mine))
	all = slices.DeleteFunc(all, func(r rank.Ranked) bool { return r.Entity < 0 })
	slices.SortFunc(all, func(a, b rank.Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Entity, b.Entity))
	})
	return all[:min(k, len(all))]
}

// shards answers on all ranks what rank 0 is asked.
type shards struct {
	own  *shard
	turn chan struct{} // whose turn it is has put something there
}

// ask answers a question.
func (s *shards) ask(ctx context.Context, q *question) (*reply, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	message, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	if err := s.own.part.Send(message); err != nil {
		return nil, &ShardsError{err}
	}
	r, err := s.own.answer(ctx, q)
	if why := s.own.part.Broken(); why != nil {
		return nil, &ShardsError{why}
	}
	return r, err
}

// ShardsError says that the shards of a model can answer no more, for one of them is gone:
// they are to be started anew.
type ShardsError struct{ Err error }

func (e *ShardsError) Error() string { return fmt.Sprintf("the shards answer no more: %v", e.Err) }

// Unwrap returns what has happened.
func (e *ShardsError) Unwrap() error { return e.Err }

// close ends the other ranks.
func (s *shards) close() error {
	s.turn <- struct{}{}
	if s.own.part.Broken() == nil {
		s.own.part.Send(nil)
	}
	return s.own.model.Close()
}

// onShards is a plan on the shards of a model.
type onShards struct {
	*shards
	plan *Plan
}

func (o onShards) question(b scq.Bindings, s model.Settings) *question {
	p := o.plan
	return &question{Shape: p.Shape, Semantics: p.Semantics, Layers: p.Layers, Sets: p.Sets, Bindings: b, Settings: s}
}

func (o onShards) top(ctx context.Context, batch []scq.Bindings, s model.Settings, k, setSize int) ([]found, error) {
	list := make([]found, len(batch))
	for i, b := range batch {
		q := o.question(b, s)
		q.K, q.SetSize = k, setSize
		r, err := o.ask(ctx, q)
		if err != nil {
			return nil, err
		}
		list[i] = r.found
	}
	return list, nil
}

func (o onShards) scores(ctx context.Context, batch []scq.Bindings, s model.Settings, use useScores) error {
	for i, b := range batch {
		q := o.question(b, s)
		q.Whole = true
		r, err := o.ask(ctx, q)
		if err == nil {
			err = use(i, r.answer, r.sets, r.left)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (onShards) uncalibrated() string { return "" }

func (onShards) noWorkspace() error { return ErrNeedsWhole }

// ErrNeedsWhole refuses what only a model in one process can do.
var ErrNeedsWhole = errors.New("a split model does not say why: witnesses need all of it in one process")
