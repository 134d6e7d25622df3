package runtime

import (
	"math"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Row is one answer: a value for each answer variable.
type Row struct {
	// Values are the entities of the answer variables, in the order of Reply.Variables.
	Values []Value `json:"values"`
	// Score ranks rows of the same question. It is not the probability that an answer is true. For one
	// variable it is the entity's share among all entities under message passing, which is small if many
	// qualify, a truth degree under model.FIT, and under model.Mixed a mixture of both from 0 to 1. For
	// several variables, model.NSMP multiplies the shares of the entities, and model.FIT takes the truth
	// degree of the row.
	Score float32 `json:"score"`
	// Confidence is the probability that the answer is true, calibrated on validation queries: see model.Calibration.
	// It is a lower bound if the graph lacks more facts than the validation split shows. For a Known answer it is the
	// probability that the answer is true, assuming that all observed facts are. An answer that depends on unknown
	// values (model.Condition.Unknown) has the confidence that it would have with suitable values, times the
	// probability of these. For several variables it is the product of the confidences of the atoms of the witness.
	// It does not rank answers. It is 0 if there is none; Reply.Uncalibrated then says why.
	Confidence float64 `json:"confidence,omitempty"`
	// Basis explains the confidence of an answer that rests on a predicted link; nil if there is none. It excludes
	// the probability of unknown values, which is in the filters of the witness. For several variables it explains the
	// confidence of the least likely link.
	Basis  *Basis `json:"basis,omitempty"`
	Status Status `json:"status"`
	// OutOfRange says that the entity never occurs at the answer variable's position in the observed graph: y of
	// `capital(x, y)` is out of range if it is the capital of nothing. A single atom of the query with a fact for the
	// entity there puts it in range; negated atoms do not count. If some disjunct has no other atom with the answer
	// variable, all entities are in range. Rows of several variables are never out of range.
	OutOfRange bool `json:"out_of_range,omitempty"`
	// Shown are the values of the variables in Options.Show, in that order, from the best witness of an answer of one
	// variable. They are empty for variables of other disjuncts, and for all variables without a witness.
	Shown []Value `json:"-"`
	// Witness is the best witness of a row of several variables, with the last searched variable as its answer; nil
	// if there is none.
	Witness *Witness `json:"witness,omitempty"`
}

// Value is an entity as the value of a variable, or in a fact.
type Value struct {
	// Variable is the variable's name in the query, empty if there is none.
	Variable string         `json:"variable,omitempty"`
	ID       graph.EntityID `json:"id"`
	// Name is the entity's name. Label is its label, or the name if the model has no label.
	Name  string `json:"name"`
	Label string `json:"label"`
	// Attributes has, for an answer, the attributes by which the question filters its variable, with all values that the
	// entity has of them, whether they meet the filters or not: see Reply.Columns.
	Attributes Attributes `json:"attributes,omitempty"`
}

// Basis explains the confidence of a predicted answer: see model.Calibration. Behind the best answers, model.Behind multiplies it.
type Basis struct {
	// Evidence is the logarithm of the score before normalisation: of the truth degree d under
	// fit, and of p^(1−g)·d^g under nsmp and mixed, where p is the probability by message
	// passing.
	Evidence float64 `json:"evidence"`
	// Margin is the distance to the evidence of the best predicted answer.
	Margin float64 `json:"margin"`
	// Relation is the relation of the weakest predicted link in the answer's best witness, and Offset its
	// contribution. Relation is empty without a witness, or if the witness predicts no link.
	Relation string  `json:"relation,omitempty"`
	Offset   float64 `json:"offset"`
	// Graph is the contribution of the graph's evidence on such a link: see model.LinkTerms.
	Graph float64 `json:"graph"`
	// Applies is a factor: the probability that the head of that link has facts of the relation at all, below 1 if
	// the graph has none. See model.Model.Applies. If it has none that lead to the tail, that probability is a factor of
	// the odds.
	Applies float64 `json:"applies"`
	// Complete says that the answer needs a fact that the graph lacks, of a relation of which it has all facts.
	Complete bool `json:"complete,omitempty"`
}

// Witness explains an answer by one disjunct, with a value for each existential variable and the truth degree of each
// atom at these values. Values and Atoms are empty if the candidates that truth degrees keep
// (model.Degrees.Candidates) contain no witness.
type Witness struct {
	Answer Value `json:"answer"`
	// Degree is the degree of the answer by this disjunct, the product of its atoms' degrees.
	Degree float32 `json:"degree"`
	// Disjunct is the index of the disjunct that gives the answer its largest degree.
	Disjunct int           `json:"disjunct"`
	Values   []Value       `json:"values,omitempty"`
	Atoms    []WitnessAtom `json:"atoms,omitempty"`
	// Filters are the filters on the answer and on other values, with the entity values that meet them.
	Filters []WitnessFilter `json:"filters,omitempty"`
}

// WitnessFilter is a filter on an entity of a witness.
type WitnessFilter struct {
	Attribute string `json:"attribute"`
	// Asked is the condition, such as > 1000000.
	Asked  string `json:"asked"`
	Entity Value  `json:"entity"`
	// Value is the value that meets the filter, the least if several do, or the least of all if none does or the
	// filter is negated. It is empty if none is known.
	Value string `json:"value,omitempty"`
	// Degree is 0 if the filter is not met.
	Degree float32 `json:"degree"`
	// Assumed says that the value is due to an assumption: see Model.Assume.
	Assumed bool `json:"assumed,omitempty"`
	// Added says who added the value and when, if the journal knows.
	Added *model.Origin `json:"added,omitempty"`
}

// values returns the values of a witness, none if it is nil.
func (w *Witness) values() []Value {
	if w == nil {
		return nil
	}
	return w.Values
}

// leastLikely returns the basis of the confidence of a witness's least likely link, nil if all are in the graph.
func (w *Witness) leastLikely() (b *Basis) {
	if w == nil {
		return nil
	}
	least := math.Inf(1)
	for _, a := range w.Atoms {
		if a.basis != nil && !a.Negated && a.Confidence < least {
			least = a.Confidence
			b = a.basis
		}
	}
	return b
}

// WitnessAtom is an atom with the values of its terms, in the direction of the query.
type WitnessAtom struct {
	Relation string `json:"relation"`
	Head     Value  `json:"head"`
	Tail     Value  `json:"tail"`
	Negated  bool   `json:"negated,omitempty"`
	// Observed says that the link is in the observed graph; otherwise it is predicted.
	Observed bool `json:"observed"`
	// Degree is the truth degree of the atom, negation included. For a variable that no entity informs it may be
	// Degrees.Leaf.
	Degree float32 `json:"degree"`
	// Confidence is the probability that a predicted link is true, or false if the atom is negated. Question.Why and
	// Question.Believe set it, and Question.Ask for rows; it is 0 if the model is not calibrated.
	Confidence float64 `json:"confidence,omitempty"`
	relation   graph.RelationID
	basis      *Basis // of the link's confidence
	// Fails says, in a WhyNot and of the type that a question asks for, why the atom does not hold in the graph:
	// "predicted" if the graph lacks the link, "refuted" if it has all facts of the relation or the link is marked as not
	// true, "negated" if it has a link that the question negates, or if both sides of an inequality, whose Relation is =,
	// are one entity. It is empty if the atom holds.
	Fails string `json:"fails,omitempty"`
	// Assumed says that an observed link, or the absence of a negated one, is due to an assumption: see Model.Assume.
	Assumed bool `json:"assumed,omitempty"`
	// Added says who added an observed link and when, if the journal knows.
	Added *model.Origin `json:"added,omitempty"`
}

// FuzzySet is the result of message passing for an existential variable of one disjunct: the
// last state that it sent to the rest of the query.
type FuzzySet struct {
	// Disjunct counts from 0.
	Disjunct int
	// Variable is the variable's name in the query.
	Variable string
	// Top are the entities with the largest degrees of membership, their scores.
	Top []Row
}

// Value returns the value of a variable: an answer variable, one of Options.Show, or one in the row's witness. For
// another variable it returns the zero Value.
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
