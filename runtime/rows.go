package runtime

import (
	"cmp"
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/search"
)

// rowsReply returns the best rows. It reads K, Offset, Settings, NoStatus, HeldOut, Budget and Prefixes of the
// options, Statuses and MinConfidence of their filter, and checks Show. A filtered search examines the best
// mostFiltered rows, or as many as the page needs if that is more. If ctx ends, rowsReply returns the rows found so
// far with the error.
func (x *asking) rowsReply(ctx context.Context, o Options) (r *Reply, err error) {
	rows, err := x.rowsAsked(o)
	if err != nil {
		return nil, x.fail(err)
	}
	err = x.parts[0].bound.Guard(func() (err error) {
		r, err = rows.answer(ctx)
		return err
	})
	return r, x.fail(err)
}

// rowsAsked checks the options of a question for rows and assigns its parts their roles.
func (a *asking) rowsAsked(o Options) (*rowsAsked, error) {
	o, err := a.rowOptions(o)
	if err != nil {
		return nil, err
	}

	x := &rowsAsked{asking: a, options: o}
	s := a.spec
	x.search = search.Parts{Variables: len(s.Variables), Semantics: s.Semantics, Marginals: x.searched(a.rows.marginals)}
	x.judge = judge.Rows{
		Model: a.parts[0].model.bundle, Semantics: s.Semantics, Settings: x.options.Settings,
		HeldOut: o.HeldOut, NoStatus: o.NoStatus, Budget: x.options.Budget,
	}
	for d, rest := range a.rows.rest {
		parts := x.searched(rest)
		x.search.Rest = append(x.search.Rest, parts)
		x.search.Own = append(x.search.Own, x.searched(a.rows.own[d]))
		whole := parts[0]
		for v := range s.Variables {
			name := s.Variables[s.Searched(v)]
			whole.Places = append(whole.Places, slices.Index(x.parts[rest[0]].names.variables[0], name))
		}
		x.judge.Wholes = append(x.judge.Wholes, judge.Whole{Disjunct: &whole.Plan.Disjuncts[0], Bindings: whole.Bindings, Places: whole.Places})
	}
	return x, nil
}

// searched returns the parts with some indices, nil for noPart.
func (x *rowsAsked) searched(indices []int) []*search.Part {
	list := make([]*search.Part, len(indices))
	for i, at := range indices {
		if at != noPart {
			list[i] = &search.Part{Bound: x.parts[at].bound, Bindings: x.parts[at].bindings}
		}
	}
	return list
}

// answer searches until it has enough rows to fill the page.
func (x *rowsAsked) answer(ctx context.Context) (*Reply, error) {
	o := &x.options
	wanted := o.Offset + o.K
	most := max(wanted, mostFiltered)
	statuses := cmp.Or(o.Filter.Statuses, ^Unchecked)
	var before *Reply // of a search for fewer rows
	for keep := wanted; ; keep = min(filterReach*keep, most) {
		s := &search.Search{
			Parts: &x.search, Settings: o.Settings, Keep: keep, Prefixes: cmp.Or(o.Prefixes, max(DefaultPrefixes, 2*keep)),
			Known:  !o.NoStatus && statuses&Known != 0,
			Others: o.NoStatus || statuses&^(Known|Undecided) != 0, Doubtful: statuses&Undecided != 0,
			Budget: o.Budget,
		}
		found, err := s.Run(ctx)
		if found == nil {
			return nil, err
		}
		r, err := x.report(ctx, found, keep)
		switch {
		case r == nil:
			return nil, err
		case err != nil && before != nil && len(before.Rows) >= len(r.Rows):
			before.Incomplete = true
			return before, err
		case err != nil, found.Known, o.Filter == (AnswerFilter{}), len(r.Rows) == o.K, len(found.Rows) < keep:
			return r, err
		case keep == most:
			r.Incomplete = true
			return r, nil
		}
		before = r
	}
}
