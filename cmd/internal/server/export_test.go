package server

import (
	"cmp"
	"context"
	"sync"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// What follows is all that tests see of a server's insides: where its metrics do not say it, or
// where a server has to be held up or made small. A change of the insides changes this file alone.

// occupy takes all memory once questions have been prepared, so that none is answered until the returned function is called.
func (s *Server) occupy() (free func()) {
	s.scheduler.memory.Acquire(context.Background(), s.scheduler.bytes)
	return sync.OnceFunc(func() { s.scheduler.memory.Release(s.scheduler.bytes) })
}

// taken is what requests hold of a server.
type taken struct {
	InFlight, Running            int   // requests, and work for them
	Incoming, Outgoing           int   // bodies
	IncomingBytes, OutgoingBytes int64 // of these
}

func (s *Server) taken() taken {
	running, _ := s.scheduler.state()
	t := taken{InFlight: int(s.inFlight.Load()), Running: running}
	t.Incoming, t.IncomingBytes = s.incoming.state()
	t.Outgoing, t.OutgoingBytes = s.outgoing.state()
	return t
}

func (ts *transfers) state() (n int, bytes int64) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.active.Len(), ts.held
}

// waiting counts the work that waits for memory.
func (s *Server) waiting() int {
	_, waiting := s.scheduler.state()
	return waiting
}

// setTimeouts sets the timeouts of connections.
func (s *Server) setTimeouts(t timeouts) {
	s.timeouts = t
	s.incoming = newIncoming(t.body)
}

// shrink bounds the connections, and the bodies that come in and go out, where a bound is not 0.
func (s *Server) shrink(connections, incoming, outgoing int, incomingBytes int64) {
	s.connections = cmp.Or(connections, s.connections)
	s.incoming.limit, s.outgoing.limit = cmp.Or(incoming, s.incoming.limit), cmp.Or(outgoing, s.outgoing.limit)
	s.incoming.limitBytes = cmp.Or(incomingBytes, s.incoming.limitBytes)
}

// inUse returns the model in use without holding it, nil of a closed server. Its channel is closed
// with it.
func (s *Server) inUse() (m *runtime.Model, closed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil, nil
	}
	return s.current.model, s.current.closed
}

// idle reports whether the server alone holds its model.
func (s *Server) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current.mu.Lock()
	defer s.current.mu.Unlock()
	return s.current.refs == 1
}

// goingDown reports whether the server has been told to stop.
func (s *Server) goingDown() bool { return s.draining.Load() }

// jobs counts those that run on the model.
func (s *Server) jobs() int {
	q := &s.current.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running
}

// message prepares a question of message passing.
func (s *Server) message(t *testing.T, formula string) *prepared {
	t.Helper()
	p, err := s.prepare(t.Context(), s.current, &Question{Formula: formula, Semantics: "nsmp"}, false)
	require.NoError(t, err)
	return p
}

// stall has the jobs that come share a group, which waits for a question that comes once goOn is called.
func (s *Server) stall(t *testing.T, formula string) (goOn func()) {
	p, q := s.message(t, formula), &s.current.queue
	q.begin()
	q.group.Enter(1)
	return sync.OnceFunc(func() {
		q.group.Do(t.Context(), func(ctx context.Context) error {
			_, err := p.Ask(ctx, p.args, runtime.Options{})
			return err
		})
		q.end()
	})
}
