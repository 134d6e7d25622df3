package judge

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// A filter with a question mark admits entities without a value, with the chance that their value meets the filter. An
// answer that depends on such values is judged as if they met their filters, when it may be known; its confidence is
// then multiplied by their chances. The curves for links take no account of these chances, as they are fitted to
// questions without filters.

// letting is a disjunct some of whose filters take all unknown values for certain.
type letting struct {
	disjunct scq.Disjunct
	bindings scq.Bindings
	place    int     // of the disjunct in the question
	chance   float64 // that the values of one assignment meet these filters
}

// mostLet bounds the filters of a disjunct that are let alone; those behind are let together.
const mostLet = 6

// appendLettings appends the ways of letting filters of a disjunct take unknown values, none if it has no such filter.
func appendLettings(list []letting, place int, d *scq.Disjunct, b scq.Bindings) []letting {
	var open []int // filters
	for i, f := range d.Filters {
		if b.Filters[f.Slot].Unknown() > 0 {
			open = append(open, i)
		}
	}
	for choice := 1; choice < 1<<min(mostLet, len(open)); choice++ {
		x := letting{*d, b, place, 1}
		x.disjunct.Filters = slices.Clone(d.Filters)
		x.bindings.Filters = slices.Clone(b.Filters)
		for i, at := range open {
			if choice>>min(i, mostLet-1)&1 == 1 {
				x.let(&x.disjunct.Filters[at])
			}
		}
		list = append(list, x)
	}
	return list
}

// let has a filter take all unknown values. Another disjunct may have the same slot.
func (x *letting) let(f *scq.Filter) {
	by := x.bindings.Filters[f.Slot]
	x.chance *= float64(by.Unknown())
	f.Slot = len(x.bindings.Filters)
	x.bindings.Filters = append(x.bindings.Filters, by.Lenient())
}

// likeliestFirst sorts ways of letting: the first by which an answer follows has the chance of its best assignment.
func likeliestFirst(list []letting) {
	slices.SortStableFunc(list, func(x, y letting) int { return cmp.Compare(y.chance, x.chance) })
}

// lets lists the ways of letting filters take unknown values, likeliest first.
func (j *Judge) lets() {
	for i := range j.Plan.Disjuncts {
		j.lettings = appendLettings(j.lettings, i, &j.Plan.Disjuncts[i], j.Bindings)
	}
	likeliestFirst(j.lettings)
}

// follow finds the given entities, nil for all, that follow from observed facts if unknown values meet their filters,
// and notes the chance that they do. Known ones are left out.
func (j *Judge) follow(s *exact.Solver, entities []graph.EntityID) error {
	if len(j.lettings) == 0 {
		return nil
	}
	var open []int32
	for _, e := range entities {
		if _, seen := j.chances[e]; !seen && j.statuses[e] != Known {
			open = append(open, int32(e))
		}
	}
	slices.Sort(open)
	for i := range j.lettings {
		if entities != nil && len(open) == 0 {
			return nil
		}
		x := &j.lettings[i]
		found, err := s.Among(j.facts[:1], []scq.Disjunct{x.disjunct}, x.bindings, open)
		if err != nil {
			return err
		}
		for _, e := range found {
			if j.chances[graph.EntityID(e)] == 0 {
				j.chances[graph.EntityID(e)] = x.chance
			}
		}
		open = slices.DeleteFunc(open, func(e int32) bool { return j.chances[graph.EntityID(e)] > 0 })
	}
	for _, e := range open {
		j.chances[graph.EntityID(e)] = 0
	}
	return nil
}

// ifMet returns the chance that unknown values meet the filters by which an answer follows that is not known; 0 if it
// would not even follow then, or to find out takes too much work.
func (j *Judge) ifMet(e graph.EntityID) float64 {
	if len(j.lettings) == 0 {
		return 0
	}
	if _, seen := j.chances[e]; !seen && j.follow(&j.solver, []graph.EntityID{e}) != nil {
		j.chances[e] = 0
	}
	return j.chances[e]
}

// rests reports whether an answer of a status rests on a predicted link.
func (j *Judge) rests(e graph.EntityID, s Status) bool { return s != Known && j.ifMet(e) == 0 }

// factor returns the chance that the unknown values in the best witness of an answer meet their filters, of the answer
// alone if it has none.
func (j *Judge) factor(e graph.EntityID, l plan.Link) float64 {
	if len(j.lettings) == 0 {
		return 1
	}
	if l.Values != nil {
		return j.factorBy(l.Disjunct, l.Values)
	}
	most := 0.0
	for i := range j.Plan.Disjuncts {
		most = max(most, j.factorBy(i, []int32{int32(e)}))
	}
	return most
}

// factorBy returns the degree to which the first variables of a disjunct meet their filters.
func (j *Judge) factorBy(disjunct int, values []int32) float64 {
	degree := 1.0
	for _, f := range j.Plan.Disjuncts[disjunct].Filters {
		if f.Variable >= len(values) {
			continue
		}
		if x := j.Bindings.Filters[f.Slot].Factor(graph.EntityID(values[f.Variable])); x > 0 { // or the value is guessed
			degree *= float64(x)
		}
	}
	return degree
}
