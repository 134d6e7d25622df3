package plan

// Each converts each result to a type of the query's own.
func Each[R, A any](results []R, rows func(R) A) []A {
	out := make([]A, len(results))
	for i, r := range results {
		out[i] = rows(r)
	}
	return out
}
