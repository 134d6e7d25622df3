package server

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/server/api"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

type (
	AskRequest = api.AskRequest
	Question   = host.Question
	Settings   = host.Settings
	Limits     = limits.Limits
)

// What follows is all that tests see of a server's insides: where its metrics do not say it, or
// where a server has to be held up or made small. A change of the insides changes this file alone.

// occupy takes all memory, so that no question is compiled or answered until the returned function is called. A quarter
// of it is reserved for small jobs: see host.
func (s *Server) occupy() (free func()) {
	taken := make(chan struct{})
	done := make(chan struct{})
	small := s.Limits.Memory / 16
	for _, bytes := range []int64{s.Limits.Memory - 4*small, small, small, small, small} {
		go s.host.Run(context.Background(), bytes, func(context.Context) error {
			taken <- struct{}{}
			<-done
			return nil
		})
		<-taken
	}
	return sync.OnceFunc(func() { close(done) })
}

// taken is what requests hold of a server.
type taken struct {
	transport.Load
	Running int // work for them
}

func (s *Server) taken() taken {
	running, _ := s.host.State()
	return taken{s.transport.Load(), running}
}

// waiting counts the work that waits for memory.
func (s *Server) waiting() int {
	_, waiting := s.host.State()
	return waiting
}

// patientBounds are bounds with much time for requests, and little for their bodies once the server goes down.
func patientBounds() *transport.Bounds {
	b := transport.Standard
	b.Header = 10 * time.Second
	b.Body = patience
	b.Idle = patience
	b.Last = 100 * time.Millisecond
	b.Settle = 0
	return &b
}

// inUse returns the model in use without holding it, nil of a closed server. Its channel is closed
// with it.
func (s *Server) inUse() (m *runtime.Model, closed <-chan struct{}) {
	s.host.With(func(h *host.Model) error {
		m = h.Now()
		closed = h.Closed()
		return nil
	})
	return m, closed
}

// jobs counts those that run on the model.
func (s *Server) jobs() (n int) {
	s.host.With(func(h *host.Model) error {
		n = h.Jobs()
		return nil
	})
	return n
}

// stalled is the number of jobs of stall.
const stalled = 2

// stall has the jobs that come share a group, which waits for a question of message passing until goOn is called. Questions
// for truth degrees share it too, which by default run one by one on a small table.
func (s *Server) stall(t *testing.T, formula string) (goOn func()) {
	t.Helper()
	ready := make(chan struct{})
	require.NoError(t, s.host.With(func(h *host.Model) error {
		p, err := s.host.Prepare(t.Context(), h, &Question{Formula: formula, Semantics: "nsmp"})
		require.NoError(t, err)
		p.Model().Use(plan.Access{Floats: true, Estimates: true})
		until(t, "earlier jobs have ended", func() bool { return h.Jobs() == 0 })
		for i := range stalled { // the first has nobody to share with
			go s.host.Do(context.Background(), h, host.NewJob(nil, 0, func(ctx context.Context) error {
				<-ready
				if i == 0 {
					return nil
				}
				_, err := p.Ask(ctx, p.Given, runtime.Options{})
				return err
			}))
			until(t, "it runs", func() bool { return h.Jobs() == i+1 })
		}
		return nil
	}))
	return sync.OnceFunc(func() { close(ready) })
}
