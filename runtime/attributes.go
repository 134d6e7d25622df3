package runtime

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/plan"
)

// Column names an attribute by which a question filters an answer variable.
type Column struct{ Variable, Attribute string }

// Attribute has the values that an entity has of an attribute.
type Attribute struct {
	// Name is the attribute's name in the question.
	Name string
	Kind values.Kind
	// Values ascend; there are none if no value is known. Dates are seconds since 1970, of UTC.
	Values []float64
}

// Texts returns the values as text.
func (a *Attribute) Texts() []string {
	list := make([]string, len(a.Values))
	for i, x := range a.Values {
		list[i] = a.Kind.Text(x)
	}
	return list
}

// Attributes are attributes of one entity. In JSON they are an object with a list for each attribute, of numbers or of
// dates as text.
type Attributes []Attribute

// Of returns the attribute of that name, without values if there is none.
func (list Attributes) Of(name string) Attribute {
	i := slices.IndexFunc(list, func(a Attribute) bool { return a.Name == name })
	if i < 0 {
		return Attribute{Name: name}
	}
	return list[i]
}

// MarshalJSON writes an object, with the attributes in order.
func (list Attributes) MarshalJSON() ([]byte, error) {
	object := []byte("{")
	for i, a := range list {
		if i > 0 {
			object = append(object, ',')
		}
		name, err := json.Marshal(a.Name)
		if err != nil {
			return nil, err
		}
		texts := a.Texts()
		if a.Kind == values.DateKind {
			for i, text := range texts {
				texts[i] = `"` + text + `"`
			}
		}
		object = append(object, name...)
		object = append(object, ":["+strings.Join(texts, ",")+"]"...)
	}
	return append(object, '}'), nil
}

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

// describe adds to replies the values of the attributes by which the question filters its answers, as of a snapshot.
func (q *Question) describe(now *Model, replies ...*Reply) {
	if len(q.columns) == 0 {
		return
	}
	for _, r := range replies {
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
