package facts

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model"
)

// isValue reports whether a fact states a value: its relation is an attribute, or could be a new one, and no relation;
// or it is both, and the tail is a typed literal that no entity is named by.
func (r *resolver) isValue(f Fact) bool {
	kind, _, typed := model.ParseLiteral(f[2])
	_, err := r.model.FindRelation(strings.TrimSuffix(f[1], "^-1"))
	relation := err == nil
	if relation && !typed {
		return false
	}
	_, isAttribute := r.attribute(f[1])
	if relation {
		_, noEntity := r.model.FindEntity(f[2])
		return isAttribute && noEntity != nil
	}
	if !typed {
		kind = r.kindOf(f[2])
	}
	return isAttribute || kind != "" && errors.Is(err, model.ErrUnknownName) && !strings.HasPrefix(f[1], "#")
}

// value finds a value, whose attribute may be new if enter. The error comes with the part that is wrong.
func (r *resolver) value(f Fact, enter bool) (v *model.ValueFact, part string, err error) {
	kind, text, typed := model.ParseLiteral(f[2])
	if !typed {
		text = f[2]
	}
	text = strings.TrimSpace(text)
	a, known := r.attribute(f[1])
	if !known {
		a = model.Attribute{Name: f[1], Kind: cmp.Or(kind, r.kindOf(text))}
		if err := r.newAttribute(a, enter); err != nil {
			return nil, parts[1], err
		}
	}
	if !typed {
		kind = a.Kind
	}
	number, _, err := kind.Parse(text)
	if err == nil && kind != a.Kind {
		err = fmt.Errorf("%q is a %s", text, kind)
	}
	if err != nil {
		return nil, parts[2], cmp.Or(tooLong(text), fmt.Errorf("%w: %w", model.WantKind(a), err))
	}
	e, err := r.entity(f[0], enter)
	if err != nil {
		return nil, parts[0], err
	}
	return &model.ValueFact{EntityValue: model.EntityValue{Entity: e, Number: number}, Attribute: a.Name, Kind: kind}, "", nil
}

// attribute finds an attribute, which may be a new one.
func (r *resolver) attribute(name string) (a model.Attribute, known bool) {
	if i := slices.IndexFunc(r.attributes, func(a model.Attribute) bool { return a.Name == name }); i >= 0 {
		return r.attributes[i], true
	}
	return r.model.FindAttribute(name)
}

// kindOf returns the kind of value that a text is; it is empty if it is none, or names an entity.
func (r *resolver) kindOf(text string) model.ValueKind {
	if _, err := r.model.FindEntity(text); err == nil {
		return ""
	}
	for _, k := range []model.ValueKind{model.NumberKind, model.DateKind} {
		if _, _, err := k.Parse(text); err == nil {
			return k
		}
	}
	return ""
}

// newAttribute enters an attribute, or says why not.
func (r *resolver) newAttribute(a model.Attribute, enter bool) error {
	if err := tooLong(a.Name); err != nil {
		return err
	}
	if !enter {
		return &model.UnknownNameError{Kind: "attribute", Name: a.Name, Range: -1, Nearest: r.model.NearestAttributes(a.Name, 3)}
	}
	r.attributes = append(r.attributes, a)
	return model.CheckNewName(a.Name)
}
