// Package table holds the entity table of a model: rows of numbers in one of four types, codes of 8 bits that stand for
// them, and the products of both with queries.
package table
