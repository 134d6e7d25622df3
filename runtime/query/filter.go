package query

import (
	"context"
	"errors"

	"github.com/efoc/efoc/runtime/rank"
	"github.com/efoc/efoc/runtime/scq"
)

// Filter says which answers are wanted. The zero Filter wants all of them.
//
// Entities are checked from the best one down until there are as many answers as asked for.
// The exact traversals of one call visit a hundred times Options.Budget candidates at most;
// then the answers found so far are returned, as Incomplete.
type Filter struct {
	// Statuses are those that an answer may have; none means any.
	Statuses Statuses
	// InRange leaves out answers that are OutOfRange.
	InRange bool
}

// searchBudgets is the number of Options.Budget that a search for answers may take.
const searchBudgets = 100

// any reports whether the filter leaves anything out.
func (f *Filter) any() bool { return *f != Filter{} }

// check reports a filter that nothing can pass, or that needs what is not computed.
func (f *Filter) check(m *Model, noStatus bool) error {
	switch {
	case f.Statuses == 0:
	case noStatus:
		return errors.New("option NoStatus leaves out what Filter.Statuses needs: leave out one of them")
	case f.Statuses == StatusesOf(Confirmed) && m.Heldout == nil:
		return errors.New("no answer can be confirmed, for the model holds no facts back")
	}
	return nil
}

// reportFiltered reports the best entities that the filter wants, out of all scores.
func (q *Query) reportFiltered(ctx context.Context, b scq.Bindings, o Options, answer Vector, sets []Vector) (*Answers, error) {
	var best [][]rank.Ranked
	if o.SetSize > 0 {
		for _, set := range sets {
			best = append(best, rank.Top(set, o.SetSize))
		}
	}
	return q.report(ctx, b, o, rank.Descending(answer), best)
}
