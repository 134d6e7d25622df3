package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/pass"
	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// shards answers on all ranks what rank 0 is asked, one batch after the other. The question that
// leads a batch takes along those that wait and are alike.
type shards struct {
	own     *shard
	turn    chan struct{} // a semaphore of one: exchanges come one after the other
	ended   bool          // the other ranks are gone; whoever has the turn looks
	idle    *time.Timer   // calls meet
	mu      sync.Mutex
	waiting []*asked
}

// newShards returns what asks all ranks, by the shard of this one, which is rank 0.
func newShards(own *shard) *shards {
	s := &shards{own: own, turn: make(chan struct{}, 1)}
	if every := own.part.Patience() / meetings; every > 0 {
		s.idle = time.AfterFunc(every, s.meet)
	}
	return s
}

// meetings is how often ranks that are not asked meet in the time that they wait for one another.
const meetings = 4

// meet has all ranks meet, unless they are at work: so those that wait for a question learn
// that rank 0 is gone, and rank 0 that another one is, before there is a question.
func (s *shards) meet() {
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

// rest has the ranks meet later, as they have just met, or are at work.
func (s *shards) rest() {
	if s.idle != nil {
		s.idle.Reset(s.own.part.Patience() / meetings)
	}
}

// asked is a question that waits for its turn.
type asked struct {
	*question
	ctx     context.Context
	replies []reply
	err     error
	done    chan struct{} // closed when it is answered
}

// ask answers a question. If its context ends it returns, though the ranks may still be at work,
// or wait for one that is gone.
func (s *shards) ask(ctx context.Context, q *question) ([]reply, error) {
	a := &asked{question: q, ctx: ctx, done: make(chan struct{})}
	s.mu.Lock()
	s.waiting = append(s.waiting, a)
	s.mu.Unlock()
	select {
	case s.turn <- struct{}{}:
		go func() {
			defer func() { <-s.turn }()
			s.answer(s.take(a))
		}()
	case <-a.done:
	case <-ctx.Done():
	}
	select {
	case <-a.done:
		return a.replies, a.err
	case <-ctx.Done():
		s.take(a)
		return nil, ctx.Err()
	}
}

// take takes a question from those that wait, with those that run together with it; none if
// another has taken it.
func (s *shards) take(a *asked) (batch []*asked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.waiting, a) {
		return nil
	}
	batch = []*asked{a}
	size := len(a.Batch)
	s.waiting = slices.DeleteFunc(s.waiting, func(b *asked) bool {
		if b == a {
			return true
		}
		if a.ctx.Err() != nil || !a.alike(b.question) || size+len(b.Batch) > a.most {
			return false
		}
		size += len(b.Batch)
		batch = append(batch, b)
		return true
	})
	return batch
}

// alike reports whether questions differ in nothing but what fills the slots.
func (q *question) alike(o *question) bool {
	return q.Shape == o.Shape && q.Semantics == o.Semantics && q.Layers == o.Layers && q.Settings == o.Settings &&
		q.K == o.K && q.SetSize == o.SetSize && q.Whole == o.Whole && slices.Equal(q.Links, o.Links)
}

// answer answers questions that are alike, together; if that fails, each on its own.
func (s *shards) answer(batch []*asked) {
	if len(batch) > 1 {
		q := *batch[0].question
		q.Batch = nil
		for _, a := range batch {
			q.Batch = append(q.Batch, a.Batch...)
		}
		ctx, cancel := untilAll(batch)
		replies, err := s.run(ctx, &q)
		cancel()
		if err == nil {
			for _, a := range batch {
				a.replies, replies = replies[:len(a.Batch)], replies[len(a.Batch):]
				close(a.done)
			}
			return
		}
	}
	for _, a := range batch {
		if a.err = a.ctx.Err(); a.err == nil {
			a.replies, a.err = s.run(a.ctx, a.question)
		}
		close(a.done)
	}
}

// untilAll returns a context that ends when those of all questions have.
func untilAll(batch []*asked) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(batch[0].ctx))
	var left atomic.Int64
	left.Store(int64(len(batch)))
	var stops []func() bool
	for _, a := range batch {
		stops = append(stops, context.AfterFunc(a.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		}))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// run answers a question, with all ranks.
func (s *shards) run(ctx context.Context, q *question) (replies []reply, err error) {
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

// end lets the other ranks go, after the batch that they answer; later questions are refused.
func (s *shards) end() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.ended || s.own.part.Broken() != nil {
		return nil
	}
	s.ended = true
	return s.own.part.Send(nil)
}

// close ends the other ranks.
func (s *shards) close() error { return errors.Join(s.end(), s.own.model.Close()) }

// ShardsError says that a shard is gone and the others cannot continue: restart them all.
type ShardsError struct{ Err error }

func (e *ShardsError) Error() string { return fmt.Sprintf("the shards answer no more: %v", e.Err) }

// Unwrap returns the cause.
func (e *ShardsError) Unwrap() error { return e.Err }

// lost returns a ShardsError if a shard is gone, or this one waits for it for longer than late.
func (s *shards) lost(late time.Duration) error {
	if why := s.own.part.Broken(); why != nil {
		return &ShardsError{why}
	}
	if s.own.part.Waiting() > late {
		return &ShardsError{fmt.Errorf("a shard has not come to an exchange within %s", late)}
	}
	return nil
}

// onShards is a plan on the shards of a model.
type onShards struct {
	*shards
	plan *Plan
}

// each asks a batch, as many at a time as run together, and calls use for each reply.
func (o onShards) each(ctx context.Context, batch []scq.Bindings, q question, use func(i int, r *reply) error) error {
	p := o.plan
	q.Shape, q.Patterns, q.Semantics, q.Layers, q.Sets = p.Shape, p.Patterns, p.Semantics, p.Layers, p.Sets
	size := o.together(p, q.Whole)
	q.most = size
	for lo := 0; lo < len(batch); lo += size {
		q.Batch = nil
		for _, b := range batch[lo:min(lo+size, len(batch))] { // the ranks may read them after the context has ended
			q.Batch = append(q.Batch, scq.Bindings{Constants: slices.Clone(b.Constants), Relations: slices.Clone(b.Relations)})
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

// together returns how many queries of a plan run at a time: as executor.together does, but
// those besides the first take no more than a small share of what a shard takes anyhow. whole says
// that rank 0 gets whole vectors.
func (s *shards) together(p *Plan, whole bool) int {
	m, rows := s.own.model, s.own.part.Entities/s.own.part.Size()
	width := 2 * m.Predictor.Rank
	numbers := rows*(p.Vectors+exchangeVectors) + p.Embeddings*width*(1+pass.Partials(rows))
	if whole {
		numbers += wholeVectors * s.own.part.Entities * (1 + len(p.Sets))
	}
	shard := m.Predictor.EntityTable.Bytes() + 4*rows + 16*m.Graph.NumTriples()
	more := max(batchShare, shard/20)
	x := NewExecutor(m, p)
	return min(x.Together(), 1+more/(4*numbers))
}

const (
	batchShare = 4 << 20 // bytes of the queries of a batch but one, where a shard is small
	// What is exchanged takes about as much as so many vectors of a part, where numbers go along
	// links: those to be sent and to be received, and the messages. Where rank 0 gets a vector of
	// all entities, it has it in parts, in messages and whole.
	exchangeVectors = 4
	wholeVectors    = 3
)

func (o onShards) top(ctx context.Context, batch []scq.Bindings, s model.Settings, k, setSize int) ([]rank.Ranking, error) {
	list := make([]rank.Ranking, len(batch))
	err := o.each(ctx, batch, question{Settings: s, K: k, SetSize: setSize}, func(i int, r *reply) error {
		list[i] = r.Ranking
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

func (o onShards) scores(ctx context.Context, batch []scq.Bindings, s model.Settings, use useScores) error {
	return o.each(ctx, batch, question{Settings: s, Whole: true}, func(i int, r *reply) error {
		return use(i, r.answer, r.sets, nil)
	})
}

func (o onShards) links(ctx context.Context, b scq.Bindings, s model.Settings, entities []model.EntityID) (list []Link, err error) {
	err = o.each(ctx, []scq.Bindings{b}, question{Settings: s, Links: entities}, func(_ int, r *reply) error {
		list = r.links
		return nil
	})
	return list, err
}

func (onShards) noWorkspace() error { return ErrNeedsWhole }

// ErrNeedsWhole refuses what only an unsplit model in one process can do.
var ErrNeedsWhole = errors.New("a split model does not say why: witnesses need all of it in one process")
