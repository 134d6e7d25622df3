package compiler

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/nearest"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/plan"
)

// Values maps parameters to values, as text. In JSON, numbers need no quotes.
type Values map[string]string

// UnmarshalJSON reads an object of strings and numbers.
func (v *Values) UnmarshalJSON(text []byte) error {
	var read map[string]value
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*v = Values{}
	for name, x := range read {
		(*v)[name] = string(x)
	}
	return nil
}

// value is a single element of Values.
type value string

// UnmarshalJSON reads a string or a number.
func (v *value) UnmarshalJSON(text []byte) error {
	if first := text[0]; first == '-' || '0' <= first && first <= '9' {
		*v = value(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(v))
}

// Args converts the values of the parameters. args maps each parameter of a template to the name of an entity,
// the name of a relation, with ^-1 for its inverse, a number or a date. A question without parameters takes
// none.
func (p *Prepared) Args(args Values) (runtime.Args, error) {
	if err := checkArgs(p.Source, args); err != nil {
		return nil, err
	}
	values := make(runtime.Args, len(p.Source.Params))
	for i, param := range p.Source.Params {
		var err error
		values[i], err = p.arg(param.Kind, args[param.Name])
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", param.Name, err)
		}
	}
	return values, nil
}

// arg converts the value of a parameter.
func (p *Prepared) arg(k kind.Param, text string) (plan.Arg, error) {
	switch k {
	case kind.Relation:
		r, err := p.Model().Relation(text)
		return plan.Relation(r), err
	case kind.Number:
		x, _, err := values.NumberKind.Parse(text)
		return plan.Number(x), err
	case kind.Date:
		d, err := values.ParseDate(text)
		return plan.Date(d), err
	}
	e, err := p.Model().Entity(text)
	return plan.Entity(e), err
}

// checkArgs reports values without a parameter, and then parameters without a value.
func checkArgs(q *lang.Query, args Values) error {
	var names, missing []string
	for _, param := range q.Params {
		names = append(names, param.Name)
		if _, ok := args[param.Name]; !ok {
			missing = append(missing, fmt.Sprintf("%s (%s)", param.Name, param.Kind))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if slices.Contains(names, name) {
			continue
		}
		if near := nearest.Names(name, names, 1); len(near) > 0 {
			return fmt.Errorf("query %s has no parameter %s: did you mean %s?", q.Name, name, near[0])
		}
		return fmt.Errorf("query %s has no parameter %s; it has %s", q.Name, name, cmp.Or(strings.Join(names, ", "), "none"))
	}
	if len(missing) > 0 {
		return fmt.Errorf("query %s needs a value for %s", q.Name, strings.Join(missing, ", "))
	}
	return nil
}
