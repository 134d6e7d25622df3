package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Show sets the Shown values of answers to the values of some existential variables in the best witness of
// each: see Options.Show. nil settings are the model's.
func (q *Query) Show(ctx context.Context, b scq.Bindings, s *model.Settings, r *Reply, variables []string) error {
	if err := q.CheckShow(variables); err != nil {
		return q.fail(err)
	}
	if len(variables) == 0 || len(r.Rows) == 0 {
		return nil
	}
	q = q.Snapshot()
	var ids []model.EntityID
	for _, row := range r.Rows {
		ids = append(ids, row.Values[0].ID)
	}
	witnesses, err := q.Witnesses(ctx, b, s, ids)
	if err != nil {
		return err
	}
	for i, w := range witnesses {
		shown := []Value{}
		for _, name := range variables {
			at := slices.IndexFunc(w.Values, func(v Value) bool { return v.Variable == name })
			if at >= 0 {
				shown = append(shown, w.Values[at])
			}
		}
		r.Rows[i].Shown = shown
	}
	return nil
}

// CheckShow reports variables that cannot be shown because no disjunct has them under exists.
func (q *Query) CheckShow(variables []string) error { return checkShow(q.names, variables) }

func checkShow(n plan.Names, variables []string) error {
	var known []string
	for _, names := range n.Variables {
		for _, name := range names[1:] {
			if !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	for i, name := range variables {
		switch {
		case slices.Contains(variables[:i], name):
			return fmt.Errorf("variable %q is to be shown twice", name)
		case slices.Contains(known, name):
		case name == n.Variables[0][0]:
			return fmt.Errorf("variable %q is the free one, which is the answer itself: show variables under exists", name)
		case len(known) == 0:
			return fmt.Errorf("variable %q cannot be shown: the query has no variable under exists", name)
		default:
			return fmt.Errorf("variable %q cannot be shown: the query has %s under exists", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// shown completes what was answered by the values that the options ask for.
func (q *Query) shown(ctx context.Context, b scq.Bindings, o Options, r *Reply, err error) (*Reply, error) {
	if err != nil || len(o.Show) == 0 {
		return r, q.fail(err)
	}
	if err := q.Show(ctx, b, o.Settings, r, o.Show); err != nil {
		return nil, err
	}
	return r, nil
}
