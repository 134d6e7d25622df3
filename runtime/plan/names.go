package plan

// Names are the user's names for what a plan numbers.
type Names struct {
	// Query is the template's name, for errors; it may be empty.
	Query string
	// Variables holds, for each disjunct, the names of its variables; nil means the
	// disjunct's own names.
	Variables [][]string
	// Reversed says, for each disjunct and each atom of it, that the query has it
	// from the other end, r^-1(tail, head); nil means that it has them as they are.
	Reversed [][]bool
	// Constants and Relations hold the parameter that fills each slot, for errors, or "" if a
	// name in the query fills it. nil means no parameters.
	Constants, Relations []string
}

// Each converts each result to a type of the query's own.
func Each[R, A any](results []R, rows func(R) A) []A {
	out := make([]A, len(results))
	for i, r := range results {
		out[i] = rows(r)
	}
	return out
}
