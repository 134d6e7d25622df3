// Package limits lists the limits of the query language. Each is checked before the work that it bounds, so that
// hostile text costs no more than reading it.
package limits

// The limits.
const (
	// FileBytes bounds the text of a file.
	FileBytes = 1 << 20
	// FormulaBytes bounds the text of an ad-hoc formula or benchmark string.
	FormulaBytes = 64 << 10
	// Nesting bounds how deep parentheses, negations and quantifiers nest.
	Nesting = 100
	// Atoms bounds the atoms of a formula.
	Atoms = 64
	// Variables bounds the quantified variables of a formula; an atom uses
	// at most two.
	Variables = 2 * Atoms
	// AnswerVariables bounds the answer variables of a query.
	AnswerVariables = 8
	// Layers bounds the layers that a file may choose.
	Layers = 64
	// Params bounds the parameters of a template; an atom uses at most three.
	Params = 3 * Atoms
	// Disjuncts bounds the conjunctive queries of a disjunctive normal form, counted before
	// any are merged. Each contains an atom of the formula at most once.
	Disjuncts = 64
)
