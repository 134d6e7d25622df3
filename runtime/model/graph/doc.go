// Package graph holds the facts of a model as one sorted list of pairs for each relation and direction, and counts
// what they have in common. It knows entities and relations by their ids only.
package graph
