package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// tuples is a query with several answer variables, bound to one model in main memory. Its answers
// are rows: an entity for each variable. It asks queries with one answer variable, its parts, and
// is safe for concurrent use.
//
// The truth degree of a row (a, b, c) is the degree of c in the query in which a and b are entities.
// Under model.FIT it is the row's score. Under model.NSMP the score is the product of each entity's
// probability, with the other answer variables existential, and under model.Mixed the mixture of both,
// as package fit defines it.
type tuples struct {
	variables []string
	semantics model.Semantics
	marginals []*tuplePart   // by variable; nil under model.FIT
	rest, own [][]*tuplePart // by disjunct and variable; own has nil where it has no atoms
}

// tuplePart is a part with the index of its bindings.
type tuplePart struct {
	*Query
	at int
}

// placeholder returns the one in bindings for the value of the answer variable with that index. It
// differs from the id of an entity that was not set.
func placeholder(variable int) model.EntityID { return firstGiven - model.EntityID(variable) }

const firstGiven = model.EntityID(-2)

// given returns the bindings of a part with the values of the variables before its own.
func given(b scq.Bindings, values []model.EntityID) scq.Bindings {
	b.Constants = slices.Clone(b.Constants)
	for i, e := range b.Constants {
		if v := int(firstGiven - e); v >= 0 && v < len(values) {
			b.Constants[i] = values[v]
		}
	}
	return b
}

// newTuples makes the query of its parts, which are bound to the same model in main memory.
func newTuples(variables []string, s model.Semantics, roles []plan.Role, parts []*Query) *tuples {
	t := &tuples{variables: variables, semantics: s}
	if s != model.FIT {
		t.marginals = make([]*tuplePart, len(variables))
	}
	for i, r := range roles {
		part := &tuplePart{parts[i], i}
		if r.Disjunct < 0 {
			t.marginals[r.Variable] = part
			continue
		}
		if r.Disjunct == len(t.rest) {
			t.rest = append(t.rest, make([]*tuplePart, len(variables)))
			t.own = append(t.own, make([]*tuplePart, len(variables)))
		}
		list := t.rest
		if r.Own {
			list = t.own
		}
		list[r.Disjunct][r.Variable] = part
	}
	return t
}

// errTuplesHere refuses other places than main memory.
var errTuplesHere = errors.New("a query with several answer variables is answered in main memory: bind it to a model there, unsplit")

// first returns a part, which knows the model and the query's name.
func (t *tuples) first() *Query { return t.rest[0][0].Query }

// Model returns the model that the query is bound to.
func (t *tuples) model() *Model { return t.first().model }

// bytes bounds the memory of a search, beside the workspaces of its parts.
func (t *tuples) bytes() int64 {
	vector := 4 * int64(t.model().NumEntities())
	one := 2 * vector * int64(len(t.rest))
	return vector*int64(len(t.marginals)) + max(one, min(expansionBytes, prefixesAtOnce*one))
}

// uncalibrated is Query.Uncalibrated.
func (t *tuples) uncalibrated(s *model.Settings) string {
	_, why := t.first().model.calibration(t.semantics, s)
	return why
}

// on returns the query on a snapshot.
func (t *tuples) on(m *Model) *tuples {
	at := func(list []*tuplePart) []*tuplePart {
		list = slices.Clone(list)
		for i, p := range list {
			if p != nil {
				list[i] = &tuplePart{p.Query.on(m), p.at}
			}
		}
		return list
	}
	now := &tuples{variables: t.variables, semantics: t.semantics, marginals: at(t.marginals)}
	for i := range t.rest {
		now.rest, now.own = append(now.rest, at(t.rest[i])), append(now.own, at(t.own[i]))
	}
	return now
}

// answer returns the best rows. There are bindings for each part, in order, with Given for the values
// of the variables before the part's own. It uses K, Offset, Settings, NoStatus, Budget and Prefixes
// of the options, and Statuses and MinConfidence of their filter, and checks Show. A filter has the
// search look at the best mostFiltered rows at most, or at as many as are wanted.
func (t *tuples) answer(ctx context.Context, bindings []scq.Bindings, o Options) (r *Reply, err error) {
	now := t.model().Now()
	t = t.on(now)
	o, err = t.check(bindings, o)
	if err != nil {
		return nil, t.first().fail(err)
	}
	err = t.first().guard(func() error {
		most := max(o.Offset+o.K, mostFiltered)
		for keep := o.Offset + o.K; ; keep = min(filterReach*keep, most) {
			s := &tupleSearch{tuples: t, bindings: bindings, options: o, n: now.NumEntities()}
			s.rows.keep = keep
			if s.options.Prefixes == 0 {
				s.options.Prefixes = max(DefaultPrefixes, 2*keep)
			}
			if err := s.run(ctx); err != nil {
				return err
			}
			r, err = s.report(ctx)
			if err != nil || !o.Filter.any() || len(r.Rows) == o.K || len(s.rows.list) < keep {
				return err
			}
			if keep == most {
				r.Incomplete = true
				return nil
			}
		}
	})
	return r, t.first().fail(err)
}

// mostFiltered is how many rows a search looks at for those that a filter wants.
const mostFiltered = 4096

// check checks the bindings and completes the options.
func (t *tuples) check(bindings []scq.Bindings, o Options) (Options, error) {
	none := make([]model.EntityID, len(t.variables))
	for _, list := range slices.Concat([][]*tuplePart{t.marginals}, t.rest, t.own) {
		for _, p := range list {
			if p == nil {
				continue
			}
			if err := p.checkBindings(given(bindings[p.at], none)); err != nil {
				return o, err
			}
		}
	}
	if err := t.checkOptions(o); err != nil {
		return o, err
	}

	// There may be more rows than entities, which bound other answers.
	k := cmp.Or(o.K, DefaultK)
	offset := o.Offset
	o, err := o.withDefaults(t.model())
	o.K, o.Offset = k, offset
	return o, err
}

// checkOptions reports options that the query cannot be answered with.
func (t *tuples) checkOptions(o Options) error {
	if err := o.Check(t.model()); err != nil {
		return err
	}
	if o.K > MaxRows || o.Offset > MaxRows {
		return fmt.Errorf("%d rows after the first %d are wanted: of both, %d is the limit", cmp.Or(o.K, DefaultK), o.Offset, MaxRows)
	}
	return cmp.Or(t.checkFilter(o.Filter, o.Settings), t.checkShow(o.Show))
}

// checkFilter reports a filter that is not one of rows, or that needs confidences where there are none.
func (t *tuples) checkFilter(f Filter, s *model.Settings) error {
	if f.InRange || f.Type != (model.Type{}) {
		return errors.New("rows of several answer variables are filtered by status and confidence alone: " +
			"state the type of a variable as an atom, as in x, y: borders(x, y) & in_continent(x, \"Europe\")")
	}
	if why := t.uncalibrated(s); f.MinConfidence > 0 && why != "" {
		return noConfidence(why)
	}
	return nil
}

// MaxRows bounds the rows of an answer, and those before them.
const MaxRows = 1 << 20

// checkShow is Query.CheckShow.
func (t *tuples) checkShow(variables []string) error {
	var known plan.Names
	for _, parts := range t.rest {
		known.Variables = append(known.Variables, parts[len(parts)-1].names.Variables...)
	}
	for _, name := range variables {
		if slices.Contains(t.variables, name) {
			return fmt.Errorf("variable %q is an answer variable: show variables under exists", name)
		}
	}
	return checkShow(known, variables)
}
