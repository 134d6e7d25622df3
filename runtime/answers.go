package runtime

import (
	"github.com/efoc/efoc/runtime/model"
)

// Member is an entity with its degree of membership in a fuzzy set, or with its score in an
// answer. The score is a share of all entities under message passing, which is small if many
// entities qualify; a truth degree under truth degrees; and for a mixture what package fit
// defines, from 0 to 1. Each ranks; none is the probability of being true.
type Member struct {
	Entity model.EntityID `json:"id"`
	// Name is the entity's name. Label is its label, or the name if the model has no label.
	Name  string  `json:"name"`
	Label string  `json:"label"`
	Score float32 `json:"score"`
}

// Answer is one answer of a query.
type Answer struct {
	Member
	// Confidence is the probability that the answer is true, calibrated on validation queries:
	// see model.Calibration. Validation facts are only part of what the graph lacks, so it is a
	// lower bound if more is missing. For a Known answer it is the probability that the answer
	// is true given that the observed facts are. It never changes the order of answers. It is 0
	// if there is none; Answers.Uncalibrated then says why.
	Confidence float64 `json:"confidence,omitempty"`
	// Basis explains the confidence of an answer that is not known; nil if there is none.
	Basis  *Basis `json:"basis,omitempty"`
	Status Status `json:"status"`
	// OutOfRange says that no fact of the graph has the entity in the position of the free
	// variable, in any atom of the query and with any other end: in `capital(x, y)`, an entity
	// that is no capital of anything. Negated atoms do not count. A disjunct without other
	// atoms at the free variable takes any entity.
	OutOfRange bool `json:"out_of_range,omitempty"`
	// Values are the values of the variables of Options.Show, in that order, in the answer's
	// best witness. Variables of other disjuncts have none; without a witness, no variable has
	// one.
	Values []WitnessValue `json:"values,omitempty"`
}

// Value returns the value of a shown variable; it has no name if there is none.
func (a *Answer) Value(variable string) WitnessEntity { return valueOf(a.Values, variable) }

// FuzzySet is the result of message passing for an existential variable of one disjunct: the
// last state that it sent to the rest of the query.
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
	// Semantics is the semantics of the answers.
	Semantics model.Semantics `json:"semantics"`
	// Answers are the K entities with the largest scores that pass Options.Filter, best first,
	// ties in order of id.
	Answers []Answer `json:"answers"`
	// Uncalibrated says why the answers have no confidence; it is empty if they have one.
	Uncalibrated string `json:"uncalibrated,omitempty"`
	// Next is the Offset at which further answers may follow, 0 if there are none.
	Next int `json:"next,omitempty"`
	// Incomplete says that the search for answers that pass the filter was given up: see
	// Filter.
	Incomplete bool `json:"incomplete,omitempty"`
	// Sets are the fuzzy sets of the existential variables.
	Sets []FuzzySet `json:"sets,omitempty"`
}
