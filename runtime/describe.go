package runtime

import (
	"maps"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// columns returns the attributes by which the question filters its answer variables: by variable, then by name.
func columns(s *plan.Spec) (list []Column) {
	for v, variable := range s.Variables {
		names := map[string]bool{}
		for i := range s.Parts {
			p := &s.Parts[i]
			if s.Searched(p.Role.Variable) != v {
				continue
			}
			for _, d := range p.Plan.Disjuncts {
				for _, f := range d.Filters {
					if f.Variable == 0 {
						names[s.Conditions[p.Filters[f.Slot]].Attribute] = true
					}
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			list = append(list, Column{variable, name})
		}
	}
	return list
}

// describe adds to replies the variables that they show, and the values of the attributes by which the question filters
// its answers, as of a snapshot.
func (q *Question) describe(now *Model, show []string, replies ...*Reply) {
	for _, r := range replies {
		r.Show = show
		r.Columns = q.columns
		for i := range r.Rows {
			for k := range r.Rows[i].Values {
				v := &r.Rows[i].Values[k]
				v.Attributes = now.attributes(v.ID, v.Variable, q.columns)
			}
		}
	}
}

// attributes returns the attributes of an entity as the value of a variable.
func (m *Model) attributes(e graph.EntityID, variable string, columns []Column) (list Attributes) {
	for _, c := range columns {
		if c.Variable != variable {
			continue
		}
		a := Attribute{Name: c.Attribute}
		if of, err := m.bundle.FindAttribute(c.Attribute); err == nil {
			a.Kind = of.Kind
		}
		for _, v := range m.bundle.ValuesOf(e, c.Attribute) {
			a.Values = append(a.Values, v.Number)
		}
		list = append(list, a)
	}
	return list
}
