package compiler

import (
	"context"
	"math"

	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// maxReferenceRows bounds the number of rows that the reference scores one by one.
const maxReferenceRows = 20_000

// scoreRows lets the reference score the rows of a query one by one if they are few and degrees are exact.
func (p *Prepared) scoreRows(m *model.Model) {
	n := m.NumEntities()
	if n > p.Settings.Degrees.OrDefault().Candidates || math.Pow(float64(n), float64(len(p.Spec().Variables))) > maxReferenceRows {
		return
	}
	p.ScoreRows(func(ctx context.Context, now *model.Model, s model.Settings, a runtime.Args) (runtime.RowScorer, error) {
		return reference.NewTuples(ctx, now, p.Source, p.Semantics, s, rowNames{p.Source, now, a})
	})
}

// rowNames resolves the names in a resolved query to ids of a model.
type rowNames struct {
	query *lang.Query
	model *model.Model
	args  runtime.Args
}

// Entity returns the entity of a constant or a parameter.
func (n rowNames) Entity(t ast.Term) graph.EntityID {
	if t.Kind == ast.Parameter {
		return graph.EntityID(n.args[n.query.Param(t.Name)].ID)
	}
	id, _ := n.model.FindEntity(t.Name)
	return graph.EntityID(id)
}

// Relation returns the directed relation of an atom.
func (n rowNames) Relation(r ast.Relation) graph.RelationID {
	var id int32
	if r.Param {
		id = n.args[n.query.Param(r.Name)].ID
	} else {
		id, _ = n.model.FindRelation(r.Name)
	}
	if r.Inverse {
		return graph.RelationID(id).Inverse()
	}
	return graph.RelationID(id)
}

// Selection returns the entities that meet a condition.
func (n rowNames) Selection(f ast.Condition) *model.Selection {
	filter := stages.Condition(n.query, f)
	by, _ := n.model.Spans(filter)
	for i, c := range filter.Comparisons {
		if c.Param > 0 {
			by[i] = n.args[c.Param-1].Span
		}
	}
	return n.model.SelectBy(filter, by)
}
