package plan

// Kind is what a question asks for.
type Kind uint8

// The kinds of questions.
const (
	// Answers asks for the values of one variable, ranked.
	Answers Kind = iota
	// Rows asks for the values of several variables together, ranked.
	Rows
	// Verdict asks yes or no.
	Verdict
	// Count asks how many answers there are.
	Count
)

var kindNames = [...]string{Answers: "answers", Rows: "rows", Verdict: "verdict", Count: "count"}

// String returns the kind in lower case.
func (k Kind) String() string { return kindNames[min(k, Count)] }
