package run

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// newGroup returns a group with a pool of its own.
func newGroup(t *testing.T) *Group {
	p := pool.New(2)
	t.Cleanup(p.Close)
	return NewGroup(p)
}

// TestMemberPauses has a question work before its first run: another one, which waits for that, goes on.
func TestMemberPauses(t *testing.T) {
	g := newGroup(t)
	g.Enter(2)
	held := pause.With(t.Context(), func() {})
	_, runs := g.Join(held)
	working, works := g.Join(held)
	defer works.Close()
	begun := make(chan struct{})
	var errs []error
	var wg sync.WaitGroup
	wg.Go(func() {
		errs = runs.run(t.Context(), g.here, 1, func(_ int, d *drive.Run) error {
			close(begun)
			var s drive.State
			s.Begin(t.Context(), d)
			if !s.Ask(&elsewhere{ctx: t.Context(), runner: &place{}}) {
				return errors.New("it is not served")
			}
			return nil
		})
	})
	<-begun
	pause.Here(working) // without it the other one waits for ever
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// place is a Runner that notes the sizes of batches and refuses entity bad, with its whole batch.
type place struct {
	mu      sync.Mutex
	batches []int
}

const bad = graph.EntityID(13)

var errBad = errors.New("too large")

func (p *place) Each(ctx context.Context, batch []scq.Bindings, w Want, use func(i int, r Result) error) (int, error) {
	if m := memberOf(ctx); m.shares() {
		return m.runElsewhere(ctx, p, batch, w, use)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batches = append(p.batches, len(batch))
	for i, b := range batch {
		if slices.Contains(b.Constants, bad) {
			return -1, errBad
		}
		if err := use(i, Result{best: w.Best, setSize: i}); err != nil {
			return i, err
		}
	}
	return -1, nil
}

func (p *place) Links(context.Context, scq.Bindings, model.Settings, []graph.EntityID) ([]plan.Link, error) {
	return nil, ErrElsewhere
}

func (p *place) On(plan.Host) Runner { return p }

// TestElsewhere has questions wait for a place: they are a batch. If that fails, each runs by itself, and one
// question alone has the error.
func TestElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		entities []graph.EntityID
		want     []int // the sizes of batches
	}{
		"all":  {[]graph.EntityID{1, 2, 3, 4}, []int{4}},
		"bad":  {[]graph.EntityID{1, bad, 3}, []int{3, 1, 1, 1}},
		"sole": {[]graph.EntityID{bad}, []int{1}},
	} {
		g := newGroup(t)
		p := &place{}
		g.Enter(len(c.entities))
		var wg sync.WaitGroup
		for _, e := range c.entities {
			wg.Go(func() {
				ctx, m := g.Join(t.Context())
				defer m.Close()
				batch := []scq.Bindings{{Constants: []graph.EntityID{e}}}
				_, err := p.Each(ctx, batch, Want{Best: 1}, func(int, Result) error { return nil })
				if want := map[bool]error{true: errBad}[e == bad]; !errors.Is(err, want) {
					t.Errorf("%s: entity %d: %v", name, e, err)
				}
			})
		}
		wg.Wait()
		if !slices.Equal(p.batches, c.want) {
			t.Errorf("%s: batches of %d, want %d", name, p.batches, c.want)
		}
	}
}
