package plan

import (
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/scq"
)

// Spec is a question as data, as package compiler and generated code make it. It is not bound to a model.
type Spec struct {
	// Name is the template's name, for errors; "" for a question that is asked once.
	Name string
	Kind Kind
	// Semantics is the semantics of the answers.
	Semantics model.Semantics
	// Settings are the settings to answer with, unless options have others; nil means the model's own.
	Settings *model.Settings
	// Variables are the answer variables, none for a verdict.
	Variables []string
	// Search is the order in which rows are searched, as indices into Variables; nil means the order of Variables.
	// Roles and slots number the variables in this order.
	Search []int
	// Params are the parameters, in the order of their values.
	Params []Param
	// Entities and Relations are the names in the question; Aliases are the short names among the relations.
	Entities, Relations []string
	Aliases             []Alias
	// Conditions are the conditions on values in the question.
	Conditions []Condition
	// IDs are the ids of the names. If it is nil, Model.Bind looks the names up and reports the unknown ones.
	IDs *IDs
	// Parts are the queries with one answer variable that answer the question: one for Answers and Count; for Rows,
	// the ones that Role describes. Disjuncts lists, by index, the parts that hold together in a verdict.
	Parts     []Part
	Disjuncts [][]int
	// Type is the type of all answers, nil for any.
	Type *TypeName
	// Show are the variables to show unless the options say otherwise.
	Show []string
}

// Param is a parameter.
type Param struct {
	Name string
	Kind kind.Param
}

// Arg is the value of a parameter. The zero Arg is not set.
type Arg struct {
	Kind kind.Param
	// ID is the id of an entity or of a directed relation, negative for none.
	ID int32
	// Span is the number or date that filters compare with.
	Span values.Span
}

// Entity returns the value of a parameter that is an entity.
func Entity(e graph.Entity) Arg { return Arg{Kind: kind.Entity, ID: int32(e.ID())} }

// Relation returns the value of a parameter that is a relation.
func Relation(r graph.Relation) Arg { return Arg{Kind: kind.Relation, ID: int32(r.ID())} }

// Number returns the value of a parameter that is a number.
func Number(x float64) Arg { return Arg{Kind: kind.Number, Span: values.Span{First: x, Last: x}} }

// Date returns the value of a parameter that is a date.
func Date(d values.Date) Arg {
	span, set := d.Span()
	if !set {
		return Arg{}
	}
	return Arg{Kind: kind.Date, Span: span}
}

// Args returns ids as values of the parameters, which are entities and relations.
func (s *Spec) Args(ids ...int32) []Arg {
	args := make([]Arg, len(ids))
	for i, id := range ids {
		args[i] = Arg{Kind: kind.Entity, ID: id}
		if i < len(s.Params) && s.Params[i].Kind == kind.Relation {
			args[i].Kind = kind.Relation
		}
	}
	return args
}

// Alias is a short name of a relation, with its declaration as file:line.
type Alias struct{ Name, Relation, Place string }

// TypeName names a type: an entity, with the relation from instances, or the model's own type relation if it is
// empty.
type TypeName struct {
	Relation string
	Inverse  bool
	Entity   string
}

// IDs are the ids of the names of a Spec.
type IDs struct {
	Entities  []graph.EntityID
	Relations []graph.RelationID
	Type      model.Type
}

// Part is a query with one answer variable, and its plan.
type Part struct {
	// Plan runs the part.
	Plan *Plan
	// Explain, if not nil, makes the plan that finds witnesses on first use. Otherwise Plan finds them if it computes
	// truth degrees, and Plan.Degrees if not.
	Explain func() (*Plan, error)
	// Variables holds, for each disjunct, the names of its variables, the answer variable first; nil means the names
	// in the plan.
	Variables [][]string
	// Reversed says, for each atom of each disjunct, that the question writes it from the other end, r^-1(tail,
	// head); nil means that it reverses none.
	Reversed [][]bool
	// Constants, Relations and Filters fill the slots of the plan; Filters are indices into Spec.Conditions.
	Constants, Relations []Slot
	Filters              []int
	// Role says what the part does for Rows.
	Role Role
	// At is the required answer in a part of a verdict, nil for any.
	At *Slot
}

// Role is what a part does for rows of several answer variables.
type Role struct {
	// Variable is the index of the part's own answer variable.
	Variable int
	// Disjunct is the disjunct whose truth degrees the part computes: variables before Variable are entities, later
	// ones existential, and atoms of entities only are omitted. It is -1 for a part that passes messages in all
	// disjuncts, with the other variables existential.
	Disjunct int
	// Own keeps only the disjunct's atoms over Variable and the given entities.
	Own bool
}

// Slot is the value of a plan's slot.
type Slot struct {
	From Source
	// Index is an index into Spec.Entities or Spec.Relations, Spec.Params or Spec.Variables.
	Index int
	// Inverse inverts the relation.
	Inverse bool
}

// Source is the source of a slot's value.
type Source uint8

// The sources.
const (
	FromName Source = iota
	FromParam
	// FromValue is the value of an earlier answer variable.
	FromValue
)

// Searched returns the index of the answer variable at a position of the search for rows.
func (s *Spec) Searched(position int) int {
	if s.Search == nil {
		return position
	}
	return s.Search[position]
}

// Bindings fills the slots of a part with the values of the parameters and of earlier answer variables, and with the
// entities that meet each of Spec.Conditions. A slot without a value gets -1.
func (p *Part) Bindings(ids *IDs, args []Arg, values []graph.EntityID, filters []*model.Selection) (b scq.Bindings) {
	b.Constants = make([]graph.EntityID, 0, len(p.Constants))
	b.Relations = make([]graph.RelationID, 0, len(p.Relations))
	p.Bind(&b, ids, args, values, filters)
	return b
}

// Bind is Bindings in the memory of b.
func (p *Part) Bind(b *scq.Bindings, ids *IDs, args []Arg, values []graph.EntityID, filters []*model.Selection) {
	b.Constants = b.Constants[:0]
	for _, s := range p.Constants {
		b.Constants = append(b.Constants, s.Entity(ids, args, values))
	}
	b.Relations = b.Relations[:0]
	for _, s := range p.Relations {
		b.Relations = append(b.Relations, s.Relation(ids, args))
	}
	b.Filters = b.Filters[:0]
	for _, f := range p.Filters {
		b.Filters = append(b.Filters, filters[f])
	}
}

// Entity returns the entity that fills a slot, -1 if it has none yet.
func (s Slot) Entity(ids *IDs, args []Arg, values []graph.EntityID) graph.EntityID {
	switch {
	case s.From == FromName:
		return ids.Entities[s.Index]
	case s.From == FromParam && s.Index < len(args):
		return graph.EntityID(args[s.Index].ID)
	case s.From == FromValue && s.Index < len(values):
		return values[s.Index]
	}
	return -1
}

// Relation returns the directed relation that fills a slot, -1 if it has none yet.
func (s Slot) Relation(ids *IDs, args []Arg) graph.RelationID {
	r := graph.RelationID(-1)
	switch {
	case s.From == FromName:
		r = ids.Relations[s.Index]
	case s.Index < len(args):
		r = graph.RelationID(args[s.Index].ID)
	}
	if r >= 0 && s.Inverse {
		r = r.Inverse()
	}
	return r
}
