package reference

import (
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// machine holds the inputs of the ops.
type machine struct {
	model    *model.Model
	settings model.Settings
	bindings scq.Bindings
	results  map[*ir.Value]any // []float32, or the result of a truth-degree op
	scratch  []float32         // buffer for entity, 2d
	noise    func() float64    // perturbation of results; nil for none
	counted  map[graph.RelationID]*regularity
}

// call is one op with the results of its operands.
type call struct {
	*machine
	v    *ir.Value
	args []any
}

// vec returns operand i as a vector or an embedding; deg, top, rows and cases do so for the other spaces.
func (c call) vec(i int) []float32  { return c.args[i].([]float32) }
func (c call) deg(i int) degrees    { return c.args[i].(degrees) }
func (c call) top(i int) candidates { return c.args[i].(candidates) }
func (c call) rows(i int) rowSet    { return c.args[i].(rowSet) }
func (c call) num(i int) number     { return c.args[i].(number) }
func (c call) cases(i int) branches { return c.args[i].(branches) }
func (c call) slot() graph.EntityID { return c.bindings.Constants[c.v.Const] }

// selection returns the entities that meet the filter of an op.
func (c call) selection() *model.Selection { return c.bindings.Filters[c.v.Filter] }

// number is the result of a reduction: sums of exponentials are relative to top.
type number struct{ top, of float64 }

// regularity holds statistics of the links of a directed relation, and their weights in truth degrees. It
// counts all facts, link by link.
type regularity struct {
	heads []float64 // of each entity, as a tail
	loops float64   // share of loops among the facts; always positive, since its logarithm is taken
	// second is a factor of the predicted links of a head with a known tail.
	second float64
	terms  model.ScoreTerms
}

// array returns the result of a vector or an embedding.
func (mc *machine) array(v *ir.Value) []float32 { return mc.results[v].([]float32) }

func (mc *machine) n() int { return mc.model.NumEntities() }

// entity returns an embedding, valid until the next call.
func (mc *machine) entity(e int) []float32 {
	return mc.model.Predictor.EntityTable.Row(graph.EntityID(e), mc.scratch)
}

func (mc *machine) relation(v *ir.Value) graph.RelationID { return mc.bindings.Relations[v.Rel] }

// truth returns the settings for truth degrees.
func (mc *machine) truth() model.Degrees { return mc.settings.Degrees.OrDefault() }

// exact reports whether every entity has rows.
func (mc *machine) exact() bool { return mc.truth().Candidates >= mc.n() }
