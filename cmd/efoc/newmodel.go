package main

import (
	"strings"

	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/table"
)

// newModelFlags are the inputs of a new model besides a graph and embeddings.
type newModelFlags struct {
	Entities  string `placeholder:"FILE" in:"" help:"Table of id, name and label; by default searched for in the graph's folder."`
	Relations string `placeholder:"FILE" in:"" help:"Table of id, name and label; by default searched for in the graph's folder."`
	Heldout   string `placeholder:"FILE" in:"" help:"Further facts that no answer uses, to confirm predictions; by default heldout.tsv in the graph's folder."`
	graphFlags
	Name         string `placeholder:"NAME" help:"Name of the model; by default that of the graph's folder."`
	Description  string `placeholder:"TEXT" help:"Description of the model."`
	TypeRelation string `placeholder:"RELATION" help:"Relation from entities to their types, such as instance_of: ask --type City then keeps answers of that type."`
	tableFlag
	newSettingsFlags
}

// importOptions returns the options for reading the graph.
func (f *newModelFlags) importOptions(a *app, graph string) importer.Options {
	o := f.graphFlags.importOptions(a, graph)
	o.Entities, o.Relations, o.Heldout = f.Entities, f.Relations, f.Heldout
	o.Name, o.Description, o.TypeRelation = f.Name, f.Description, f.TypeRelation
	return o
}

// tableFlag chooses the format of a new model's entity table.
type tableFlag struct {
	Table string `group:"table" default:"int8" placeholder:"TYPE" help:"Type of the entity table that queries read: int8 codes or float32. The exact embeddings are stored beside codes, as float32; int8+none leaves them out (default: ${default})."`
}

// tables returns the type of the table, and the type of the exact rows besides codes.
func (f *tableFlag) tables() (dtype, exact table.Type, err error) {
	name, beside, given := strings.Cut(f.Table, "+")
	dtype = table.Type(name)
	exact = table.Type(beside)
	if err := dtype.Check(); err != nil {
		return dtype, exact, usagef("--table %s: %v", f.Table, err)
	}
	switch {
	case dtype.IsFloat() && given:
		return dtype, exact, usagef("--table %s: a table of %s is exact itself", f.Table, name)
	case dtype.IsFloat():
		return dtype, "", nil
	case !given:
		return dtype, table.Float32, nil
	case beside == "none":
		return dtype, importer.NoExact, nil
	case exact != table.Float32:
		return dtype, exact, usagef("--table %s: unknown type %q beside codes, want float32 or none", f.Table, beside)
	}
	return dtype, exact, nil
}
