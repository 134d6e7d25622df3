package compiler

import (
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Slots say what fills the slots of a shape. They make bindings, the one form of a query's
// names in which plans are run.
type Slots struct {
	Constants, Relations []Slot
}

// Slot is filled by a name in the query, whose id is known, or by a parameter.
type Slot struct {
	// Param is the index of the parameter, -1 for a name.
	Param int
	// ID is the entity or directed relation that the name stands for.
	ID int32
	// Inverse says that the slot takes the inverse of the parameter's relation.
	Inverse bool
}

// Value returns what fills the slot, given the values of all parameters. A negative value means
// that the parameter has none yet; it stays as it is.
func (s Slot) Value(args []int32) int32 {
	switch {
	case s.Param < 0:
		return s.ID
	case s.Inverse && args[s.Param] >= 0:
		return int32(model.RelationID(args[s.Param]).Inverse())
	}
	return args[s.Param]
}

// Bind returns the bindings for some values of the parameters.
func (s Slots) Bind(args []int32) scq.Bindings {
	b := scq.Bindings{
		Constants: make([]model.EntityID, len(s.Constants)),
		Relations: make([]model.RelationID, len(s.Relations)),
	}
	for i, slot := range s.Constants {
		b.Constants[i] = model.EntityID(slot.Value(args))
	}
	for i, slot := range s.Relations {
		b.Relations[i] = model.RelationID(slot.Value(args))
	}
	return b
}
