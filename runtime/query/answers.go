package query

import (
	"github.com/efoc/efoc/runtime/model"
)

// Status says how an answer relates to the observed graph.
type Status uint8

// The statuses of answers.
const (
	// Unchecked answers were not compared with the graph.
	Unchecked Status = iota
	// Predicted answers do not follow from the observed graph.
	Predicted
	// Known answers follow from the observed graph by exact traversal.
	Known
	// Confirmed answers are predicted, and follow once the facts are added that
	// the bundle holds back.
	Confirmed
	// Undecided answers exceeded the budget of the exact traversal.
	Undecided
)

// String returns the status in lower case.
func (s Status) String() string {
	switch s {
	case Predicted:
		return "predicted"
	case Known:
		return "known"
	case Confirmed:
		return "confirmed"
	case Undecided:
		return "undecided"
	}
	return "unchecked"
}

// MarshalText writes a Status as its name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

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
	Status Status `json:"status"`
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
	// Answers are the K entities of largest score, best first, ties in order of id.
	Answers []Answer `json:"answers"`
	// Sets are the fuzzy sets of the existential variables.
	Sets []FuzzySet `json:"sets,omitempty"`
}
