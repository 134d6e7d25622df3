package runtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// options fills in the options and checks that the plan is for them.
func (q *Query) options(o Options) (Options, error) {
	opts, err := o.withDefaults(q.model)
	opts.Settings = q.possible(opts.Settings)
	if err == nil {
		err = checkShow(q.names, o.Show)
	}
	if err == nil {
		err = q.checkLayers(opts.Settings)
	}
	if err == nil && opts.Filter.MinConfidence > 0 {
		if why := q.Uncalibrated(opts.Settings); why != "" {
			err = badOption("MinConfidence", "%s", why)
		}
	}
	return opts, err
}

// possible returns the settings by which the query can answer: truth degrees on a device leave
// regularities out.
func (q *Query) possible(s *model.Settings) *model.Settings {
	if !q.bound.OnDevice() || s == nil || q.bound.Plan.Semantics == model.NSMP || !q.model.bundle.Manifest.ScoreTerms.Any() {
		return s
	}
	without := *s
	without.Degrees = s.Degrees.OrDefault()
	without.Degrees.Regularities = false
	return &without
}

// checkLayers reports settings for another number of layers than the plan's.
func (q *Query) checkLayers(s *model.Settings) error {
	p := q.bound.Plan
	if p.Semantics == model.FIT || s.Layers == p.Layers {
		return nil
	}
	return badOption("Settings", "the plan was compiled for %s layers, the settings ask for %s: compile it with that number",
		layerText(p.Layers), layerText(s.Layers))
}

func layerText(l int) string {
	if l == 0 {
		return "D+1"
	}
	return fmt.Sprint(l)
}

// readyBatch is ready for each of a batch.
func (q *Query) readyBatch(batch []scq.Bindings) ([]scq.Bindings, error) {
	given := batch
	for i, b := range given {
		ready, err := q.ready(b)
		if err != nil {
			return nil, inBatch(i, q, err)
		}
		if b.Filters != nil {
			if &batch[0] == &given[0] {
				batch = slices.Clone(given)
			}
			batch[i] = ready
		}
	}
	return batch, nil
}

// ready checks what fills the slots, and returns it with the entities that meet the filters by the facts that the query
// reads: bindings may have been made by earlier ones.
func (q *Query) ready(b scq.Bindings) (scq.Bindings, error) {
	if err := q.checkBindings(b); err != nil || !q.bound.Here() || b.Filters == nil {
		return b, err
	}
	b.Filters = slices.Clone(b.Filters)
	for i, f := range b.Filters {
		b.Filters[i] = q.model.bundle.Reselect(f)
	}
	return b, nil
}

// checkShow reports variables that cannot be shown because no disjunct has them under exists.
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
			return badOption("Show", "variable %q is to be shown twice", name)
		case slices.Contains(known, name):
		case name == n.Variables[0][0]:
			return badOption("Show", "variable %q is the free one, which is the answer itself: show variables under exists", name)
		case len(known) == 0:
			return badOption("Show", "variable %q cannot be shown: the query has no variable under exists", name)
		default:
			return badOption("Show", "variable %q cannot be shown: the query has %s under exists", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// Uncalibrated says why answers under the given settings have no confidence; it is empty if
// they have one. nil settings are the model's.
func (q *Query) Uncalibrated(s *model.Settings) string {
	s = q.possible(cmp.Or(s, &q.model.bundle.Manifest.Settings))
	_, why := judge.Calibration(q.bound.Model, q.bound.Plan.Semantics, s)
	return why
}

// bindNames gives a plan with a Bind function what the names in the query stand for, and runs that function
// unless it shall run with the first question.
func (q *Query) bindNames(bindings scq.Bindings, lazily bool) error {
	l, is := q.bound.Local()
	if !is || !l.Binds() {
		return nil
	}
	bindings, err := q.ready(bindings)
	if err != nil {
		return q.fail(err)
	}
	l.Bind(bindings)
	if lazily {
		return nil
	}
	return q.fail(q.bound.Guard(func() error { return l.Prepare(context.Background(), q.model.bundle.Manifest.Settings) }))
}

// checkBindings reports a slot that is unfilled, or filled with an id that the
// model lacks.
func (q *Query) checkBindings(b scq.Bindings) error {
	p := q.bound.Plan
	m := q.model
	if len(b.Constants) != p.Constants || len(b.Relations) != p.Relations {
		return fmt.Errorf("shape %s takes %d entities and %d relations, got %d and %d",
			p.Shape, p.Constants, p.Relations, len(b.Constants), len(b.Relations))
	}
	for i, e := range b.Constants {
		if b.Filter(e) == nil {
			if err := checkID(slotName(q.names.Constants, i), plan.EntityParam, int(e), m.NumEntities()); err != nil {
				return err
			}
		} else if !scq.TakesFilter(p.Disjuncts, i) {
			return fmt.Errorf("shape %s takes an entity as s%d, not a filter", p.Shape, i+1)
		}
	}
	for i, r := range b.Relations {
		if err := checkID(slotName(q.names.Relations, i), plan.RelationParam, int(r), m.NumRelations()); err != nil {
			return err
		}
	}
	return nil
}

// slotName returns the name of the parameter that fills a slot, "" if none does.
func slotName(names []string, slot int) string {
	if slot < len(names) {
		return names[slot]
	}
	return ""
}
