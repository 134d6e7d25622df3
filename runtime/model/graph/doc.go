// Package graph holds the facts of a model as one sorted list of pairs for each relation and direction, and counts
// their regularities. It knows entities and relations only by id.
package graph
