package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Shards sends each batch to every rank and collects the replies.
type Shards struct {
	own   *Shard
	turn  chan struct{} // a semaphore of one: exchanges run one after the other
	ended bool          // set once the other ranks have exited; read under turn
	idle  *time.Timer   // calls meet
}

// newShards returns the shards of a split model, given the shard of rank 0, which calls it.
func newShards(own *Shard) *Shards {
	s := &Shards{own: own, turn: make(chan struct{}, 1)}
	if every := own.part.Patience() / meetings; every > 0 {
		s.idle = time.AfterFunc(math.MaxInt64, s.meet) // which reads idle, so the timer starts below
		s.idle.Reset(every)
	}
	return s
}

// meetings is the number of times that idle ranks meet within their patience.
const meetings = 4

// meet lets all ranks meet, unless they are at work. Idle ranks so learn that rank 0 has died, and rank 0 that
// another has, before the next question.
func (s *Shards) meet() {
	select {
	case s.turn <- struct{}{}:
		if !s.ended && s.own.part.Assemble() == nil {
			s.rest()
		}
		<-s.turn
	default:
		s.rest()
	}
}

// rest postpones the next meeting, since the ranks have just met or are at work.
func (s *Shards) rest() {
	if s.idle != nil {
		s.idle.Reset(s.own.part.Patience() / meetings)
	}
}

// ask answers a question. If its context ends it returns, though the ranks may still be at work, or wait for a dead
// one.
func (s *Shards) ask(ctx context.Context, q *question) ([]reply, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type answer struct {
		replies []reply
		err     error
	}
	answered := make(chan answer, 1)
	go func() {
		defer func() { <-s.turn }()
		replies, err := s.run(ctx, q)
		answered <- answer{replies, err}
	}()
	select {
	case a := <-answered:
		return a.replies, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run answers a question, with all ranks.
func (s *Shards) run(ctx context.Context, q *question) (replies []reply, err error) {
	if s.ended {
		return nil, model.ErrClosed
	}
	message, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	if err := s.own.part.Send(message); err != nil {
		return nil, &ShardsError{err}
	}
	defer s.rest()
	replies, err = s.own.answer(ctx, q)
	if why := s.own.part.Broken(); why != nil {
		return nil, &ShardsError{why}
	}
	return replies, err
}

// End ends the other ranks after their current batch; later questions are refused.
func (s *Shards) End() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.ended || s.own.part.Broken() != nil {
		return nil
	}
	s.ended = true
	return s.own.part.Send(nil)
}

// Close ends the other ranks and closes the model.
func (s *Shards) Close() error { return errors.Join(s.End(), s.own.model.Close()) }

// ShardsError says that a shard has died and the others cannot continue: restart them all.
type ShardsError struct{ Err error }

func (e *ShardsError) Error() string { return fmt.Sprintf("the shards answer no more: %v", e.Err) }

// Unwrap returns the cause.
func (e *ShardsError) Unwrap() error { return e.Err }

// Lost returns a ShardsError if a shard has died, or has kept this one waiting for longer than late.
func (s *Shards) Lost(late time.Duration) error {
	if why := s.own.part.Broken(); why != nil {
		return &ShardsError{why}
	}
	if s.own.part.Waiting() > late {
		return &ShardsError{fmt.Errorf("a shard has not come to an exchange within %s", late)}
	}
	return nil
}

// ErrNeedsWhole refuses work that needs an unsplit model in one process.
var ErrNeedsWhole = errors.New("a split model answers questions of one variable, without explanations and assumptions: ask the whole model")

// Runner returns a runner of a plan on the shards.
func (s *Shards) Runner(p *plan.Plan) Runner { return onShards{s, p} }

// onShards runs a plan on the shards of a model.
type onShards struct {
	*Shards
	plan *plan.Plan
}

// On returns the runner itself: the shards have the facts.
func (o onShards) On(plan.Host) Runner { return o }

// each asks a batch, several queries at a time, and calls use for each reply.
func (o onShards) each(ctx context.Context, batch []scq.Bindings, q question, use func(i int, r *reply) error) error {
	p := o.plan
	q.Shape, q.Disjuncts, q.Semantics, q.Layers, q.Sets = p.Shape, p.Disjuncts, p.Semantics, p.Layers, p.Sets
	size := o.together(p, q.Whole)
	for lo := 0; lo < len(batch); lo += size {
		q.Batch = nil
		q.Filters = nil
		for _, b := range batch[lo:min(lo+size, len(batch))] { // the ranks may read them after the context has ended
			q.Batch = append(q.Batch, scq.Bindings{Constants: slices.Clone(b.Constants), Relations: slices.Clone(b.Relations)})
			var filters []model.Selector
			for _, f := range b.Filters {
				filters = append(filters, f.Selector())
			}
			q.Filters = append(q.Filters, filters)
		}
		replies, err := o.ask(ctx, &q)
		if err != nil {
			return err
		}
		for i := range replies {
			if err := use(lo+i, &replies[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// together returns the number of queries of a plan that run at a time: as executor.together does, but all except the
// first take only a small share of a shard's own memory. whole says that rank 0 gets whole vectors.
func (s *Shards) together(p *plan.Plan, whole bool) int {
	m := s.own.model
	rows := s.own.part.Entities / s.own.part.Size()
	width := 2 * m.Predictor.Rank
	numbers := rows*(p.Vectors+exchangeVectors) + p.Embeddings*width*(1+sweep.Partials(&m.Predictor.EntityTable))
	if whole {
		numbers += wholeVectors * s.own.part.Entities * (1 + len(p.Sets))
	}
	shard := m.Predictor.EntityTable.Bytes() + 4*rows + 16*m.Graph.NumTriples()
	more := max(batchShare, shard/20)
	x := plan.NewExecutor(m, p)
	return min(x.Together(), 1+more/(4*numbers))
}

const (
	batchShare = 4 << 20 // bytes of the queries of a batch but one, where a shard is small
	// Exchanges along links take about the memory of exchangeVectors vectors of a part: numbers sent, numbers
	// received, and messages. If rank 0 gets a vector of all entities, it takes wholeVectors of these: in parts, in
	// messages and whole.
	exchangeVectors = 4
	wholeVectors    = 3
)

// Each runs a batch.
func (o onShards) Each(ctx context.Context, batch []scq.Bindings, w Want, use func(i int, r Result) error) (failed int, err error) {
	if m := memberOf(ctx); m.shares() {
		return m.runElsewhere(ctx, o, batch, w, use)
	}
	return -1, o.each(ctx, batch, question{Settings: w.Settings, K: w.Best, SetSize: w.SetSize, Whole: w.whole()}, func(i int, r *reply) error {
		return use(i, Result{scores: r.answer, sets: r.sets, ranking: r.Ranking})
	})
}

// Links asks only for links.
func (o onShards) Links(ctx context.Context, b scq.Bindings, s model.Settings, entities []graph.EntityID) (list []plan.Link, err error) {
	err = o.each(ctx, []scq.Bindings{b}, question{Settings: s, Links: entities}, func(_ int, r *reply) error {
		list = r.links
		return nil
	})
	return list, err
}
