package compiler

import (
	"errors"
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

// Mistakes returns everything that keeps a query of any kind from being answered on a model: names
// that the model lacks, and a query, or part of it, that cannot be compiled with the options.
func (a *Analysis) Mistakes(m *runtime.Model, cache *Cache, o CompileOptions) lang.ErrorList {
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

	_, unknown := a.Source.Resolve(m)
	note(unknown)

	for _, p := range a.PartsFor(o.Semantics) {
		_, _, err := cache.Compile(p.Shape, CompileOptions{Layers: o.Layers, Semantics: p.Semantics(o.Semantics)})
		note(p.Locate(err))
	}
	return mistakes
}
