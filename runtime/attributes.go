package runtime

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model/values"
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
