// Package kind lists the kinds of questions and of their parameters. The language, the compiler and the runtime
// name them; the package itself imports none of these.
package kind

import "slices"

// Question is the kind of a question.
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

var questions = [...]struct {
	word string
	asks string // what the question asks for instead of a list, empty for a list
	head bool   // the word stands in the head of a query, before its answer variable
}{
	Answers: {word: "answers"},
	Rows:    {word: "rows"},
	Verdict: {word: "verdict", asks: "yes or no"},
	Count:   {word: "count", asks: "how many there are", head: true},
}

// QuestionNamed returns the kind that a word in the head of a query denotes, and whether it denotes one.
func QuestionNamed(word string) (k Question, found bool) {
	for i, q := range questions {
		if q.head && q.word == word {
			return Question(i), true
		}
	}
	return Answers, false
}

// Words returns the words for kinds in the head of a query.
func Words() (list []string) {
	for _, q := range questions {
		if q.head {
			list = append(list, q.word)
		}
	}
	return list
}

// String returns the kind in lower case.
func (k Question) String() string { return questions[k].word }

// Lists reports whether the reply is a list of rows.
func (k Question) Lists() bool { return questions[k].asks == "" }

// Asks says what the question asks for instead of a list.
func (k Question) Asks() string { return questions[k].asks }

// Param is the kind of a parameter. The zero Param is none.
type Param uint8

// The kinds of parameters.
const (
	Entity Param = iota + 1
	// Relation is a directed relation.
	Relation
	// Number and Date are values for filters.
	Number
	Date
)

var params = [...]string{Entity: "entity", Relation: "relation", Number: "number", Date: "date"}

// ParamNamed returns the kind that a valid word denotes.
func ParamNamed(word string) Param { return Param(slices.Index(params[:], word)) }

// String returns the word for the kind.
func (k Param) String() string { return params[k] }

// Article returns the word with its article.
func (k Param) Article() string {
	if k == Entity {
		return "an entity"
	}
	return "a " + k.String()
}

// IsValue reports whether filters compare with parameters of this kind.
func (k Param) IsValue() bool { return k >= Number }
