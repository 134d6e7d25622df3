package runtime

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/internal/explain"
	"github.com/efoc/efoc/runtime/internal/search"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// WhyNot explains why entities are not an answer, or that they are one.
type WhyNot struct {
	// Row are the entities as an answer, with score and status. Confidence is for one variable. If the status is Known, no
	// part of Nearest fails, except perhaps the type that answers must have, its last atom.
	Row Row `json:"row"`
	// Rank is the rank by score among all entities, from 1; 0 for several variables.
	Rank int `json:"rank,omitempty"`
	// Nearest has the values of the existential variables that come closest to making the entities an answer, by the
	// disjunct with the greatest degree, and says which of its parts fail: see WitnessAtom.Fails; a filter fails if
	// its degree is below 1.
	//
	// Its degree is the largest product over the parts. Those that hold in the graph count 1; a negated link need only
	// be absent. A link that the graph lacks counts its truth degree, without Degrees.Threshold. A part that stored
	// facts refute counts 0.001, times the truth degree of a link.
	Nearest Witness `json:"nearest"`
	// Others are the degrees of the other disjuncts, largest first.
	Others []float32 `json:"others,omitempty"`
	// Proved says that no other values give a larger degree. Otherwise the search reached its bound.
	Proved bool `json:"proved"`
}

// Fails counts the parts that do not hold.
func (w *WhyNot) Fails() (n int) {
	for _, a := range w.Nearest.Atoms {
		if a.Fails != "" {
			n++
		}
	}
	for _, f := range w.Nearest.Filters {
		if f.Degree < 1 {
			n++
		}
	}
	return n
}

// branch is a disjunct in which the answer variables have values.
type branch struct {
	by       *query
	disjunct int // of the query
	bindings scq.Bindings
	given    []graph.EntityID // by variable
}

// WhyNot explains why entities, one for each answer variable in the order of Spec.Variables, are not an answer. Unlike
// Why it considers all entities as values of the existential variables. It reads Settings, Budget, HeldOut and
// Filter.Type of the options.
func (q *Question) WhyNot(ctx context.Context, a Args, o Options, values ...graph.EntityID) (w *WhyNot, err error) {
	if err := q.checkWhyNot(values); err != nil {
		return nil, q.fail(err)
	}
	o, err = q.read(o)
	if err != nil {
		return nil, err
	}
	x, err := q.asking(q.Model().Now(), a)
	if err != nil {
		return nil, err
	}
	err = x.parts[0].bound.Guard(func() (err error) {
		w, err = x.whyNot(ctx, o, values)
		return err
	})
	return w, q.fail(err)
}

// checkWhyNot reports values that cannot be an answer of the question.
func (q *Question) checkWhyNot(values []graph.EntityID) error {
	m := q.Model()
	switch {
	case !q.spec.Kind.Lists():
		return badOption("Entities", "they are for answers, and the question asks %s", q.spec.Kind.Asks())
	case len(values) != len(q.spec.Variables):
		return badOption("Entities", "want one for each of the answer variables %s, not %d", strings.Join(q.spec.Variables, ", "), len(values))
	case m.Split():
		return ErrNeedsWhole
	}
	for _, e := range values {
		if err := checkID("", plan.EntityParam, int(e), m.NumEntities()); err != nil {
			return err
		}
	}
	return nil
}

// whyNot is Question.WhyNot.
func (x *asking) whyNot(ctx context.Context, o Options, values []graph.EntityID) (*WhyNot, error) {
	w := &WhyNot{Proved: true}
	var branches []branch
	var err error
	if x.spec.Kind == plan.Rows {
		branches, err = x.rowBranches(ctx, o, values, w)
	} else {
		branches, err = x.answerBranches(ctx, o, values[0], w)
	}
	if err != nil {
		return nil, err
	}
	m := branches[0].by.model
	rows, err := m.degreeRows(o.Settings)
	if err != nil {
		return nil, err
	}

	for _, b := range branches {
		found, proved, err := explain.Nearest(ctx, explain.Claim{
			Model: m.bundle, Disjunct: &b.by.bound.Plan.Disjuncts[b.disjunct], Bindings: b.bindings, Given: b.given, Rows: rows,
		})
		if err != nil {
			return nil, err
		}
		found.Disjunct = b.disjunct
		named := b.by.witness(&found)
		named.Disjunct = len(w.Others)
		w.Proved = w.Proved && proved
		w.Others = append(w.Others, named.Degree)
		if named.Disjunct == 0 || named.Degree > w.Nearest.Degree {
			w.Nearest = named
		}
	}
	w.Others = slices.Delete(w.Others, w.Nearest.Disjunct, w.Nearest.Disjunct+1)
	slices.SortFunc(w.Others, func(a, b float32) int { return cmp.Compare(b, a) })
	w.Nearest.Values = slices.DeleteFunc(w.Nearest.Values, func(v Value) bool { return slices.Contains(x.spec.Variables, v.Variable) })
	for _, t := range []model.Type{branches[0].by.limit, o.Filter.Type} {
		w.Nearest.addType(m, t, values[0])
	}
	explained := []Witness{w.Nearest}
	_, err = m.believe(ctx, explained, LinkOptions{Semantics: &x.spec.Semantics})
	return w, err
}

// answerBranches returns the disjuncts of a question for one variable, and sets the row and rank of its value.
func (x *asking) answerBranches(ctx context.Context, o Options, e graph.EntityID, w *WhyNot) (branches []branch, err error) {
	first := &x.parts[0]
	err = first.each(ctx, []scq.Bindings{first.bindings}, o.Settings, func(_ int, r *Run) error {
		judged, err := r.Judge(o, []graph.EntityID{e})
		if err != nil {
			return err
		}
		w.Row = judged.Rows[0]
		w.Rank = 1
		for other, score := range r.Scores() {
			if score > w.Row.Score || score == w.Row.Score && graph.EntityID(other) < e {
				w.Rank++
			}
		}
		return nil
	})
	for d := range first.bound.Plan.Disjuncts {
		given := slices.Repeat([]graph.EntityID{explain.None}, len(first.bound.Plan.Disjuncts[d].Variables))
		given[0] = e
		branches = append(branches, branch{first.query, d, first.bindings, given})
	}
	return branches, err
}

// rowBranches returns the disjuncts of a question for several variables, and sets the row.
func (x *asking) rowBranches(ctx context.Context, o Options, values []graph.EntityID, w *WhyNot) (branches []branch, err error) {
	rows, err := x.rowsAsked(o)
	if err != nil {
		return nil, err
	}
	searched := make([]graph.EntityID, len(values))
	for position := range values {
		searched[position] = values[x.spec.Searched(position)]
	}
	s := search.Search{Parts: &rows.search, Settings: rows.options.Settings}
	score, err := s.Score(ctx, searched)
	if err != nil {
		return nil, err
	}
	row := foundRow{Row: search.Row{Values: searched, Score: score}, status: rows.judge.Statuses(ctx, [][]graph.EntityID{searched})[0]}
	w.Row = rows.named([]*foundRow{&row})[0]
	for d, whole := range rows.judge.Wholes {
		given := slices.Repeat([]graph.EntityID{explain.None}, len(whole.Disjunct.Variables))
		for position, e := range searched {
			given[whole.Places[position]] = e
		}
		branches = append(branches, branch{x.parts[x.rows.rest[d][0]].query, 0, whole.Bindings, given})
	}
	return branches, ctx.Err()
}

// degreeRows returns a function that computes truth degrees of links on the facts of the model, however small.
func (m *Model) degreeRows(s *model.Settings) (func(context.Context, []explain.Row) ([][]float32, error), error) {
	all := *s
	all.Degrees = s.Degrees.OrDefault()
	all.Degrees.Threshold = 0
	q, err := m.linkQuestion(model.FIT, &all)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, rows []explain.Row) ([][]float32, error) {
		found := make([][]float32, len(rows))
		args := make([]Args, len(rows))
		for i, r := range rows {
			args[i] = q.spec.Args(int32(r.From), int32(r.Relation))
		}
		err := q.Each(ctx, args, &all, func(i int, r *Run) error {
			found[i] = slices.Clone(r.Scores())
			return nil
		})
		return found, err
	}, nil
}
