package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/run"
)

// Group runs questions about one model together, whenever they arrive and whatever their kinds, plans and semantics:
// running questions share each sweep of the entity table, unless that would take longer because the table is small. On a
// device or on shards, waiting runs of one plan form a batch. A question joins the running ones at once and leaves when
// it is answered, so none waits for another to end. A Group is safe for concurrent use.
type Group struct{ runs *run.Group }

// NewGroup returns an empty group of questions to the model.
func (m *Model) NewGroup() *Group { return &Group{run.NewGroup(m.host().bundle.Pool())} }

// Enter announces further calls of Do. Running questions wait for them when they next need the table.
func (g *Group) Enter(questions int) { g.runs.Enter(questions) }

// Do calls work, which Enter has announced as one question. Questions that work asks with its context run together with
// the others of the group; their probabilities may differ in the last bits from those of a question asked alone. A panic
// in shared work fails every question that shares it, with the same *PanicError: ask these again one by one. The same
// holds for a *fit.MemoryError, since truth degrees of all questions share the memory. A question that package pause may
// suspend leaves the group once it has run for long.
func (g *Group) Do(ctx context.Context, work func(ctx context.Context) error) error {
	ctx, m := g.runs.Join(ctx)
	defer m.Close()
	return work(ctx)
}
