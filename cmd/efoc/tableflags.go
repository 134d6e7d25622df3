package main

import (
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
)

// tableFlag says how a new model stores the embeddings of entities.
type tableFlag struct {
	Table string `group:"table" default:"int8" placeholder:"TYPE" help:"Type of the entity table that queries read: int8 codes or float32. The exact embeddings are stored beside codes, as float32; int8+bfloat16 or int8+float16 stores them in half the space, int8+none leaves them out (default: ${default})."`
}

// tables returns the type of the table, and that of the exact embeddings beside codes.
func (f *tableFlag) tables() (table, exact model.TableType, err error) {
	name, beside, given := strings.Cut(f.Table, "+")
	table, exact = model.TableType(name), model.TableType(beside)
	if err := table.Check(); err != nil {
		return table, exact, usagef("--table %s: %v", f.Table, err)
	}
	switch {
	case table.IsFloat() && given:
		return table, exact, usagef("--table %s: a table of %s is exact itself", f.Table, name)
	case table.IsFloat():
		return table, "", nil
	case !given:
		return table, model.Float32, nil
	case beside == "none":
		return table, importer.NoExact, nil
	case !slices.Contains(model.RowTypes, exact):
		return table, exact, usagef("--table %s: unknown type %q beside codes, want float32, bfloat16, float16 or none", f.Table, beside)
	}
	return table, exact, nil
}
