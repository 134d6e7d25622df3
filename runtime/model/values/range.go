package values

import (
	"math"
	"slices"
)

// Range is a set of numbers: those between two bounds, without some spans. The zero Range is empty: see Everything.
type Range struct {
	least, most float64
	except      []Span
}

// Everything returns the range of all numbers.
func Everything() Range { return Range{least: math.Inf(-1), most: math.Inf(1)} }

// Restrict keeps the numbers that compare with a span by an operator: =, !=, <, <=, > or >=.
func (r *Range) Restrict(operator string, by Span) {
	switch operator {
	case "=":
		r.least = max(r.least, by.First)
		r.most = min(r.most, by.Last)
	case "!=":
		r.except = append(r.except, by)
	case "<":
		r.most = min(r.most, math.Nextafter(by.First, math.Inf(-1)))
	case "<=":
		r.most = min(r.most, by.Last)
	case ">":
		r.least = max(r.least, math.Nextafter(by.Last, math.Inf(1)))
	default:
		r.least = max(r.least, by.First)
	}
}

// Has reports whether the range has a number.
func (r *Range) Has(x float64) bool {
	within := func(not Span) bool { return not.First <= x && x <= not.Last }
	return r.least <= x && x <= r.most && !slices.ContainsFunc(r.except, within)
}
