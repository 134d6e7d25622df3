// Package plantest draws random queries and small random models for property
// tests. It knows the query language and the model, and none of the stages in
// between that the tests compare.
package plantest
