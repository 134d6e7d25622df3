package runtime

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// query is a part of a question: a plan bound to a model, with the names of its variables and relations. It is safe
// for concurrent use, and cheap: the model owns the workspaces. A panic in the plan fails that run with a *PanicError
// and leaves others running.
type query struct {
	model *Model    // in main memory
	bound run.Bound // its plan
	names queryNames
	limit model.Type // required of all answers besides Options.Filter; any if zero
	// degrees returns the query that computes truth degrees in main memory, which is this one if its plan does, and
	// explains the one that finds witnesses. Both return nil if there is none.
	degrees, explains func() *query
	latest            atomic.Pointer[query] // the query on the latest snapshot
}

// queryNames are the names that a query reports its answers and errors by.
type queryNames struct {
	query     string     // the question's name, if it has one
	variables [][]string // of each disjunct
	reversed  [][]bool   // see plan.Part.Reversed
}

// newQuery binds a part of a question to a model. It fails if the plan was generated for another version of this
// package, or if the device of the model lacks kernels for the plan.
func newQuery(m *Model, p *plan.Part, name string) (*query, error) {
	q := &query{model: m.host(), names: queryNames{name, p.Variables, p.Reversed}}
	if err := q.bind(m, p.Plan); err != nil {
		return nil, q.fail(err)
	}
	if q.names.variables == nil {
		for _, disjunct := range p.Plan.Disjuncts {
			q.names.variables = append(q.names.variables, disjunct.Variables)
		}
	}
	if err := q.bindDegrees(m, p); err != nil {
		return nil, err
	}
	q.explains = q.degrees
	if p.Explain != nil {
		q.explains = sync.OnceValue(func() *query { return q.explainer(p) })
		if q.degrees() == nil {
			q.degrees = q.explains
		}
	}
	return q, nil
}

// bind binds a plan to a model.
func (q *query) bind(m *Model, p *plan.Plan) (err error) {
	if m.bundle.Closed() {
		return model.ErrClosed
	}
	if p.ABI != plan.ABI {
		return fmt.Errorf("plan %s was %w (%d, this is %d): generate its code again", p.Shape, ErrABI, p.ABI, plan.ABI)
	}
	q.bound, err = m.bind(p)
	return err
}

// bindDegrees binds the plan for truth degrees of a part in main memory.
func (q *query) bindDegrees(m *Model, p *plan.Part) error {
	own := p.Plan
	degrees := own.Degrees
	if degrees == nil && m.device != nil && own.Semantics != model.NSMP && own.Run != nil {
		degrees = own
	}
	found := q
	switch {
	case degrees != nil:
		var err error
		found, err = newQuery(q.model, q.partOf(degrees), q.names.query)
		if err != nil {
			return err
		}
	case own.Semantics == model.NSMP:
		found = nil
	}
	q.degrees = func() *query { return found }
	return nil
}

// explainer returns the query for the plan that Part.Explain makes, nil without one.
func (q *query) explainer(p *plan.Part) *query {
	made, err := p.Explain()
	if err != nil {
		return nil
	}
	by, err := newQuery(q.model, q.partOf(made), q.names.query)
	if err != nil {
		return nil
	}
	return by
}

// partOf returns a part with the names of the query and the given plan.
func (q *query) partOf(p *plan.Plan) *plan.Part {
	return &plan.Part{Plan: p, Variables: q.names.variables, Reversed: q.names.reversed}
}

// at returns the query on a snapshot, or q itself if it runs outside main memory.
func (q *query) at(m *Model) *query {
	if q.model == m || !q.bound.Here() {
		return q
	}
	return q.on(m)
}

// on returns the query on a snapshot.
func (q *query) on(m *Model) *query {
	if at := q.latest.Load(); at != nil && at.model == m {
		return at
	}
	at := &query{model: m, bound: q.bound.On(m.local()), names: q.names, limit: q.limit}
	at.degrees = q.onLater(at, q.degrees)
	at.explains = q.onLater(at, q.explains)
	q.latest.Store(at)
	return at
}

// onLater returns a function that builds a query on first use and binds it to at's snapshot; q itself becomes at.
func (q *query) onLater(at *query, build func() *query) func() *query {
	return sync.OnceValue(func() *query {
		switch found := build(); found {
		case nil:
			return nil
		case q:
			return at
		default:
			return found.on(at.model)
		}
	})
}

// fail returns the error, if there is one, with the query's name.
func (q *query) fail(err error) error { return withName(q.names.query, err) }

// withName returns the error, if there is one, with the name of a question, if it has one.
func withName(name string, err error) error {
	if err == nil || name == "" {
		return err
	}
	return fmt.Errorf("query %s: %w", name, err)
}

// failIn adds the index of the failed query to an error, if the batch has several.
func (q *query) failIn(batch []scq.Bindings, failed int, err error) error {
	if failed < 0 || len(batch) == 1 {
		return q.fail(err)
	}
	return inBatch(failed, q.fail(err))
}

// inBatch adds the index of the failed question to an error.
func inBatch(i int, err error) error { return fmt.Errorf("query %d of the batch: %w", i, err) }

// links returns the plan that finds the links of answers, nil if there is none.
func (q *query) links() *run.Bound {
	d := q.degrees()
	if d == nil {
		return nil
	}
	return &d.bound
}
