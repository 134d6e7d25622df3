// Package values holds the numbers and dates that entities have of attributes, as text, as float64 and in the blocks of
// a bundle.
package values
