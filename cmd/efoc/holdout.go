package main

import (
	"fmt"

	"github.com/efoc/efoc/runtime/model/importer"
)

// holdoutFlag holds out facts of a graph without a test split.
type holdoutFlag struct {
	Holdout *share `placeholder:"SHARE" help:"Put this share of the facts aside, such as 5%, but no last fact of an entity, as the test split of a graph that has none: efoc train keeps them out of the model's graph, and eval --own and sample -m ask about them. The same share of a graph always has the same facts."`
}

// putAside moves facts to the test split, which the model will hold back.
func (f holdoutFlag) putAside(a *app, d *importer.Dataset) error {
	if f.Holdout == nil {
		return nil
	}
	if len(d.Test) > 0 {
		return usagef("--holdout: the graph has a test split: leave out --holdout")
	}
	all := len(d.Train)
	d.PutAside(float64(*f.Holdout))
	if len(d.Test) == 0 {
		return fmt.Errorf("--holdout %s of %d facts is none that can be put aside: give a larger share", formatShare(float64(*f.Holdout)), all)
	}
	a.notef("put %d of %d facts aside", len(d.Test), all)
	return nil
}
