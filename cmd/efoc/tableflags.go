package main

import (
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
)

// tableFlags say how a new model stores the embeddings of entities.
type tableFlags struct {
	Table string `group:"table" enum:"float32,bfloat16,float16,int8,int4" default:"int8" placeholder:"TYPE" help:"What a query reads of the embeddings of entities: int8 or int4 codes, read in a fourth or an eighth of the time, with the exact numbers stored beside them; float32; bfloat16 or float16, which round the numbers and take half of its room and time (default: ${default})."`
	Exact string `group:"table" enum:"float32,bfloat16,float16,drop," default:"" placeholder:"TYPE" help:"With --table int8 or int4: how the exact embeddings are stored beside the codes, from which all that matters to an answer is read again, or drop to leave them out; float32 if not given."`
}

// checkTable reports flags that do not go together.
func (f *tableFlags) checkTable() error {
	if f.table().IsFloat() && f.Exact != "" {
		return usagef("--exact is about --table int8 and int4: a table of %s is exact itself", f.Table)
	}
	return nil
}

// table returns the type of the table.
func (f *tableFlags) table() model.TableType { return model.TableType(f.Table) }

// exact returns the type of the embeddings beside codes.
func (f *tableFlags) exact() model.TableType {
	switch {
	case f.table().IsFloat():
		return ""
	case f.Exact == "":
		return model.Float32
	case f.Exact == "drop":
		return importer.NoExact
	}
	return model.TableType(f.Exact)
}
