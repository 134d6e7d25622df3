// Package queryset holds sets of benchmark queries with their answers, and reads
// and writes the files in which the field keeps them. It knows formulas and ids;
// it knows no model, and it answers nothing.
package queryset

import "github.com/efoc/efoc/lang"

// Set is a set of queries, grouped by formula.
type Set struct {
	Groups []*Group
}

// Group are the queries of one formula, in the order in which they were read.
type Group struct {
	// Name is the benchmark's name of the formula, such as 2in, or what the file
	// calls it; where there is neither it is the formula's text.
	Name string
	// Template is the formula. Its parameters are the slots of the queries.
	Template *lang.Query
	// Queries have one value for each parameter of Template.
	Queries []Query
}

// Query fills the parameters of a template, and says which answers are right.
type Query struct {
	// Args holds the value of each parameter of the template, in order: an
	// entity, or a directed relation (2i is relation i, 2i+1 its inverse).
	Args []int32
	// Easy are the answers that the graph before the split under test gives,
	// Hard the further ones that the split adds; both ascend.
	Easy, Hard []int32
}
