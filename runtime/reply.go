package runtime

import (
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Reply is what a question is answered with: by Kind, it has Rows, or a Verdict, or a Count. The
// other fields describe rows.
type Reply struct {
	Kind plan.Kind
	// Variables are the names of the answer variables.
	Variables []string
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Rows are the K answers with the largest scores that pass Options.Filter, best first, ties in
	// the order of their entities' ids. Rows of several variables have scores above 0, and under
	// model.NSMP known ones stand before all others, unless Options.NoStatus leaves out statuses.
	Rows    []Row
	Verdict *Verdict
	Count   *Count
	// Uncalibrated says why the rows have no confidence; it is empty if they have one.
	Uncalibrated string
	// Next is the Offset at which further rows may follow, 0 if there are none.
	Next int
	// Incomplete says that the search for rows that pass the filter was given up: see Filter.
	Incomplete bool
	// Proved says of rows of several variables that none that was left out would come before one of
	// them; otherwise the search has used up Options.Prefixes, and has tried Searched values of the
	// variables before the last.
	Proved   bool
	Searched int
	// Sets are the fuzzy sets of the existential variables, for answers of one variable.
	Sets []FuzzySet
}

// Row is one answer: a value for each answer variable.
type Row struct {
	// Values are the entities of the answer variables, in the order of Reply.Variables.
	Values []Value `json:"values"`
	// Score ranks rows of the same question. The score of one variable is a share of all entities
	// under message passing, which is small if many entities qualify; a truth degree under truth
	// degrees; and for a mixture what package fit defines, from 0 to 1. Tuples says what it is for
	// several. None of them is the probability of being true.
	Score float32 `json:"score"`
	// Confidence is the probability that the answer is true, calibrated on validation queries:
	// see model.Calibration. Validation facts are only part of what the graph lacks, so it is a
	// lower bound if more is missing. For a Known answer it is the probability that the answer
	// is true given that the observed facts are. For several variables it follows from the row's
	// score as evidence, its distance to the score of the best row that is not known, and the weakest
	// predicted link of its witness. It never changes the order of answers. It is 0 if there is none;
	// Reply.Uncalibrated then says why.
	Confidence float64 `json:"confidence,omitempty"`
	// Basis explains the confidence of an answer that is not known; nil if there is none.
	Basis  *Basis `json:"basis,omitempty"`
	Status Status `json:"status"`
	// OutOfRange says that no fact of the graph has the entity in the position of the answer
	// variable, in any atom of the query and with any other end: in `capital(x, y)`, an entity
	// that is no capital of anything. Negated atoms do not count. A disjunct without other
	// atoms at that variable takes any entity. Rows of several variables leave it false.
	OutOfRange bool `json:"out_of_range,omitempty"`
	// Shown are the values of the variables of Options.Show, in that order, in the best witness of an
	// answer of one variable. Variables of other disjuncts have none; without a witness, no variable has
	// one.
	Shown []Value `json:"-"`
	// Witness is the best witness of a row of several variables, with the last one's entity as the
	// answer; nil if there is none.
	Witness *Witness `json:"witness,omitempty"`
}

// Value is an entity that stands for a variable, or in a fact.
type Value struct {
	// Variable is the variable's name in the query, empty if there is none.
	Variable string         `json:"variable,omitempty"`
	ID       model.EntityID `json:"id"`
	// Name is the entity's name. Label is its label, or the name if the model has no label.
	Name  string `json:"name"`
	Label string `json:"label"`
}

// FuzzySet is the result of message passing for an existential variable of one disjunct: the
// last state that it sent to the rest of the query.
type FuzzySet struct {
	// SCQ is the disjunct, from 0.
	SCQ int
	// Variable is the variable's name in the query.
	Variable string
	// Top are the entities with the largest degrees of membership, their scores.
	Top []Row
}

// Value returns the value of an answer variable, of a shown one or of one in the row's witness. It has no
// name if there is none.
func (r *Row) Value(variable string) Value {
	for _, list := range [][]Value{r.Values, r.Shown, r.Witness.values()} {
		for _, v := range list {
			if v.Variable == variable {
				return v
			}
		}
	}
	return Value{}
}

// finding is an answer of one variable without names.
type finding struct {
	entity     model.EntityID
	score      float32
	status     Status
	outOfRange bool
	confidence float64
	basis      *Basis
}

// rows names what was found for a variable. All rows share one array of values.
func (q *Query) rows(variable string, found []finding) []Row {
	rows := make([]Row, len(found))
	values := make([]Value, len(found))
	for i, f := range found {
		values[i] = q.model.named(variable, f.entity)
		rows[i] = Row{
			Values: values[i : i+1 : i+1], Score: f.score, Confidence: f.confidence, Basis: f.basis,
			Status: f.status, OutOfRange: f.outOfRange,
		}
	}
	return rows
}

// Named returns an entity with its names.
func (m *Model) Named(id int32) Value { return m.named("", model.EntityID(id)) }

// named returns an entity that stands for a variable.
func (m *Model) named(variable string, e model.EntityID) Value {
	return Value{Variable: variable, ID: e, Name: m.EntityName(e), Label: m.EntityLabel(e)}
}
