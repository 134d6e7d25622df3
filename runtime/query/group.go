package query

import (
	"context"
	"errors"

	"github.com/efoc/efoc/runtime/model"
)

// Group answers questions of one model together that come one by one, whatever their
// plans: where those that run need the entity table, they share one pass over it. A
// question joins those that run already and leaves when it is answered, so none waits for
// another to end. A Group is safe for concurrent use. It keeps the memory of its passes:
// 64 MiB of sums at most, beside the workspaces of the questions.
type Group struct {
	model *Model
	step  *lockstep
}

// NewGroup returns a group of no questions.
func NewGroup(m *Model) *Group { return &Group{m.host(), newLockstep(m.host(), 0)} }

// Groups reports whether a Group can answer the query: by message passing, in main memory.
func (q *Query) Groups() bool { return q.remote == nil && q.plan.Semantics == model.NSMP }

// Enter says that some number of further questions will come to Answer. Those that run
// wait for them where they next need the table.
func (g *Group) Enter(questions int) { g.step.Enter(questions) }

// Answer is Query.Answer, together with the others of the group, for a question that Enter
// has announced; it leaves the group before Answer returns, also with an error.
// Probabilities may differ in the last bits from those of Query.Answer. Where the work
// that is done for all panics, each question has that *PanicError: answer them apart then.
func (g *Group) Answer(ctx context.Context, x Question, o Options) (*Answers, error) {
	q := x.Query.Snapshot()
	opts, err := q.check(x.Bindings, o)
	switch {
	case err != nil:
	case q.model.shared != g.model.shared || !q.Groups():
		err = errors.New("it has another model than its group, or is not answered by message passing in main memory: answer it apart")
	default:
		err = q.model.Hold()
	}
	if err != nil {
		g.step.Leave()
		return nil, q.fail(err)
	}
	defer q.model.Release()
	var result *Answers
	err = caught(func() (err error) {
		result, err = q.answer(ctx, x.Bindings, opts, g.step)
		return err
	})
	return q.shown(ctx, x.Bindings, opts, result, err)
}
