package compiler

import (
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Check returns everything that keeps a query of any kind from being answered on a model: names
// that the model lacks, and a query, or part of it, that cannot be compiled with the options.
func (a *Analysis) Check(m *runtime.Model, cache *Cache, o CompileOptions) lang.ErrorList {
	var mistakes lang.ErrorList
	note := func(err error) {
		list, ok := errors.AsType[lang.ErrorList](err)
		if err != nil && !ok {
			list = a.Source.Mistake("", "%s", err)
		}
		for _, e := range list {
			known := slices.ContainsFunc(mistakes, func(old *lang.Error) bool { return old.Pos == e.Pos && old.Msg == e.Msg })
			if !known {
				mistakes = append(mistakes, e)
			}
		}
	}

	_, unknown := lang.Resolve(a.Source, m)
	note(unknown)
	if unknown == nil {
		_, untyped := a.ownTypes(m)
		note(untyped)
	}

	for _, q := range a.Queries() {
		if q.Parts == nil {
			_, _, err := cache.Compile(q.Shape, o)
			note(q.Locate(err))
		}
		for _, p := range q.PartsFor(o.Semantics) {
			_, _, err := cache.Compile(p.Shape, CompileOptions{Layers: o.Layers, Semantics: p.Semantics()})
			note(p.Locate(err))
		}
	}
	return mistakes
}

// ownTypes returns the model's own type relation if the query has a type without a relation. The error
// says how to write the type for a model that has none.
func (a *Analysis) ownTypes(m *runtime.Model) (model.Relation, error) {
	t := a.Source.TypeFilter
	if t == nil || t.Relation.Name != "" {
		return model.Relation{}, nil
	}
	r, err := m.TypeRelation()
	if errors.Is(err, model.ErrNoTypes) {
		hint := fmt.Sprintf("write %s: instance_of(%q), with the relation that leads to types, or name that when the model is made: import --type-relation",
			a.Source.Free, t.Entity.Name)
		return r, RefusedError{lang.ErrorList{a.Source.Errorf(t.Entity.Pos, hint, "%s", err)}}
	}
	return r, err
}
