// Package plantest draws random queries and small random models for property tests. It knows the
// query language and the model, but none of the stages that the tests compare.
package plantest
