// Package ast defines the syntax trees of the query language, for formulas as written and in normal form, and
// prints them. It neither parses nor checks them.
package ast
