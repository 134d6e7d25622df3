package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/nearest"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/names"
)

// notModel adds advice to the error for a path without a model.
func notModel(path string, err error) error {
	graphName := regexp.MustCompile(`(?i)\.(tsv|csv|txt|nt|nq|ttl|turtle|trig|jsonld|jsonl|ndjson|parquet)(\.(gz|bz2|zst|xz))?$`)
	switch {
	case errors.Is(err, model.ErrNotBundle) && graphName.MatchString(path):
		return usagef("%s: this is a graph, not a model: make one with efoc train %s", path, path)
	case errors.Is(err, fs.ErrNotExist):
		folder := filepath.Dir(path)
		if near := nearest.Names(filepath.Base(path), bundlesIn(folder), nearest.Max); len(near) > 0 {
			return fmt.Errorf("%w; %s", err, nearest.Hint(near))
		}
		return fmt.Errorf("%w%s", err, lying(folder))
	}
	return err
}

// bundlesIn returns the names of the bundles in a folder.
func bundlesIn(folder string) (names []string) {
	paths, _ := filepath.Glob(filepath.Join(folder, "*.efoc"))
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// lying lists the bundles in a folder as text, empty if there are none.
func lying(folder string) string {
	names := bundlesIn(folder)
	if len(names) == 0 {
		return ""
	}
	return "; found here: " + nearest.List(names[:min(len(names), nearest.Max)], "and")
}

// worldHint says that a question was asked of the built-in model, if it has unknown names and nothing similar.
func (a *app) worldHint(mistakes lang.ErrorList, others errorSet) string {
	strange := slices.ContainsFunc(mistakes, func(e *lang.Error) bool { return e.Unknown && len(e.Nearest) == 0 })
	for _, err := range others {
		unknown, ok := errors.AsType[*names.UnknownError](err)
		strange = strange || ok && len(unknown.Nearest) == 0
	}
	if !a.inWorld || !strange {
		return ""
	}
	return "efoc: asked of the built-in world; name your model by -m FILE.efoc" + lying(".") + "\n"
}
