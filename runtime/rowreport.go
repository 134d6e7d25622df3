package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/internal/explain"
	"github.com/efoc/efoc/runtime/internal/judge"
	"github.com/efoc/efoc/runtime/internal/search"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// foundRow is a row of the search, with status, witness and confidence.
type foundRow struct {
	search.Row
	status     judge.Status
	ifMet      float64  // see judge.Rows.IfMet
	witness    *Witness // the best one, nil if there is none
	confidence float64
	basis      *Basis
}

// report converts the rows of a search for keep rows to a reply: it finds their statuses, filters them, and explains
// and names the page. Once ctx has ended, it adds no more witnesses, leaves statuses undecided, and returns the error
// of ctx with the reply.
func (x *rowsAsked) report(ctx context.Context, found *search.Found, keep int) (*Reply, error) {
	all := make([]foundRow, len(found.Rows))
	values := make([][]graph.EntityID, len(found.Rows))
	for i, row := range found.Rows {
		all[i] = foundRow{Row: row}
		values[i] = row.Values
	}
	if found.Known {
		for i := range all {
			all[i].status = judge.Known
		}
	} else {
		statuses := x.judge.Statuses(ctx, values)
		for i, s := range statuses {
			all[i].status = s
		}
		for i, chance := range x.judge.IfMet(ctx, values, statuses) {
			all[i].ifMet = chance
		}
	}

	filter := x.options.Filter.of(model.Type{})
	var passing []*foundRow
	for i := range all {
		if filter.Admits(all[i].status) {
			passing = append(passing, &all[i])
		}
	}
	explained := passing
	if filter.MinConfidence == 0 {
		explained = x.page(passing)
	}
	why, err := x.confide(ctx, explained)
	ended := ctx.Err()
	if err != nil && ended == nil {
		return nil, err
	}
	if filter.MinConfidence > 0 {
		passing = slices.DeleteFunc(passing, func(r *foundRow) bool { return r.confidence < filter.MinConfidence })
	}

	r := &Reply{
		Kind: plan.Rows, Variables: x.spec.Variables, Semantics: x.spec.Semantics, Rows: x.named(x.page(passing)),
		Uncalibrated: why, Proved: found.Proved, Searched: found.Searched,
		Incomplete: found.Cut || ended != nil,
	}
	if end := x.options.Offset + x.options.K; len(passing) > end || len(passing) == end && len(all) == keep {
		r.Next = end
	}
	return r, ended
}

// page returns the K rows after the first Offset ones.
func (x *rowsAsked) page(passing []*foundRow) []*foundRow {
	from := min(x.options.Offset, len(passing))
	return passing[from:min(from+x.options.K, len(passing))]
}

// named names the entities of rows. It returns an empty list, never nil, which JSON would write as null.
func (x *rowsAsked) named(list []*foundRow) []Row {
	m := x.parts[0].model
	rows := make([]Row, len(list))
	width := len(x.spec.Variables)
	all := make([]Value, len(list)*width)
	for i, r := range list {
		values := all[i*width : (i+1)*width : (i+1)*width]
		for position, e := range r.Values {
			v := x.spec.Searched(position)
			values[v] = m.named(x.spec.Variables[v], e)
		}
		rows[i] = Row{
			Values: values, Score: r.Score, Confidence: r.confidence, Basis: r.basis,
			Status: Status(r.status), Witness: r.witness,
		}
	}
	return rows
}

// confide finds the witnesses of rows and computes confidences from them, or says why there are none.
func (x *rowsAsked) confide(ctx context.Context, rows []*foundRow) (why string, err error) {
	err = x.explain(ctx, rows)
	why = x.judge.Uncalibrated()
	if why == "" && err == nil {
		why, err = x.believe(ctx, rows)
	}
	if why != "" {
		return why, err
	}
	list := make([]judge.Explained, len(rows))
	for i, r := range rows {
		list[i] = r.explained()
		if err != nil && list[i].Rests() {
			return "the time was over before there was evidence", err
		}
	}
	for i, r := range rows {
		r.confidence = list[i].Confidence()
		if list[i].Rests() {
			r.basis = r.witness.leastLikely()
		}
	}
	return "", err
}

// believe sets the confidence of the predicted links in the witnesses of rows, or says why there is none.
func (x *rowsAsked) believe(ctx context.Context, rows []*foundRow) (uncalibrated string, err error) {
	var witnesses []Witness
	for _, r := range rows {
		if r.witness != nil {
			witnesses = append(witnesses, *r.witness)
		}
	}
	o := LinkOptions{Semantics: &x.spec.Semantics}
	o.Settings = x.options.Settings
	o.HeldOut = x.options.HeldOut
	o.Budget = x.options.Budget
	return x.parts[0].model.believe(ctx, witnesses, o)
}

// explained returns what the confidence of the row follows from.
func (r *foundRow) explained() judge.Explained {
	x := judge.Explained{Status: r.status, IfMet: r.ifMet, Holds: 1}
	if r.witness == nil {
		return x
	}
	x.Chance = 1
	for _, f := range r.witness.Filters {
		if f.Degree > 0 { // or its entity is guessed
			x.Chance *= float64(f.Degree)
		}
	}
	for _, a := range r.witness.Atoms {
		if !a.Observed {
			x.Chance *= a.Confidence
		}
		if a.Negated {
			x.Holds *= a.Confidence
		}
	}
	return x
}

// explain finds the best witness of each row. Rows that differ in the last value alone are explained together.
func (x *rowsAsked) explain(ctx context.Context, rows []*foundRow) error {
	last := len(x.spec.Variables) - 1
	alike := map[string][]*foundRow{}
	var order []string
	for _, r := range rows {
		key := fmt.Sprint(r.Values[:last])
		if alike[key] == nil {
			order = append(order, key)
		}
		alike[key] = append(alike[key], r)
	}
	for _, key := range order {
		for d := range x.rows.rest {
			if err := x.explainAlike(ctx, d, alike[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// explainAlike finds the witnesses, by one disjunct, of rows that differ only in their last value. A witness has the
// atoms and filters of all values of its row.
func (x *rowsAsked) explainAlike(ctx context.Context, d int, rows []*foundRow) error {
	last := len(x.spec.Variables) - 1
	before := rows[0].Values[:last]
	own := Witness{Degree: 1}
	for v, e := range before {
		at := x.rows.own[d][v]
		if at == noPart {
			continue
		}
		found, err := x.witnesses(ctx, at, before[:v], e)
		if err != nil {
			return err
		}
		own.Degree *= found[0].Degree
		own.Atoms = append(own.Atoms, found[0].Atoms...)
		own.Filters = append(own.Filters, found[0].Filters...)
	}
	ends := make([]graph.EntityID, len(rows))
	for i, r := range rows {
		ends[i] = r.Values[last]
	}
	found, err := x.witnesses(ctx, x.rows.rest[d][last], before, ends...)
	if err != nil {
		return err
	}
	for i, w := range found {
		w.Disjunct = d
		w.Degree = own.Degree * w.Degree
		w.Atoms = slices.Concat(own.Atoms, w.Atoms)
		w.Filters = slices.Concat(own.Filters, w.Filters)
		r := rows[i]
		if w.Degree > 0 && (r.witness == nil || w.Degree > r.witness.Degree) {
			r.witness = &w
		}
	}
	return nil
}

// witnesses explains answers of a part after the given values.
func (x *rowsAsked) witnesses(ctx context.Context, at int, before []graph.EntityID, answers ...graph.EntityID) (named []Witness, err error) {
	by := x.parts[at].explains()
	found, err := explain.Answers(ctx, &by.bound, search.Fill(x.parts[at].bindings, before), x.options.Settings, answers)
	if err != nil {
		return nil, err
	}
	for i := range found {
		named = append(named, by.witness(&found[i]))
	}
	return named, nil
}
