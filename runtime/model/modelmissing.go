package model

import "github.com/efoc/efoc/runtime/model/graph"

// MissingOf returns the share of the facts of a relation that the graph lacks.
func (m *Model) MissingOf(r graph.RelationID) float64 {
	if missing := &m.Manifest.Missing; len(missing.Relations) > 0 {
		if share, given := missing.Relations[m.RelationName(r&^1)]; given {
			return share
		}
	}
	return m.Manifest.Missing.Assumed
}

// Complete reports whether the graph has all facts of a relation.
func (m *Model) Complete(r graph.RelationID) bool {
	return m.Manifest.Missing.Odds(m.MissingOf(r)) == 0
}
