package runtime

import (
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
)

// Aliases of types of package model, for programs and generated code.
type (
	// Entity is an entity of a model. Model.Entity finds it by its name.
	Entity = graph.Entity
	// Relation is a directed relation of a model. Model.Relation finds it by its name.
	Relation = graph.Relation
	// EntityID is the id of an entity, as answers have it.
	EntityID = graph.EntityID
	// Date is a moment, or all moments of a day, a month or a year.
	Date = values.Date
)

// ParseDate reads a date such as 1950, 1950-01, 1950-01-31 or 1950-01-31T12:00:00Z.
func ParseDate(text string) (Date, error) { return values.ParseDate(text) }
