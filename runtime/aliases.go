package runtime

import "github.com/efoc/efoc/runtime/model"

// Programs and generated code name these of package model.
type (
	// Entity is an entity of a model. Model.Entity finds it by its name.
	Entity = model.Entity
	// Relation is a directed relation of a model. Model.Relation finds it by its name.
	Relation = model.Relation
	// EntityID is the id of an entity, as answers have it.
	EntityID = model.EntityID
)
