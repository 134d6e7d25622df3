// Package explain finds the best witness of an answer by truth degrees: the values of the existential variables, and
// the truth degree of each atom at them. It numbers entities and relations; package runtime names them.
package explain

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Witness explains an answer. It has neither values nor atoms if the K best contain none.
type Witness struct {
	Answer   graph.EntityID
	Degree   float32          // the product of its atoms' degrees
	Disjunct int              // the disjunct that gives the answer its largest degree
	Values   []graph.EntityID // of the disjunct's variables, the answer first
	Atoms    []Atom
	Filters  []FilterAtom
}

// FilterAtom is a filter that an entity of a witness meets.
type FilterAtom struct {
	*model.Selection
	Entity graph.EntityID
}

// Atom is an atom of a witness, as the plan reads it.
type Atom struct {
	plan.Link
	Index   int // in the disjunct
	Negated bool
	// Observed says that the link is in the observed graph.
	Observed bool
	// Fails says why the atom does not hold in the graph: see Nearest.
	Fails Failure
}

// Same is the relation of the inequalities in a witness that Nearest finds.
const Same = graph.RelationID(scq.Identity)

// Failure says why an atom does not hold in the graph; it is empty if it does.
type Failure string

// The failures.
const (
	FailsPredicted Failure = "predicted" // the graph lacks the link
	FailsRefuted   Failure = "refuted"   // it has all facts of the relation, or the link is marked as not true
	FailsNegated   Failure = "negated"   // it has the link, which the question negates
)

// Answers explains answers of a plan of truth degrees, in order, by running it.
func Answers(ctx context.Context, x *run.Bound, b scq.Bindings, s *model.Settings, answers []graph.EntityID) ([]Witness, error) {
	witnesses, err := Batch(ctx, x, []scq.Bindings{b}, s, [][]graph.EntityID{answers})
	return witnesses[0], err
}

// Batch explains answers to each of several questions of a plan, which run together.
func Batch(ctx context.Context, x *run.Bound, batch []scq.Bindings, s *model.Settings, answers [][]graph.EntityID) ([][]Witness, error) {
	witnesses := make([][]Witness, len(batch))
	_, err := x.Each(ctx, batch, run.Want{Settings: *s}, func(i int, r run.Result) error {
		w := r.Workspace()
		switch {
		case w == nil && x.Split():
			return run.ErrNeedsWhole
		case w == nil:
			return run.ErrElsewhere
		case !w.HasLinks():
			return fmt.Errorf("the plan of shape %s leaves no truth degrees to explain answers by: set its Degrees", x.Plan.Shape)
		}
		for _, a := range answers[i] {
			if err := pause.Here(ctx); err != nil {
				return err
			}
			t, err := w.Degrees().Trace(int32(a), x.Plan.Disjuncts)
			if err != nil {
				return err
			}
			witnesses[i] = append(witnesses[i], witness(x, batch[i], a, t))
		}
		return nil
	})
	return witnesses, err
}

// witness converts the trace of an answer.
func witness(x *run.Bound, b scq.Bindings, answer graph.EntityID, t fit.Trace) Witness {
	w := Witness{Answer: answer, Disjunct: t.Disjunct, Degree: t.Degree}
	if t.Degree == 0 {
		return w
	}
	for _, e := range t.Values {
		w.Values = append(w.Values, graph.EntityID(e))
	}
	value := func(x scq.Term) graph.EntityID {
		if x.Constant {
			return b.Constants[x.Index]
		}
		return w.Values[x.Index]
	}
	disjunct := &x.Plan.Disjuncts[t.Disjunct]
	for _, f := range disjunct.Filters {
		w.Filters = append(w.Filters, FilterAtom{b.Filters[f.Slot], w.Values[f.Variable]})
	}
	for i, a := range disjunct.Atoms {
		if a.Unequal() {
			continue
		}
		link := plan.Link{
			Degree: float64(t.Degrees[i]), Relation: b.Relations[a.Relation],
			Head: value(a.Head), Tail: value(a.Tail), Needed: a.Given(),
		}
		observed := x.Model.Graph.Has(link.Head, link.Relation, link.Tail)
		w.Atoms = append(w.Atoms, Atom{Link: link, Index: i, Negated: a.Negated, Observed: observed})
	}
	return w
}
