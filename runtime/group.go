package runtime

import (
	"context"
	"errors"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/run"
)

// Group answers questions of one model that arrive one by one, of any plans and semantics. Running
// questions share one pass over the entity table whenever they need it. A question joins those that
// run and leaves when it is answered, so none waits for another to end. A Group is safe for concurrent
// use.
type Group struct {
	model  *Model
	driver *drive.Driver
}

// NewGroup returns an empty group.
func NewGroup(m *Model) *Group {
	host := m.host()
	return &Group{host, drive.New(host.Pool(), nil)}
}

// Groups reports whether a Group can answer the query: it can in main memory.
func (q *Query) Groups() bool { return q.bound.Here() }

// Enter announces further calls of Answer. Running questions wait for them when they next need
// the table.
func (g *Group) Enter(questions int) { g.driver.Enter(questions) }

// Answer is Query.Answer, run together with the other questions of the group, for a question announced
// by Enter. The question leaves the group before Answer returns, also with an error. Probabilities may
// differ from Query.Answer's in the last bits. If the shared work panics, each question gets that
// *PanicError: answer them separately then. So it is with a *fit.MemoryError, as the others' truth
// degrees take memory too.
func (g *Group) Answer(ctx context.Context, x Asked, o Options) (*Reply, error) {
	m := run.NewMember(g.driver)
	defer m.Close()
	q := x.Query.Snapshot()
	opts, err := q.check(x.Bindings, o)
	switch {
	case err != nil:
	case q.model.shared != g.model.shared || !q.Groups():
		err = errors.New("it has another model than its group, or is not answered in main memory: answer it apart")
	}
	if err != nil {
		return nil, q.fail(err)
	}
	result, err := q.answer(ctx, x.Bindings, opts, m)
	return q.shown(ctx, x.Bindings, opts, result, err)
}
