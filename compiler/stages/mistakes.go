package stages

import (
	"errors"
	"slices"

	"github.com/efoc/efoc/lang"
)

// Mistakes returns everything that prevents answering a query of any kind on a model with vocabulary v: names that the
// model lacks, and parts of the query that cannot be compiled with the options.
func (a *Analysis) Mistakes(v lang.Vocabulary, cache *Cache, o Options) lang.ErrorList {
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

	_, unknown := a.Source.Resolve(v)
	note(unknown)

	for _, p := range a.PartsFor(o.Semantics) {
		_, _, err := cache.Compile(p.Shape, Options{Layers: o.Layers, Semantics: p.Semantics(o.Semantics)})
		note(p.Locate(err))
	}
	return mistakes
}
