package queryset

import "fmt"

// Splits are the parts of a benchmark.
var Splits = []string{"train", "valid", "test"}

// Options select the queries to read. The zero value reads all test queries.
type Options struct {
	// Split is one of Splits; empty means test. A file without a split is always read.
	Split string
	// Shapes are the names of the groups to read; none means all.
	Shapes []string
	// Limit is the number of queries per group to read; 0 means all.
	Limit int
	// Progress, if not nil, receives the bytes read of the file named by stage; total is 0 if unknown.
	Progress func(stage string, done, total int64)
}

// Warning reports omitted queries, or another caveat.
type Warning struct {
	File string
	Msg  string
	// Queries is the number of queries concerned.
	Queries int
}

// String formats the warning as a line.
func (w Warning) String() string { return fmt.Sprintf("%s: %s (%d queries)", w.File, w.Msg, w.Queries) }
