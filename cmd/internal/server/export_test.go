package server

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// What follows is all that tests see of a server's insides: where its metrics do not say it, or
// where a server has to be held up or made small. A change of the insides changes this file alone.

// occupy takes all turns, so that nothing is answered until the returned function is called.
func (s *Server) occupy() (free func()) {
	var all []*ticket
	for range s.Limits.Running {
		k := s.turns.ticket(0)
		k.enter(context.Background())
		all = append(all, k)
	}
	return sync.OnceFunc(func() {
		for _, k := range all {
			k.close()
		}
	})
}

// taken is what requests hold of a server.
type taken struct {
	InFlight, Compiling, Running int   // queries, and batches
	Incoming, Outgoing           int   // bodies
	IncomingBytes, OutgoingBytes int64 // of these
}

func (s *Server) taken() taken {
	running, _ := s.turns.state()
	t := taken{InFlight: int(s.inFlight.Load()), Compiling: len(s.compiling), Running: running}
	t.Incoming, t.IncomingBytes = s.incoming.state()
	t.Outgoing, t.OutgoingBytes = s.outgoing.state()
	return t
}

func (ts *transfers) state() (n int, bytes int64) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.active.Len(), ts.held
}

// waiting counts the queries that wait to run.
func (s *Server) waiting() int {
	h, err := s.acquire()
	if err != nil {
		return 0
	}
	defer h.release()
	h.queue.mu.Lock()
	defer h.queue.mu.Unlock()
	return len(h.queue.waiting)
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

// turn counts the batches that wait to run.
func (s *Server) turn() int {
	_, waiting := s.turns.state()
	return waiting
}

// group returns how many queries run as a group, for how long there are any, and the room that the
// group has for more.
func (s *Server) group() (members int, since time.Duration, free room) {
	q := &s.current.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.members, time.Since(q.since), q.free
}

// message prepares a question of message passing.
func (s *Server) message(t *testing.T, formula string) *prepared {
	t.Helper()
	p, err := s.prepare(t.Context(), s.current, &Question{Formula: formula, Semantics: "nsmp"}, false)
	require.NoError(t, err)
	return p
}

// asker returns a function that asks a question and says how many ran together with it.
func (s *Server) asker(t *testing.T, formula string) (ask func() (batch int)) {
	p := s.message(t, formula)
	return func() int {
		_, j, err := s.put(t.Context(), s.current, p, runtime.Options{K: 3})
		if err != nil {
			t.Error(err)
			return 0
		}
		return j.batch
	}
}

// stall has the group of a server wait for a question that comes once goOn is called.
func (s *Server) stall(t *testing.T, formula string) (goOn func()) {
	p, group := s.message(t, formula), s.current.queue.group
	group.Enter(1)
	return sync.OnceFunc(func() {
		group.Do(t.Context(), func(ctx context.Context) error {
			_, err := p.Ask(ctx, p.args, runtime.Options{})
			return err
		})
	})
}
