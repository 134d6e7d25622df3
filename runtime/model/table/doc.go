// Package table holds the entity table of a model: rows of numbers in one of four types, their 8-bit codes, and the
// products of both with queries.
package table
