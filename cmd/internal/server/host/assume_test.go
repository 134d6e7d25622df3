package host

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/server/limits"
	"github.com/efoc/efoc/cmd/internal/server/metrics"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// newHost hosts the built-in model. free reports whether its assumptions reserve nothing.
func newHost(t *testing.T) (s *Host, free func() bool) {
	t.Helper()
	o := Options{Open: func(context.Context) (*runtime.Model, error) { return world.Open() }, Limits: limits.Default(), Metrics: metrics.New(), Log: slog.New(slog.DiscardHandler)}
	s, err := New(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s, func() bool {
		all := s.grown.TryAcquire(s.scheduler.most())
		if all {
			s.grown.Release(s.scheduler.most())
		}
		return all
	}
}

// TestAssumeLeft has a client leave while its question, with a new entity, still runs, and drops the assumption: what it
// reserves is released at the end of the job.
func TestAssumeLeft(t *testing.T) {
	s, free := newHost(t)
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
		h.assumed.drop()
		if err != context.Canceled || free() {
			t.Errorf("error %v, and nothing is reserved", err)
		}
		close(end)
		until(t, "the reserved memory is free", free)
		return nil
	}))
}

// TestAssumeShared repeats assumptions. Questions share a snapshot until the facts or the model change, and the snapshots
// that stay are few and reserve a bounded share of memory, which a question that needs it gets.
func TestAssumeShared(t *testing.T) {
	s, free := newHost(t)
	prepare := func(assume ...string) (*Prepared, error) {
		var p *Prepared
		err := s.With(func(h *Model) (err error) {
			p, err = s.Prepare(t.Context(), h, &Question{Formula: `borders("Peru", y)`, Assume: assume})
			return err
		})
		return p, err
	}
	at := func(assume ...string) *runtime.Model {
		t.Helper()
		p, err := prepare(assume...)
		require.NoError(t, err)
		defer p.Release()
		return p.Model()
	}
	same := []string{`borders("Atlantis", "Peru")`, `!borders("Peru", "Chile")`}
	first := at(same...)
	if at(same...) != first || at(same[0]) == first || at(same[1], same[0]) == first || at() == first {
		t.Error("questions share the snapshots of others' assumptions, or none")
	}
	require.NoError(t, s.With(func(h *Model) error {
		_, err := h.model.Change(model.Change{Add: []graph.Triple{{Head: 1, Relation: 0, Tail: 2}}})
		return err
	}))
	changed := at(same...)
	if changed == first {
		t.Error("a snapshot stays after a change of facts")
	}
	require.NoError(t, s.Reload(t.Context()))
	if !free() {
		t.Error("the assumptions of a closed model reserve memory")
	}
	if at(same...) == changed {
		t.Error("a snapshot stays after a reload")
	}

	for i := range 2 * mostAssumed {
		at(fmt.Sprintf(`borders("Peru", "land %d")`, i))
		at(fmt.Sprintf(`population("Peru") = %d`, i))
		require.NoError(t, s.With(func(h *Model) error {
			reserved := int64(0)
			for _, x := range h.assumed.kept {
				reserved += x.bytes
			}
			if n := len(h.assumed.kept); n < 2 || n > mostAssumed || reserved == 0 || reserved > s.scheduler.most()/keptShare {
				t.Errorf("after %d questions %d assumptions reserve %d bytes", 2*(i+1), n, reserved)
			}
			return nil
		}))
	}
	var held []*Prepared
	for i := range mostGrown {
		p, err := prepare(fmt.Sprintf(`borders("Peru", "island %d")`, i))
		require.NoError(t, err)
		held = append(held, p)
	}
	if _, err := prepare(`borders("Peru", "one more")`); err == nil || problem.Of(err).Code != "overloaded" {
		t.Errorf("with all memory in use: %v", err)
	}
	for _, p := range held {
		p.Release()
	}
	at(`borders("Peru", "one more")`)
}
