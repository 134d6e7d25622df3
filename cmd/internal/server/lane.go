package server

import (
	"cmp"
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/efoc/efoc/runtime"
)

// lane answers the queries of one plan on a device or on shards. What arrives while a batch runs, or waits for its turn, is the next
// batch; an idle lane starts at once.
type lane struct {
	mu      sync.Mutex
	waiting []*job
	busy    bool // a goroutine drives the lane
}

// job is a query that waits for its answer.
type job struct {
	ctx      context.Context
	question runtime.Asked
	options  runtime.Options
	ticket   *ticket // with the memory of its workspace

	asked time.Time

	// What came of it, once done is closed.
	done    chan struct{}
	answers *runtime.Reply
	err     error
	batch   int // queries that ran together
	began   time.Time
	took    time.Duration // for the batch
}

// room is what further queries may run together with others.
type room struct {
	queries int
	bytes   int64
}

// take makes room for a job, or returns false if there is none.
func (r *room) take(j *job) bool {
	if r.queries < 1 || r.bytes < j.ticket.bytes {
		return false
	}
	r.queries--
	r.bytes -= j.ticket.bytes
	return true
}

// idle reports whether nobody uses the lane.
func (l *lane) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.busy
}

// answer waits for the answer to a query, unless a shard of the model is lost.
func (s *Server) answer(ctx context.Context, h *openModel, p *prepared, o runtime.Options) (*job, error) {
	if err := s.lostShard(h); err != nil {
		return nil, err
	}
	j := &job{ctx: ctx, question: runtime.Asked{Query: p.Query, Bindings: p.bindings}, options: o, ticket: s.turns.ticket(p.bytes), asked: time.Now(), done: make(chan struct{})}
	switch {
	case !p.Query.Groups():
		s.queue(h, h.lane(p.Query.Plan()), j)
	case p.messages <= maxShared:
		s.share(h, j)
	default:
		s.runAlone(h, j)
	}
	var look <-chan time.Time
	if h.model.Split() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		look = t.C
	}
	for {
		select {
		case <-j.done:
			return j, j.err
		case <-ctx.Done():
			return nil, cmp.Or(s.lostShard(h), ctx.Err())
		case <-look:
			if err := s.lostShard(h); err != nil {
				return nil, err
			}
		}
	}
}

// lostShard returns an error if the model is split and a shard is gone, or so late that the question
// which waits for it will hardly be answered within its deadline.
func (s *Server) lostShard(h *openModel) error {
	return h.model.Lost(max(time.Second, s.Limits.Deadline/2))
}

// queue has a lane answer a query.
func (s *Server) queue(h *openModel, l *lane, j *job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, j)
	if !l.busy {
		l.busy = true
		h.hold()
		go func() {
			defer h.release()
			s.drive(l)
		}()
	}
}

// drive runs batches of the lane until nothing waits.
func (s *Server) drive(l *lane) {
	for {
		turn := s.start()
		jobs := l.take(s.room())
		if len(jobs) > 0 {
			s.metrics.batchSize.Observe(float64(len(jobs)))
			l.run(jobs)
		}
		turn.close()
		if len(jobs) == 0 && l.park() {
			return
		}
	}
}

// start waits until one more batch may run, and returns its ticket.
func (s *Server) start() *ticket {
	k := s.turns.ticket(s.turns.room)
	k.enter(context.Background()) // which does not end
	return k
}

// runAlone answers a query by itself.
func (s *Server) runAlone(h *openModel, j *job) {
	s.metrics.batchSize.Observe(1)
	h.hold()
	go func() {
		defer h.release()
		j.alone()
	}()
}

// alone answers the job by itself, in turns.
func (j *job) alone() {
	start := time.Now()
	j.err = j.ticket.run(j.ctx, func(ctx context.Context) (err error) {
		start = time.Now()
		j.answers, err = j.question.Query.Answer(ctx, j.question.Bindings, j.options)
		return err
	})
	j.finish(1, start)
}

// take returns the jobs of the next batch: as many as there is room for and as
// have the options of the first. Those that nobody waits for are dropped.
func (l *lane) take(r room) []*job {
	l.mu.Lock()
	defer l.mu.Unlock()
	var batch, rest []*job
	for _, j := range l.waiting {
		switch {
		case j.ctx.Err() != nil:
		case (len(batch) == 0 || reflect.DeepEqual(batch[0].options, j.options)) && r.take(j):
			batch = append(batch, j)
		default:
			rest = append(rest, j)
		}
	}
	l.waiting = rest
	return batch
}

// park marks the lane as idle, unless something waits.
func (l *lane) park() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = len(l.waiting) > 0
	return !l.busy
}

// run answers the jobs as one batch. It is cancelled when nobody waits any more.
func (l *lane) run(jobs []*job) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var left atomic.Int64
	left.Store(int64(len(jobs)))
	batch := make([]runtime.Asked, len(jobs))
	for i, j := range jobs {
		batch[i] = j.question
		stop := context.AfterFunc(j.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
		defer stop()
	}
	start := time.Now()
	if len(jobs) > 1 {
		if results, err := runtime.AnswerBatch(ctx, batch, jobs[0].options); err == nil {
			for i, j := range jobs {
				j.answers = results[i]
				j.finish(len(jobs), start)
			}
			return
		}
		// One by one, so that those which are too large, or panic, fail alone, and no error
		// speaks of another's query.
	}
	for _, j := range jobs {
		j.runSingle()
	}
}

// runSingle answers the job by itself.
func (j *job) runSingle() {
	start := time.Now()
	j.err = j.ctx.Err()
	if j.err == nil {
		j.answers, j.err = j.question.Query.Answer(j.ctx, j.question.Bindings, j.options)
	}
	j.finish(1, start)
}

// finish hands over what came of the job, which ran in a batch of some size from start to now.
func (j *job) finish(batch int, start time.Time) {
	j.ticket.close()
	j.batch, j.began, j.took = batch, start, time.Since(start)
	close(j.done)
}

// statusBudget bounds the exact check of an answer, in candidates and edges.
const statusBudget = 200_000
