package server

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/efoc/efoc/runtime/query"
)

// lane answers the queries of one plan, whatever their names. What arrives while a batch
// runs, or waits for its turn, is the next batch; an idle lane starts at once.
type lane struct {
	room int // queries that may run together

	mu      sync.Mutex
	waiting []*job
	busy    bool // a goroutine drives the lane
}

// job is a query that waits for its answer.
type job struct {
	ctx      context.Context
	question query.Question
	options  query.Options

	// What came of it, once done is closed.
	done    chan struct{}
	answers *query.Answers
	err     error
	batch   int           // queries that ran together
	took    time.Duration // for the batch
}

// idle reports whether nobody uses the lane.
func (l *lane) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.busy
}

// answer waits for the lane's answer to a query.
func (s *Server) answer(ctx context.Context, h *loaded, l *lane, q query.Question, o query.Options) (*job, error) {
	j := &job{ctx: ctx, question: q, options: o, done: make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, j)
	if !l.busy {
		l.busy = true
		h.hold()
		go func() {
			defer h.release()
			s.drive(l)
		}()
	}
	l.mu.Unlock()
	select {
	case <-j.done:
		return j, j.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// drive runs batches of the lane until nothing waits.
func (s *Server) drive(l *lane) {
	for {
		s.running <- struct{}{}
		jobs := l.take()
		if len(jobs) > 0 {
			s.metrics.batchSize.Observe(float64(len(jobs)))
			l.run(jobs)
		}
		<-s.running
		if len(jobs) == 0 && l.rest() {
			return
		}
	}
}

// take returns the jobs of the next batch: as many as there is room for and as
// have the options of the first. Those that nobody waits for are dropped.
func (l *lane) take() []*job {
	l.mu.Lock()
	defer l.mu.Unlock()
	var batch, rest []*job
	for _, j := range l.waiting {
		switch {
		case j.ctx.Err() != nil:
		case len(batch) < l.room && (len(batch) == 0 || same(batch[0].options, j.options)):
			batch = append(batch, j)
		default:
			rest = append(rest, j)
		}
	}
	l.waiting = rest
	return batch
}

// same reports whether queries with these options may run together.
func same(a, b query.Options) bool {
	settings := *a.Settings == *b.Settings
	a.Settings, b.Settings = nil, nil
	return settings && a == b
}

// rest marks the lane as idle, unless something waits.
func (l *lane) rest() bool {
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
	batch := make([]query.Question, len(jobs))
	for i, j := range jobs {
		batch[i] = j.question
		stop := context.AfterFunc(j.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})
		defer stop()
	}
	options := jobs[0].options
	start := time.Now()
	if len(jobs) > 1 {
		if results, err := query.AnswerBatch(ctx, batch, options); err == nil {
			for i, j := range jobs {
				j.answers = results[i]
				j.finish(len(jobs), time.Since(start))
			}
			return
		}
		// One by one, so that those which are too large, or panic, fail alone, and no error
		// speaks of another's query.
	}
	for _, j := range jobs {
		start = time.Now()
		if j.err = j.ctx.Err(); j.err == nil {
			j.answers, j.err = j.question.Query.Answer(j.ctx, j.question.Bindings, options)
		}
		j.finish(1, time.Since(start))
	}
}

// finish hands over what came of the job, which ran in a batch of some size.
func (j *job) finish(batch int, took time.Duration) {
	j.batch, j.took = batch, took
	close(j.done)
}

// statusBudget bounds the exact check of an answer, in candidates.
const statusBudget = 200_000
