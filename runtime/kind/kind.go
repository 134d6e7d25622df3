// Package kind lists the kinds of questions and of their parameters. The language, the compiler and the runtime
// name them; the package itself imports none of these.
package kind

import "slices"

// Question is what a question asks for.
type Question uint8

// The kinds of questions.
const (
	// Answers asks for the values of one variable, ranked.
	Answers Question = iota
	// Rows asks for the values of several variables together, ranked.
	Rows
	// Verdict asks yes or no.
	Verdict
	// Count asks how many values a variable has.
	Count
)

var questions = [...]string{Answers: "answers", Rows: "rows", Verdict: "verdict", Count: "count"}

// Questions returns the kinds of questions.
func Questions() []Question {
	list := make([]Question, len(questions))
	for i := range list {
		list[i] = Question(i)
	}
	return list
}

// String returns the kind in lower case.
func (k Question) String() string { return questions[k] }

// Param is what a parameter stands for.
type Param uint8

// The kinds of parameters.
const (
	Entity Param = iota
	// Relation is a directed relation.
	Relation
	// Number and Date are what filters compare with.
	Number
	Date
)

var params = [...]string{"entity", "relation", "number", "date"}

// ParamNamed returns the kind that a word stands for, which is one of them.
func ParamNamed(word string) Param { return Param(slices.Index(params[:], word)) }

// String returns the word for the kind.
func (k Param) String() string { return params[k] }

// IsValue reports whether the kind is of values that filters compare with.
func (k Param) IsValue() bool { return k >= Number }
