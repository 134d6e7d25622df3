package sparql

import (
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
)

// Request is a parsed SPARQL query.
type Request struct {
	// Query finds the answers.
	Query *lang.Query
	// Ask says that the query asks whether the pattern holds. Query is then a sentence, unless there are conditions
	// on the confidence or status of an answer: then some answer must meet them.
	Ask bool
	// Count is the variable for the number of answers, empty if the answers themselves are requested.
	Count string
	// Solution says that a SELECT has at most one solution, found as for Ask, in which the variable Selected is
	// unbound because it does not occur in the pattern. Selected is empty with *. Stores send such queries through
	// SERVICE, with values in place of variables.
	Solution bool
	Selected string
	// Limit and Offset select a range of the answers, sorted by Order; Limit is nil if there is none.
	Limit  *int
	Offset int
	Order  []Order
	// Distinct says that repeated solutions are dropped.
	Distinct bool
	// MinConfidence and Statuses are the conditions of the filters on ?y_confidence and ?y_status; Judged says that
	// there are any. Empty Statuses allow every status.
	MinConfidence float64
	Statuses      []string
	Judged        bool
	// Values are the selected variables for values.
	Values []Value
	// Facts selects the stored facts of an entity; nil if a plan answers the query.
	Facts *Facts
	// Bound records the decisions of Bind: for each constant, whether it keeps its name, l, or names another entity, e;
	// for each triple and inequality, its truth value if the graph decides it. Empty says that there is no answer then.
	Bound string
	Empty bool
}

// Order is a condition of ORDER BY.
type Order struct {
	Key        Key
	Descending bool
	// Column is the index of the answer variable, or for ByValue of the value in Request.Values.
	Column int
}

// Value is a selected variable for a value of an answer.
type Value struct {
	Name string
	Pos  ast.Pos
	// Column is the index of the answer variable that has the value. Filter is what the value meets, in the formula.
	Column int
	Filter *ast.Filter
	// Several says that an entity of the graph has several values of the attribute, and so perhaps several solutions.
	Several bool
}

// Several reports whether an answer may have several solutions by its values.
func (r *Request) Several() bool {
	return slices.ContainsFunc(r.Values, func(v Value) bool { return v.Several })
}

// Key is a sort key of answers.
type Key int

// The keys: the answer's IRI, its label, its confidence, its status and a value of it.
const (
	ByIRI Key = iota
	ByLabel
	ByConfidence
	ByStatus
	ByValue
)

// suffixes maps the suffixes of variables for an answer's label, confidence or status to their keys.
var suffixes = map[string]Key{"_label": ByLabel, "_confidence": ByConfidence, "_status": ByStatus}

// statuses are the values of ?y_status.
var statuses = []string{"known", "predicted", "confirmed", "undecided"}

// Facts selects stored facts of entities. The entities are the constants of Request.Query, whose formula has no
// normal form.
type Facts struct {
	// Describe says that DESCRIBE requests whole facts, with the entities as subjects.
	Describe bool
	// Relation is the answer variable for the relations of facts; the other one is for their other ends.
	Relation string
	// Inverse says that the entity of a SELECT is the object of its facts.
	Inverse bool
}
