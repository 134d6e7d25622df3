package drive

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/exchange"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/pause"
)

// State is the state of one run: its context, first error and driver. Errors stick: the first one counts.
type State struct {
	ctx    context.Context
	failed error
	query  *Run // nil if the query runs alone
	hold   pause.Func
	alone  [1]Request
	// Workers help the run with its jobs.
	Workers *pool.Pool
	// Part is this process's part of a split model; nil means a whole one. On a part, errors
	// are those that all ranks have agreed on.
	Part *exchange.Shard
}

// Begin starts a run, alone if q is nil.
func (s *State) Begin(ctx context.Context, q *Run) {
	*s = State{ctx: ctx, query: q, hold: pause.Of(ctx)}
}

// BeginPart starts a run on a part of a split model, alone if q is nil. Cancellation takes effect when all ranks
// agree, at an exchange.
func (s *State) BeginPart(ctx context.Context, q *Run, p *exchange.Shard) {
	s.Begin(pause.Without(context.WithoutCancel(ctx)), q)
	s.Part = p
}

// End drops the run's state.
func (s *State) End() { *s = State{} }

// Context returns the context of the run.
func (s *State) Context() context.Context { return s.ctx }

// Err returns the first error passed to Fail, otherwise the context's error. Ops that read the whole table check it
// first.
func (s *State) Err() error {
	if s.Part != nil {
		return s.Part.Err()
	}
	if s.failed != nil {
		return s.failed
	}
	return s.ctx.Err()
}

// Fail records the run's error, for ops that return none.
func (s *State) Fail(err error) {
	if s.Part != nil {
		s.Part.Fail(err)
		return
	}
	if s.failed == nil {
		s.failed = err
	}
}

// Batched reports whether other queries may share the requests of this one.
func (s *State) Batched() bool { return s.query != nil }

// Together returns the number of queries that run together with this one, itself included.
func (s *State) Together() int {
	if s.query == nil {
		return 1
	}
	return s.query.driver.Active()
}

// Ask waits for a request to be served, and reports whether it was: not if the context ends first. This is the only
// point at which a plan waits.
func (s *State) Ask(r Request) bool {
	s.Rest()
	if s.query != nil {
		return s.query.ask(r)
	}
	s.alone[0] = r
	r.Serve(s.alone[:])
	s.alone[0] = nil
	return true
}

// Rest yields to other runs; long ops call it repeatedly. A run that has taken long leaves its group, because the
// others would wait for each of its steps.
func (s *State) Rest() {
	if s.hold == nil {
		return
	}
	if q := s.query; q != nil {
		if q.driver.hold != nil || q.took() < Long {
			return
		}
		s.Leave()
	}
	s.hold()
}

// Leave ends the part of the run that others wait for: later requests are served at once.
func (s *State) Leave() {
	if q := s.query; q != nil {
		s.query = nil
		q.leave()
	}
}
