// Package queryset holds sets of benchmark queries with their answers, reads the usual file
// formats, and writes its own. It knows formulas and ids, but no model, and answers nothing.
//
// # Formats
//
//   - BetaE: a folder with {split}-queries.pkl, {split}-easy-answers.pkl and
//     {split}-hard-answers.pkl, or train-queries.pkl and train-answers.pkl. The nested tuples
//     of BetaE's shapes can be read, and also of 4p, 5p, 4i and 3ip.
//   - FIT, LMPNN: a folder with {split}-qaa.json (v1, answers {"f": [1, 2]}) or
//     {split}_type0014_real_EFO1_qaa.json and the like (v2, answers
//     {"f1": [[1], [2]]}), or one such file.
//   - JSON Lines: efoc's own, one query per line, as below.
//
// Each file may be compressed with gzip or zstd. Pickles may have protocol 2 to 5; nothing in
// them is executed.
//
// # JSON Lines
//
// A line is an object with the value of each parameter under its name, an entity id or a
// directed relation id, and the answers:
//
//	{"type": "2p", "split": "test", "s1": 4, "r1": 10, "r2": 3, "easy": [1], "hard": [7, 8]}
//	{"formula": "r1(s1,f)&r2(f,e1)&r3(s2,e1)", "s1": 4, "s2": 6, "r1": 0, "r2": 2, "r3": 1, "hard": [5]}
//
// "type" names a shape of benchmark.Shapes. With a "formula", "type" only names the group, which may determine the
// reading of the formula:
//
//	{"type": "pni-universal", "formula": "r1(s1,e1)&!r2(e1,f)&r3(s2,f)", …}
//
// "split" is the split of the hard answers: train, valid or test. Other fields are ignored. efoc sample writes this
// format.
//
// # Names and readings
//
// A formula that is a benchmark shape, in any order of its parts, gets the shape's name, template and slots, so the
// groups of a set do not depend on its format. The name also carries information that formula and template do not:
//
//   - 2u-DM and up-DM are unions written with De Morgan's law. They are evaluated as the
//     unions.
//   - pni-universal has BetaE's answers: ¬ applies to the projected set, "by no e1". pni
//     has FIT's: "not by some e1". The formula evaluated is pni's in both. FIT's type0011
//     is BetaE's pni too.
package queryset

import (
	"fmt"

	"github.com/efoc/efoc/lang"
)

// Set is a set of queries, grouped by formula.
type Set struct {
	// Groups are in the order of benchmark.Shapes, followed by other formulas in the order in which
	// they were read.
	Groups []*Group
	// Refused are the formulas that cannot be answered; their queries are omitted.
	Refused []*Refused
}

// Refused is the error for a formula of a set that cannot be answered.
type Refused struct {
	// Place is the position of the formula's first query: a file and its line or byte.
	Place string
	// Queries is the number of the formula's queries in the file.
	Queries int

	err *formulaError
}

// Error states the problem, followed by the position in the formula on separate lines.
func (x *Refused) Error() string {
	queries := "1 query is"
	if x.Queries != 1 {
		queries = fmt.Sprintf("%d queries are", x.Queries)
	}
	return fmt.Sprintf("%s: %s (%s left out)%s", x.Place, x.err.text, queries, x.err.caret)
}

// Group holds the queries of one formula, in the order in which they were read.
type Group struct {
	// Name is the benchmark's name of the formula, such as 2in, or the file's name for it, or the formula's text.
	Name string
	// Template is the formula. Its parameters are the slots of the queries.
	Template *lang.Query
	// Formula is the text that Template was parsed from.
	Formula string
	// Queries have one value for each parameter of Template.
	Queries []Case
}

// Case has the values of a template's parameters, and its answers.
type Case struct {
	// Args holds the value of each parameter of the template, in order: an
	// entity, or a directed relation (2i is relation i, 2i+1 its inverse).
	Args []int32
	// Easy are the answers that follow without the split under test, Hard those that need it; both are ascending. The
	// training split has only easy ones.
	Easy, Hard []int32
	// Split is the split of the query, one of Splits, empty if the file does not say.
	Split string
}
