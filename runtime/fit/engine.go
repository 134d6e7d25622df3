package fit

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime"
)

// Engine computes truth degrees for the patterns of one query shape. It is safe for
// concurrent use.
type Engine struct {
	rows     *Rows
	plans    []*plan // of the disjuncts
	observed bool
}

// New returns the engine for the disjuncts of a shape.
func New(rows *Rows, patterns []runtime.Pattern) *Engine {
	e := &Engine{rows: rows, observed: true}
	for i := range patterns {
		e.plans = append(e.plans, newPlan(&patterns[i]))
	}
	return e
}

// maxTogether is the number of queries that run together at most: their states lie in
// memory side by side.
const maxTogether = 64

// Sets names the fuzzy sets that Scores hands out: the existential variables that
// constants tell something of.
func (e *Engine) Sets() []runtime.PlanSet {
	var sets []runtime.PlanSet
	for i, p := range e.plans {
		for v := 1; v < len(p.informed); v++ {
			if p.informed[v] {
				sets = append(sets, runtime.PlanSet{SCQ: i, Variable: v})
			}
		}
	}
	return sets
}

// Scores answers the queries of a batch: use is called once for each index, one call
// at a time, with the degree of every entity and the sets that Sets names. The
// vectors have length n and are valid until use returns. The sets hold the degrees
// that variables had when the plan was done with them.
func (e *Engine) Scores(ctx context.Context, batch []runtime.Bindings, d runtime.Degrees, use func(i int, answer runtime.Vector, sets []runtime.Vector) error) error {
	if err := d.Validate(); err != nil {
		return err
	}
	n := e.rows.model.NumEntities()
	names := e.Sets()
	answer, other := make(runtime.Vector, n), make(runtime.Vector, n)
	sets := make([]runtime.Vector, len(names))
	for i := range sets {
		sets[i] = make(runtime.Vector, n)
	}
	acc := e.rows.room()
	defer e.rows.rooms.Put(acc)
	for lo := 0; lo < len(batch); lo += maxTogether {
		part := batch[lo:min(lo+maxTogether, len(batch))]
		done := make([][]*state, len(e.plans))
		for p := range e.plans {
			var err error
			if done[p], err = e.machine(p, d).run(ctx, part); err != nil {
				return err
			}
		}
		for i := range part {
			for p := range e.plans {
				m, s := e.machine(p, d), done[p][i]
				if p == 0 {
					m.answer(s, answer, acc)
					continue
				}
				m.answer(s, other, acc)
				for j, q := range other {
					answer[j] += (1 - answer[j]) * q
				}
			}
			for k, set := range names {
				m, s := e.machine(set.SCQ, d), done[set.SCQ][i]
				if len(s.weights) == 0 {
					clear(sets[k])
					continue
				}
				m.combined(s, s.vars[set.Variable], acc).dense(sets[k])
			}
			if err := use(lo+i, answer, sets); err != nil {
				return fmt.Errorf("query %d of the batch: %w", lo+i, err)
			}
		}
	}
	return nil
}

// machine returns what runs the plan of a disjunct.
func (e *Engine) machine(p int, d runtime.Degrees) *machine {
	return &machine{rows: e.rows, plan: e.plans[p], settings: d.OrDefault(), observed: e.observed, n: e.rows.model.NumEntities()}
}
