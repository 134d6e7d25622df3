package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/run"
)

// Group answers questions of one model that arrive one by one, of any kinds, plans and semantics. Running
// questions share one sweep of the entity table whenever they need it; on a device or on shards, waiting runs of
// one plan are a batch. A question joins those that run and leaves when it is answered, so
// none waits for another to end. A Group is safe for concurrent use.
type Group struct{ runs *run.Group }

// NewGroup returns an empty group of questions to the model.
func (m *Model) NewGroup() *Group { return &Group{run.NewGroup(m.host().bundle.Pool())} }

// Enter announces further calls of Do. Running questions wait for them when they next need the table.
func (g *Group) Enter(questions int) { g.runs.Enter(questions) }

// Do does work on a question, or several, announced by Enter as one. Questions that the work asks with its context run
// together with the others of the group. Probabilities may differ in the last bits from the ones of a question
// asked alone. If shared work panics, each question gets that *PanicError: answer them separately
// then. So it is with a *fit.MemoryError, as the others' truth degrees take memory too. A question that
// package pause may hold up leaves the group once it has taken long.
func (g *Group) Do(ctx context.Context, work func(ctx context.Context) error) error {
	ctx, m := g.runs.Join(ctx)
	defer m.Close()
	return work(ctx)
}
