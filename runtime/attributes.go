package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// UnmarshalJSON reads what MarshalJSON writes. An attribute without values becomes a number.
func (list *Attributes) UnmarshalJSON(text []byte) error {
	*list = nil
	decoder := json.NewDecoder(bytes.NewReader(text))
	switch opening, err := decoder.Token(); {
	case err != nil || opening == nil: // null
		return err
	case opening != json.Delim('{'):
		return fmt.Errorf("attributes begin with %v, want an object", opening)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		a := Attribute{Name: fmt.Sprint(name), Kind: values.NumberKind}
		var found []any
		if err := decoder.Decode(&found); err != nil {
			return err
		}
		for _, value := range found {
			x, err := a.read(value)
			if err != nil {
				return fmt.Errorf("attribute %q: %w", a.Name, err)
			}
			a.Values = append(a.Values, x)
		}
		*list = append(*list, a)
	}
	return nil
}

// read returns the number of a value in JSON, and sets the kind.
func (a *Attribute) read(value any) (float64, error) {
	switch value := value.(type) {
	case float64:
		return value, nil
	case string:
		a.Kind = values.DateKind
		first, _, err := a.Kind.Parse(value)
		return first, err
	}
	return 0, fmt.Errorf("%v is neither a number nor a date", value)
}
