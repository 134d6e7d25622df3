package query

import (
	"github.com/efoc/efoc/runtime/model"
)

// Member is an entity with its degree of membership in a fuzzy set, or its score in an
// answer: a share of all entities under message passing and the mixture, which is small
// where many qualify, and a truth degree under truth degrees. Either ranks, and is no
// chance of being true.
type Member struct {
	Entity model.EntityID `json:"id"`
	// Name is the entity's name, Label its label, which is the name where the
	// model has no other.
	Name  string  `json:"name"`
	Label string  `json:"label"`
	Score float32 `json:"score"`
}

// Answer is one answer of a query.
type Answer struct {
	Member
	// Confidence is the chance that the answer is true, as validation queries have it: see
	// model.Calibration. Validation facts are only part of what is missing, so it is a lower
	// bound where more is missing than was held back. That of a Known answer is the chance that
	// it is true if the observed facts are. It never changes the order of answers, and is 0
	// where Answers.Uncalibrated says why there is none.
	Confidence float64 `json:"confidence,omitempty"`
	// Basis is what the confidence of an answer that is not known is made of, nil where there is
	// none.
	Basis  *Basis `json:"basis,omitempty"`
	Status Status `json:"status"`
	// OutOfRange says that the graph has no fact in which the entity stands where the free
	// variable does in an atom of the query, whatever the other end: in `capital(x, y)` an
	// entity that is no capital of anything. Negated atoms do not count; a disjunct without
	// other atoms at the free variable takes any entity.
	OutOfRange bool `json:"out_of_range,omitempty"`
	// Values are those of the variables of Options.Show, in that order, in the answer's best
	// witness. A variable of another disjunct has none, nor has any where there is no witness.
	Values []WitnessValue `json:"values,omitempty"`
}

// Value returns the value of a variable that is shown, and whether there is one.
func (a *Answer) Value(variable string) (WitnessEntity, bool) {
	for _, v := range a.Values {
		if v.Variable == variable {
			return v.WitnessEntity, true
		}
	}
	return WitnessEntity{}, false
}

// FuzzySet is what message passing found for an existential variable of one
// disjunct: the state that the rest of the query received last.
type FuzzySet struct {
	// SCQ is the disjunct, from 0.
	SCQ int `json:"disjunct"`
	// Variable is the variable's name in the query.
	Variable string   `json:"variable"`
	Top      []Member `json:"top"`
}

// Answers is the result of a query.
type Answers struct {
	// Variable is the name of the free variable.
	Variable string `json:"variable"`
	// Semantics is what answered.
	Semantics model.Semantics `json:"semantics"`
	// Answers are the K entities of largest score that Options.Filter wants, best first, ties
	// in order of id.
	Answers []Answer `json:"answers"`
	// Uncalibrated says why the answers have no confidence; it is empty if they have.
	Uncalibrated string `json:"uncalibrated,omitempty"`
	// Next is the Offset at which further answers may follow, 0 if there are none.
	Next int `json:"next,omitempty"`
	// Incomplete says that the search for answers that the filter wants was given up: see
	// Filter.
	Incomplete bool `json:"incomplete,omitempty"`
	// Sets are the fuzzy sets of the existential variables.
	Sets []FuzzySet `json:"sets,omitempty"`
}
