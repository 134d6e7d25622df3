package runtime

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/plan"
)

// report names the rows and says of each how it relates to the graph.
func (s *tupleSearch) report(ctx context.Context) (*Reply, error) {
	r := &Reply{
		Kind: plan.Rows, Variables: s.variables, Semantics: s.semantics,
		Rows:   []Row{}, // none is a list too, in JSON
		Proved: s.proved, Searched: s.searched,
	}
	all := make([]Row, len(s.rows.list))
	values := make([]Value, 0, len(all)*len(s.variables))
	for i, p := range s.rows.list {
		for v, e := range p.values {
			values = append(values, s.model().named(s.variables[v], e))
		}
		all[i] = Row{Values: slices.Clip(values[i*len(s.variables):]), Score: p.score}
	}

	if !s.options.NoStatus {
		s.decide(ctx, all)
		if err := ctx.Err(); err != nil { // which leaves statuses undecided
			return nil, err
		}
	}
	f := s.options.Filter
	passing := make([]int, 0, len(all))
	for i := range all {
		if f.admits(all[i].Status) {
			passing = append(passing, i)
		}
	}
	explained := passing
	if f.MinConfidence == 0 {
		explained = s.page(passing)
	}
	// Confidence is relative to the best row that is not known, on any page.
	best := slices.IndexFunc(all, func(r Row) bool { return r.Status != Known })
	err := s.explain(ctx, all, func(i int) bool {
		_, is := slices.BinarySearch(explained, i)
		return is || i == best
	})
	if err != nil {
		return nil, err
	}
	r.Uncalibrated = s.confide(all, explained, best)
	if f.MinConfidence > 0 {
		passing = slices.DeleteFunc(passing, func(i int) bool { return all[i].Confidence < f.MinConfidence })
	}
	for _, i := range s.page(passing) {
		r.Rows = append(r.Rows, all[i])
	}
	if end := s.options.Offset + s.options.K; len(passing) > end || len(passing) == end && len(all) == s.rows.keep {
		r.Next = end
	}
	return r, nil
}

// page returns the rows of the page, of those that pass the filter.
func (s *tupleSearch) page(passing []int) []int {
	from := min(s.options.Offset, len(passing))
	return passing[from:min(from+s.options.K, len(passing))]
}

// explain finds the best witness of each row that is asked for. Rows that differ in the last value alone
// are explained together.
func (s *tupleSearch) explain(ctx context.Context, all []Row, asked func(i int) bool) error {
	last := len(s.variables) - 1
	done := map[string]bool{}
	for i, p := range s.rows.list {
		before := p.values[:last]
		if key := fmt.Sprint(before); !asked(i) || done[key] {
			continue
		} else {
			done[key] = true
		}
		var rows []int
		var ends []model.EntityID
		for k := i; k < len(all); k++ {
			if o := s.rows.list[k].values; asked(k) && slices.Equal(o[:last], before) {
				rows = append(rows, k)
				ends = append(ends, o[last])
			}
		}
		for d := range s.rest {
			own := Witness{Degree: 1}
			for v, e := range before {
				if s.own[d][v] == nil {
					continue
				}
				w, err := s.witnesses(ctx, s.own[d][v], before[:v], e)
				if err != nil {
					return err
				}
				own.Degree, own.Atoms = own.Degree*w[0].Degree, append(own.Atoms, w[0].Atoms...)
			}
			found, err := s.witnesses(ctx, s.rest[d][last], before, ends...)
			if err != nil {
				return err
			}
			for k, w := range found {
				w.SCQ, w.Degree, w.Atoms = d, own.Degree*w.Degree, slices.Concat(own.Atoms, w.Atoms)
				if best := &all[rows[k]].Witness; w.Degree > 0 && (*best == nil || w.Degree > (*best).Degree) {
					*best = &w
				}
			}
		}
	}
	return nil
}

// witnesses explains answers of a part after a prefix.
func (s *tupleSearch) witnesses(ctx context.Context, p *tuplePart, before []model.EntityID, answers ...model.EntityID) ([]Witness, error) {
	return p.Witnesses(ctx, given(s.bindings[p.at], before), s.options.Settings, answers)
}

// decide finds the statuses of rows.
func (s *tupleSearch) decide(ctx context.Context, all []Row) {
	solver := exact.Solver{Context: ctx, Budget: s.options.Budget}
	facts := exact.Facts{s.model().Graph}
	if s.model().Heldout != nil {
		facts = append(facts, s.model().Heldout)
	}
	for i, p := range s.rows.list {
		all[i].Status = Predicted
		for f, status := range []Status{Known, Confirmed}[:len(facts)] {
			holds, decided := s.holds(&solver, facts[:f+1], p)
			if holds {
				all[i].Status = status
			}
			if !decided && status == Known {
				all[i].Status = Undecided
			}
			if holds || !decided {
				break
			}
		}
	}
}

// holds reports whether a row follows from facts by a disjunct, and whether the budget suffices to tell.
func (s *tupleSearch) holds(solver *exact.Solver, facts exact.Facts, p *prefix) (holds, decided bool) {
	decided = true
	for _, parts := range s.rest {
		whole := parts[0] // in which nothing is given
		within := make([][]int32, len(whole.plan.Patterns[0].Variables))
		for v, e := range p.values {
			within[slices.Index(whole.names.Variables[0], s.variables[v])] = []int32{int32(e)}
		}
		found, err := solver.Values(facts, &whole.plan.Patterns[0], s.bindings[whole.at], 0, within)
		if err == nil && len(found) > 0 {
			return true, true
		}
		decided = decided && err == nil
	}
	return false, decided
}

// confide sets the confidence of rows that were explained, or says why they have none; best is the first that is
// not known, which was explained too, -1 if all are known.
func (s *tupleSearch) confide(all []Row, explained []int, best int) (why string) {
	m := s.model()
	calibration, why := m.calibration(s.semantics, s.options.Settings)
	if why == "" && s.options.NoStatus {
		why = errNoStatus
	}
	if why != "" {
		return why
	}
	c := confidence{calibration: calibration, claims: calibration.Of(s.options.HeldOut), heldOut: s.options.HeldOut, odds: m.Manifest.Missing.Odds()}
	for _, parts := range s.rest {
		c.atoms = max(c.atoms, atomsOf(parts[0].plan.Patterns))
	}
	known := 1.0
	if slices.Contains(s.negates, true) {
		known = calibration.Refutable
	}
	evidence := func(row *Row) float64 {
		degree := 0.0
		if row.Witness != nil {
			degree = float64(row.Witness.Degree)
		}
		return evidenceOf(s.semantics, float64(row.Score), degree, s.options.Settings.Degrees.OrDefault().Mixture)
	}
	for _, i := range explained {
		row := &all[i]
		if row.Status == Known {
			row.Confidence = max(leastConfidence, known)
			continue
		}
		row.Confidence, row.Basis = c.judged(m, evidence(row), evidence(&all[best]), weakest(row.Witness))
	}
	return ""
}

// weakest returns the weakest predicted link of a witness.
func weakest(w *Witness) plan.Link {
	least := plan.NoLink(1)
	if w == nil {
		return least
	}
	for _, a := range w.Atoms {
		if !a.Negated && a.link.Degree < least.Degree {
			least = a.link
		}
	}
	return least
}
