// Package values holds the numbers and dates that are values of entities' attributes, as text, as float64 and in the
// blocks of a bundle.
package values
