package judge

import (
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// Whole is a disjunct of a question with several answer variables, in which all of them are variables.
type Whole struct {
	Disjunct *scq.Disjunct
	Bindings scq.Bindings
	Places   []int // of the answer variables in the disjunct
}

// Within returns, by variable of the disjunct, the entities that it may be: the answer variables the given
// values, others any.
func (w *Whole) Within(values []graph.EntityID) [][]int32 {
	within := make([][]int32, len(w.Disjunct.Variables))
	for v, e := range values {
		within[w.Places[v]] = []int32{int32(e)}
	}
	return within
}

// Rows judges the rows of a question with several answer variables.
type Rows struct {
	Model     *model.Model
	Semantics model.Semantics
	Settings  *model.Settings
	Wholes    []Whole
	HeldOut   float64 // see Asking
	NoStatus  bool
	Budget    int // of each exact traversal
}

// Statuses finds the statuses of rows: a row follows if a disjunct does in which the answer variables have its
// values.
func (r *Rows) Statuses(ctx context.Context, rows [][]graph.EntityID) []Status {
	list := make([]Status, len(rows))
	if r.NoStatus {
		return list
	}
	solver := exact.Solver{Context: ctx, Budget: r.Budget}
	facts := appendFacts(nil, r.Model)
	for i, values := range rows {
		var follows Follows
		for k := range facts {
			follows[k] = r.follows(&solver, facts[:k+1], values)
			if follows[k] != Fails {
				break
			}
		}
		list[i] = follows.Status()
	}
	return list
}

// follows says whether a row follows from facts by a disjunct.
func (r *Rows) follows(solver *exact.Solver, facts exact.Facts, values []graph.EntityID) Truth {
	truth := Fails
	for i := range r.Wholes {
		w := &r.Wholes[i]
		found, err := solver.Values(facts, w.Disjunct, w.Bindings, 0, w.Within(values))
		switch {
		case err != nil:
			truth = Unclear
		case len(found) > 0:
			return Holds
		}
	}
	return truth
}

// IfMet returns, for rows that are not known, the chance that unknown values meet the filters by which the row follows; 0
// if it would not even follow then. nil stands for zeros.
func (r *Rows) IfMet(ctx context.Context, rows [][]graph.EntityID, statuses []Status) []float64 {
	var lettings []letting
	for i := range r.Wholes {
		lettings = appendLettings(lettings, i, r.Wholes[i].Disjunct, r.Wholes[i].Bindings)
	}
	if len(lettings) == 0 || r.NoStatus {
		return nil
	}
	likeliestFirst(lettings)
	solver := exact.Solver{Context: ctx, Budget: r.Budget}
	chances := make([]float64, len(rows))
	for i, values := range rows {
		if statuses[i] == Known {
			continue
		}
		follows := func(x letting) bool {
			found, err := solver.Values(exact.Facts{r.Model.Graph}, &x.disjunct, x.bindings, 0, r.Wholes[x.place].Within(values))
			return err == nil && len(found) > 0
		}
		if at := slices.IndexFunc(lettings, follows); at >= 0 {
			chances[i] = lettings[at].chance
		}
	}
	return chances
}

// Explained is a row with what its confidence follows from.
type Explained struct {
	Status Status
	IfMet  float64 // see Rows.IfMet
	Chance float64 // that its best witness is true
	Holds  float64 // that no missing fact refutes it
}

// Rests reports whether the row rests on a predicted link.
func (x *Explained) Rests() bool { return x.Status != Known && x.IfMet == 0 }

// Uncalibrated says why rows have no confidence; it is empty if they have one.
func (r *Rows) Uncalibrated() string {
	_, why := newScale(r.Model, r.Semantics, r.Settings, r.HeldOut, r.NoStatus, nil)
	return why
}

// Confidence returns the confidence of the row.
func (x *Explained) Confidence() float64 {
	switch {
	case x.Rests():
		return max(leastConfidence, x.Chance)
	case x.Status == Known:
		return max(leastConfidence, x.Holds)
	}
	return max(leastConfidence, x.IfMet*x.Holds)
}
