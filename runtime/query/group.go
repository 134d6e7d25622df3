package query

import (
	"context"
	"errors"

	"github.com/efoc/efoc/runtime/model"
)

// Group answers questions of one model that arrive one by one, whatever their plans. Running
// questions share one pass over the entity table whenever they need it. A question joins those
// that run and leaves when it is answered, so none waits for another to end. A Group is safe
// for concurrent use. It keeps the memory of its passes: at most 64 MiB of sums, in addition to
// the workspaces of the questions.
type Group struct {
	model *Model
	step  *batchGroup
}

// NewGroup returns an empty group.
func NewGroup(m *Model) *Group { return &Group{m.host(), newBatchGroup(m.host(), 0)} }

// Groups reports whether a Group can answer the query: it can with message passing, in main
// memory.
func (q *Query) Groups() bool { return q.remote == nil && q.plan.Semantics == model.NSMP }

// Enter announces further calls of Answer. Running questions wait for them when they next need
// the table.
func (g *Group) Enter(questions int) { g.step.Enter(questions) }

// Answer is Query.Answer, run together with the other questions of the group, for a question
// announced by Enter. The question leaves the group before Answer returns, also with an error.
// Probabilities may differ from those of Query.Answer in the last bits. If the shared work
// panics, each question gets that *PanicError: answer them separately then.
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
