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

// Query is a plan bound to a model, with the names of the variables, entities and relations that the plan numbers.
// It is safe for concurrent use, and cheap: the model owns the workspaces. After the model is closed, it returns
// ErrClosed. If the plan panics, that query fails with a *PanicError; others are not affected. Each question uses
// the model's facts as of the time it is asked, unless the model is a snapshot: see Model.Now.
type Query struct {
	model *Model    // in main memory
	bound run.Bound // its plan
	names plan.Names
	// degrees returns the query that answers by truth degrees in main memory, or nil; it is nil itself
	// if the plan has no such plan.
	degrees func() *Query
	// explains returns the query that finds witnesses, or nil; it is nil itself if that is degrees.
	explains func() *Query
	limit    model.Type            // that all answers must have, for any Options.Filter; any if zero
	latest   atomic.Pointer[Query] // the last one on a snapshot that was made of it
}

// New binds a plan to a model. It fails if the plan was made for another version of this
// package, or if the model is on a device for which the plan has no kernels.
func New(m *Model, p *plan.Plan, names plan.Names) (*Query, error) {
	if m.bundle.Closed() {
		return nil, model.ErrClosed
	}
	if p.ABI != plan.ABI {
		return nil, fmt.Errorf("query %s: plan %s was %w (%d, this is %d): generate its code again",
			names.Query, p.Shape, ErrABI, p.ABI, plan.ABI)
	}
	if names.Variables == nil {
		for _, disjunct := range p.Disjuncts {
			names.Variables = append(names.Variables, disjunct.Variables)
		}
	}
	q := &Query{model: m.host(), names: names}
	var err error
	q.bound, err = m.bind(p)
	if err != nil {
		return nil, q.fail(err)
	}
	degrees := p.Degrees
	if degrees == nil && m.device != nil && p.Semantics != model.NSMP && p.Run != nil {
		degrees = p
	}
	if degrees == nil {
		return q, nil
	}
	d, err := New(q.model, degrees, names)
	q.degrees = func() *Query { return d }
	return q, err
}

// ExplainBy sets a function that makes a query for truth degrees, called when it is first needed. That query finds
// witnesses, and truth degrees if the plan has none. build may return nil.
func (q *Query) ExplainBy(build func() *Query) {
	q.explains = sync.OnceValue(build)
	if q.Degrees() == nil {
		q.degrees = q.explains
	}
}

// explainer returns the query that finds witnesses, nil if there is none.
func (q *Query) explainer() *Query {
	if q.explains != nil {
		return q.explains()
	}
	return q.Degrees()
}

// Degrees returns the query that computes truth degrees for this one, in main memory: itself if
// its plan does, or the one with the plan's Degrees; nil if there is neither.
func (q *Query) Degrees() *Query {
	switch {
	case q.degrees != nil:
		return q.degrees()
	case q.bound.Plan.Semantics != model.NSMP:
		return q
	}
	return nil
}

// Model returns the model that the query is bound to, in main memory.
func (q *Query) Model() *Model { return q.model }

// Warning says that the model prefers another semantics than the plan's, because it was best on
// the validation queries or is the default, and what to do. It is empty if they agree.
func (q *Query) Warning() string { return q.warning(q.bound.Plan.Semantics) }

// warning is Warning for a query that answers by some semantics.
func (q *Query) warning(s model.Semantics) string {
	own := q.model.bundle.Manifest.Semantics
	if own == s {
		return ""
	}
	return fmt.Sprintf("query %s answers by semantics %s, but model %s chooses %s: "+
		"generate its code for that model, or write semantics %s into the file of templates",
		q.names.Query, s, q.model.bundle.Manifest.Name, own, own)
}

// Plan returns the plan of the query's shape.
func (q *Query) Plan() *plan.Plan { return q.bound.Plan }

// VariableNames returns the names of the variables of a disjunct, in the order of the
// disjunct.
func (q *Query) VariableNames(disjunct int) []string { return q.names.Variables[disjunct] }

// Snapshot returns the query on the current facts. It uses these for every question, whereas q
// uses the newest facts for each.
func (q *Query) Snapshot() *Query {
	return q.at(q.model.Now())
}

// at returns the query on a snapshot, itself if it runs elsewhere than in main memory.
func (q *Query) at(m *Model) *Query {
	if q.model == m || !q.bound.Here() {
		return q
	}
	return q.on(m)
}

// on returns the query on a snapshot.
func (q *Query) on(m *Model) *Query {
	if at := q.latest.Load(); at != nil && at.model == m {
		return at
	}
	at := &Query{model: m, bound: q.bound.On(m.local()), names: q.names, limit: q.limit}
	at.degrees = onLater(q.degrees, m)
	at.explains = onLater(q.explains, m)
	q.latest.Store(at)
	return at
}

// onLater returns a function that makes a query on a snapshot once it is needed, nil if there is nothing to make.
func onLater(build func() *Query, m *Model) func() *Query {
	if build == nil {
		return nil
	}
	return sync.OnceValue(func() *Query {
		if q := build(); q != nil {
			return q.on(m)
		}
		return nil
	})
}

// fail returns the error, if there is one, with the query's name.
func (q *Query) fail(err error) error {
	if err == nil || q.names.Query == "" {
		return err
	}
	return fmt.Errorf("query %s: %w", q.names.Query, err)
}

// failIn says which query of a batch an error is of, if there are several.
func (q *Query) failIn(batch []scq.Bindings, failed int, err error) error {
	if failed < 0 || len(batch) == 1 {
		return q.fail(err)
	}
	return inBatch(failed, q, err)
}

// inBatch says which query of a batch an error is of.
func inBatch(i int, q *Query, err error) error {
	return fmt.Errorf("query %d of the batch: %w", i, q.fail(err))
}

// links returns the plan that finds the links of answers, nil if there is none.
func (q *Query) links() *run.Bound {
	d := q.Degrees()
	if d == nil {
		return nil
	}
	return &d.bound
}
