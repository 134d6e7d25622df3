package host

import (
	"context"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/metrics"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/testdata/require"
)

// TestAssumeLeft has a client leave while its question, with a new entity, still runs: what it reserves is released at
// the end of the job.
func TestAssumeLeft(t *testing.T) {
	s, err := New(t.Context(), Options{Open: func(context.Context) (*runtime.Model, error) { return world.Open() }, Limits: limits.Default(), Metrics: metrics.New()})
	require.NoError(t, err)
	defer s.Close()
	free := func() bool {
		all := s.grown.TryAcquire(s.scheduler.most())
		if all {
			s.grown.Release(s.scheduler.most())
		}
		return all
	}
	require.NoError(t, s.With(func(h *Model) error {
		p, err := s.Prepare(t.Context(), h, &Question{Formula: `borders("Atlantis", y)`, Assume: []string{`borders("Atlantis", "Peru")`}})
		require.NoError(t, err)
		ctx, leave := context.WithCancel(t.Context())
		runs := make(chan struct{})
		end := make(chan struct{})
		go func() {
			<-runs
			leave()
		}()
		err = s.Do(ctx, h, NewJob(p, p.Need, func(context.Context) error {
			close(runs)
			<-end
			return nil
		}))
		p.Release()
		if err != context.Canceled || free() {
			t.Errorf("error %v, and nothing is reserved", err)
		}
		close(end)
		until(t, "the reserved memory is free", free)
		return nil
	}))
}
