package judge

import (
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
)

// Status says how an answer relates to the observed graph. A filter has a set of them.
type Status uint8

// The statuses of answers.
const (
	Predicted Status = 1 << iota // does not follow from the observed graph
	Known                        // follows from the observed graph
	Confirmed                    // follows once the facts held back are added
	Undecided                    // exceeded the budget of the exact traversal
	Unchecked Status = 0         // was not compared with the graph
)

// Truth says whether something follows from facts. A conjunction has the least truth of its parts, a
// disjunction the greatest.
type Truth uint8

// The truths.
const (
	Fails   Truth = iota
	Unclear       // within the budget
	Holds
)

// Follows has the truth by the observed facts, and by these together with the facts held back.
type Follows [2]Truth

// Status returns the status of what follows.
func (f Follows) Status() Status {
	switch {
	case f[0] == Holds:
		return Known
	case f[0] == Unclear:
		return Undecided
	case f[1] == Holds:
		return Confirmed
	}
	return Predicted
}

// appendFacts appends the facts by which statuses are decided: the observed ones, and the ones held back if there
// are any.
func appendFacts(facts exact.Facts, m *model.Model) exact.Facts {
	facts = append(facts, m.Graph)
	if m.Heldout != nil {
		facts = append(facts, m.Heldout)
	}
	return facts
}
