// Package ast has the trees of the query language: formulas as they are written, and their normal form. It
// prints them, and knows neither how they are parsed nor what makes them correct.
package ast
