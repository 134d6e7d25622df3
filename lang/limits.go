package lang

// The limits. Each is checked before the work that it bounds, so that a hostile text costs no
// more than reading it.
const (
	// MaxFileBytes bounds the text of a file.
	MaxFileBytes = 1 << 20
	// MaxFormulaBytes bounds the text of an ad-hoc formula or benchmark string.
	MaxFormulaBytes = 64 << 10
	// MaxNesting bounds how deep parentheses, negations and quantifiers nest.
	MaxNesting = 100
	// MaxAtoms bounds the atoms of a formula.
	MaxAtoms = 64
	// MaxVariables bounds the quantified variables of a formula; an atom uses
	// at most two.
	MaxVariables = 2 * MaxAtoms
	// MaxAnswerVariables bounds the answer variables of a query.
	MaxAnswerVariables = 8
	// MaxLayers bounds the layers that a file may choose.
	MaxLayers = 64
	// MaxParams bounds the parameters of a template; an atom uses at most three.
	MaxParams = 3 * MaxAtoms
	// MaxDisjuncts bounds the conjunctive queries of a disjunctive normal form, counted before
	// any are merged. Each contains an atom of the formula at most once.
	MaxDisjuncts = 64
)
