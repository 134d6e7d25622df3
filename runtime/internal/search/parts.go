package search

import (
	"slices"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// Part is a query with one answer variable, in which earlier answer variables are entities.
type Part struct {
	run.Bound
	Bindings scq.Bindings // with a Placeholder for the value of each earlier answer variable
	Places   []int        // of the answer variables in the disjunct, if no values are given
}

// Parts are the parts of a question with several answer variables, on one model in main memory.
type Parts struct {
	Variables int // the number of answer variables
	Semantics model.Semantics
	Marginals []*Part   // by variable; nil under model.FIT
	Rest, Own [][]*Part // by disjunct and variable; Own has nil where it has no atoms
}

// Model returns the model.
func (p *Parts) Model() *model.Model { return p.Rest[0][0].Model }

// firstPlaceholder is the placeholder of the first variable. It differs from the id of an unset entity.
const firstPlaceholder = graph.EntityID(-2)

// Placeholder returns the stand-in, in bindings, for the value of the answer variable with that index.
func Placeholder(variable int) graph.EntityID { return firstPlaceholder - graph.EntityID(variable) }

// Fill returns bindings with the values of the first answer variables.
func Fill(b scq.Bindings, values []graph.EntityID) scq.Bindings {
	b.Constants = slices.Clone(b.Constants)
	for i, e := range b.Constants {
		if v := int(firstPlaceholder - e); v >= 0 && v < len(values) {
			b.Constants[i] = values[v]
		}
	}
	return b
}

// Given returns the part's bindings with the values of earlier variables.
func (p *Part) Given(values []graph.EntityID) scq.Bindings { return Fill(p.Bindings, values) }
