package compiler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/efoc/efoc/compiler/internal/interpreted"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Engine selects what runs a plan.
type Engine string

// The engines.
const (
	// EngineAuto is EngineCompiled if the shape has generated code, otherwise
	// EngineInterpreted.
	EngineAuto Engine = "auto"
	// EngineCompiled runs generated code.
	EngineCompiled Engine = "compiled"
	// EngineInterpreted interprets the optimised plan on the kernels that generated code uses.
	EngineInterpreted Engine = "interpreted"
	// EngineLayers interprets the plan before any optimisation, layer by layer as the paper
	// states it, on the same kernels.
	EngineLayers Engine = "layers"
	// EngineReference interprets the plan before any optimisation with one plain loop per op.
	// It is slow; the other engines are tested against it.
	EngineReference Engine = "reference"
	// EngineCUDA runs the optimised plan on a GPU: see PrepareOptions.Kernels.
	EngineCUDA Engine = "cuda"
)

// Engines lists the engines by name.
var Engines = []Engine{EngineAuto, EngineCompiled, EngineInterpreted, EngineLayers, EngineReference}

// PrepareOptions configure how a query is prepared. The zero value is a good default.
type PrepareOptions struct {
	// Settings are the settings to answer with; nil means the model's.
	Settings *model.Settings
	// Engine runs the plan; empty means EngineAuto.
	Engine Engine
	// Plans are the generated plans available to EngineAuto and EngineCompiled.
	Plans []*plan.Plan
	// Cache keeps compiled shapes; nil means none.
	Cache *Cache
	// Semantics says what answers mean; nil means the model's own, see
	// model.Manifest.Semantics.
	Semantics *model.Semantics
	// Kernels makes the kernels of a compiled shape, for EngineCUDA; the model must be on a
	// device. With a Cache it is called once per shape. It may return ErrNoKernels.
	Kernels func(c *Compiled) (*device.Plan, error)
}

// Prepared is a query ready to answer on a model.
type Prepared struct {
	*Resolved
	// Query answers for given Bindings.
	Query *runtime.Query
	// Compiled is the plan.
	Compiled *Compiled
	// Engine is the engine that runs the plan, never EngineAuto.
	Engine Engine
	// Settings are the settings to answer with.
	Settings model.Settings
	// Semantics is the semantics of the answers.
	Semantics model.Semantics

	cache   *Cache
	degrees func() (*runtime.Query, error) // the query as truth degrees answer it, bound once
}

// PrepareFormula parses a question and prepares it: see lang.ParseFormula and Prepare. Errors
// in the formula are a lang.ErrorList.
func PrepareFormula(m *runtime.Model, formula string, o PrepareOptions) (*Prepared, error) {
	o.Cache = cmp.Or(o.Cache, &Cache{})
	a, err := o.Cache.Analyze(Formula(formula))
	if err != nil {
		return nil, lang.Unquoted(err, m)
	}
	return a.Prepare(m, o)
}

// Prepare analyses a query and prepares it: see Analyze and Analysis.Prepare.
func Prepare(m *runtime.Model, q *lang.Query, o PrepareOptions) (*Prepared, error) {
	return Analyze(q).Prepare(m, o)
}

// Prepare resolves the query's names in the model and prepares it: see Analysis.Resolve and
// Resolved.Prepare.
func (a *Analysis) Prepare(m *runtime.Model, o PrepareOptions) (*Prepared, error) {
	m = m.Now() // with the entities that were added
	r, err := a.Resolve(m)
	if err != nil {
		return nil, err
	}
	return r.Prepare(m, o)
}

// Prepare compiles the query and binds the plan to the model, which must be the one
// that its names were resolved in. Errors about the query carry its positions.
//
// With a Cache, queries of one shape share a plan.Plan: Query.Plan then
// returns the same pointer for all of them.
func (r *Resolved) Prepare(m *runtime.Model, o PrepareOptions) (*Prepared, error) {
	if e := cmp.Or(o.Engine, EngineAuto); m.Split() && e != EngineAuto && e != EngineCompiled && e != EngineInterpreted {
		return nil, errSplit
	}
	p := &Prepared{Resolved: r, cache: cmp.Or(o.Cache, &Cache{})}
	p.Semantics, p.Settings = *cmp.Or(o.Semantics, &m.Manifest.Semantics), *cmp.Or(o.Settings, &m.Manifest.Settings)
	if err := p.Settings.Validate(); err != nil {
		return nil, err
	}
	var err error
	options := CompileOptions{Layers: p.Settings.Layers, Semantics: p.Semantics, Fixed: p.fixed(m, o)}
	if p.Compiled, _, err = p.cache.Compile(p.Shape, options); err != nil {
		return nil, r.Locate(err)
	}
	made, err := p.choose(o)
	if err != nil {
		return nil, err
	}
	if p.Query, err = runtime.NewBoundLazily(m, made, p.names(), p.Slots.Bind(make([]int32, len(p.Source.Params)))); err != nil {
		return nil, err
	}
	p.degrees = sync.OnceValues(p.newDegrees)
	p.Query.DegreesBy(func() *runtime.Query {
		q, _ := p.degrees() // without it there are no witnesses
		return q
	})
	return p, p.limit(m)
}

// fixed returns the slots that a template fills itself, nil for a question, which is asked
// once, and where nothing can be computed ahead.
func (p *Prepared) fixed(m *runtime.Model, o PrepareOptions) *pass.Fixed {
	e := cmp.Or(o.Engine, EngineAuto)
	if len(p.Source.Params) == 0 || m.Split() || e != EngineAuto && e != EngineInterpreted {
		return nil
	}
	return p.Fixed()
}

// ErrNoKernels says that a shape has no kernels; the processor can answer it.
var ErrNoKernels = errors.New("there are no kernels of this shape for a device")

// errSplit refuses what no shard computes.
var errSplit = errors.New("a split model runs only optimised plans: leave out other engines")

// limit leaves out answers that are not of the type that the query asks for.
func (p *Prepared) limit(m *runtime.Model) error {
	t := p.Source.TypeFilter
	if t == nil {
		return nil
	}
	relation := model.RelationOf(p.relation(t.Relation))
	if t.Relation.Name == "" {
		own, err := m.TypeRelation()
		if err != nil {
			return err
		}
		relation = own
	}
	entity := model.EntityOf(model.EntityID(p.ids.Entities[t.Entity.Name]))
	p.Query = p.Query.Limited(model.Type{Relation: relation, Entity: entity})
	return nil
}

// names returns the names of the query and its variables.
func (p *Prepared) names() plan.Names {
	return plan.Names{Query: p.Source.Name, Variables: p.Shape.Variables, Reversed: p.Shape.Reversed}
}

// choose picks the engine and the plan it runs.
func (p *Prepared) choose(o PrepareOptions) (*plan.Plan, error) {
	if p.Compiled.Bind != nil { // fewer passes than any generated plan of the shape
		p.Engine = EngineInterpreted
		return p.Compiled.Interpreted()
	}
	p.Engine = o.Engine
	switch o.Engine {
	case EngineAuto, "", EngineCompiled:
		if made := planOf(o.Plans, p.Shape.Key, p.Semantics, p.Compiled.Layers); made != nil {
			p.Engine = EngineCompiled
			return made, nil
		}
		if o.Engine == EngineCompiled {
			return nil, fmt.Errorf("there is no generated code for shape %s with this number of layers and semantics %s: "+
				"use --engine interpreted, or generate code with efoc generate", p.Shape.Key, p.Semantics)
		}
		p.Engine = EngineInterpreted
		return p.Compiled.Interpreted()
	case EngineInterpreted:
		return p.Compiled.Interpreted()
	case EngineLayers:
		return p.Compiled.interpret(p.Compiled.Lowered)
	case EngineReference:
		made := p.Compiled.NewPlan()
		if p.Semantics != model.NSMP { // it leaves nothing to explain answers by
			var err error
			if made.Degrees, err = p.degreesPlan(); err != nil {
				return nil, err
			}
		}
		made.Run = func(w *plan.Workspace) error {
			r, err := reference.Run(w.Context(), p.Compiled.Lowered, w.Model(), w.Settings(), w.Bindings())
			if err == nil {
				w.SetVectors(r.Answer, r.Sets)
			}
			return err
		}
		return made, nil
	case EngineCUDA:
		return p.Compiled.onDevice(o.Kernels)
	}
	return nil, fmt.Errorf("unknown engine %q", o.Engine)
}

// Interpreted returns the runtime plan that interprets the optimised plan. It is made once.
func (c *Compiled) Interpreted() (*plan.Plan, error) { return c.opByOp.get(c.interpretOptimized) }

func (c *Compiled) interpretOptimized() (*plan.Plan, error) {
	p, err := c.interpret(c.Optimized)
	if err != nil || c.Bind == nil {
		return p, err
	}
	bind, err := interpreted.New(c.Bind)
	if err != nil {
		return nil, err
	}
	p.Vectors, p.Embeddings = max(p.Vectors, bind.Vectors), max(p.Embeddings, bind.Embeddings)
	p.Bind, p.BindPlaces = bind.Run, bind.Places
	p.KeptVectors, p.KeptEmbeddings = c.Bind.Kept()
	return p, nil
}

// onDevice returns a plan of the runtime that a device runs, which is made once.
func (c *Compiled) onDevice(kernels func(c *Compiled) (*device.Plan, error)) (*plan.Plan, error) {
	if kernels == nil {
		return nil, fmt.Errorf("engine %s needs a device", EngineCUDA)
	}
	return c.device.get(func() (*plan.Plan, error) {
		k, err := kernels(c)
		if err != nil {
			return nil, err
		}
		p, err := c.interpretOptimized() // what explains answers
		if err == nil {
			p.Kernels = k
		}
		return p, err
	})
}

// Bindings fills the plan's slots. args maps each parameter of a template to its value: the
// name of an entity, or of a relation, with ^-1 for its inverse. A question without parameters
// takes none.
func (p *Prepared) Bindings(args map[string]string) (scq.Bindings, error) {
	ids, err := argIDs(p.Source, p.Query.Model(), args)
	if err != nil {
		return scq.Bindings{}, err
	}
	return p.Slots.Bind(ids), nil
}

// argIDs returns the ids of the named arguments, in the order of the query's parameters.
func argIDs(q *lang.Query, m *runtime.Model, args map[string]string) ([]int32, error) {
	if err := checkArgs(q, args); err != nil {
		return nil, err
	}
	ids := make([]int32, len(q.Params))
	for i, param := range q.Params {
		name := args[param.Name]
		var err error
		if param.Kind == lang.RelationKind {
			var r model.Relation
			r, err = m.Relation(name)
			ids[i] = int32(r.ID())
		} else {
			var e model.Entity
			e, err = m.Entity(name)
			ids[i] = int32(e.ID())
		}
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", param.Name, err)
		}
	}
	return ids, nil
}

// BindingsByID is Bindings by id. args holds the value of each parameter of the template in
// order: an entity, or a directed relation.
func (p *Prepared) BindingsByID(args []int32) (scq.Bindings, error) {
	if err := checkIDs(p.Source, p.Query.Model(), args); err != nil {
		return scq.Bindings{}, err
	}
	return p.Slots.Bind(args), nil
}

// checkIDs checks the values of a query's parameters.
func checkIDs(q *lang.Query, m *runtime.Model, args []int32) error {
	if len(args) != len(q.Params) {
		return fmt.Errorf("query %s has %d parameters, got %d values", q.Name, len(q.Params), len(args))
	}
	for i, param := range q.Params {
		limit, things := m.NumEntities(), "entities"
		if param.Kind == lang.RelationKind {
			limit, things = m.NumRelations(), "relations with inverses"
		}
		if args[i] < 0 || int(args[i]) >= limit {
			return fmt.Errorf("parameter %s is %d, but the model has %d %s", param.Name, args[i], limit, things)
		}
	}
	return nil
}

// checkArgs reports values without a parameter, then parameters without a value.
func checkArgs(q *lang.Query, args map[string]string) error {
	var names, missing []string
	for _, param := range q.Params {
		names = append(names, param.Name)
		if _, ok := args[param.Name]; !ok {
			missing = append(missing, fmt.Sprintf("%s (%s)", param.Name, param.Kind))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if slices.Contains(names, name) {
			continue
		}
		if near := lang.Nearest(name, names, 1); len(near) > 0 {
			return fmt.Errorf("query %s has no parameter %s: did you mean %s?", q.Name, name, near[0])
		}
		return fmt.Errorf("query %s has no parameter %s; it has %s", q.Name, name, cmp.Or(strings.Join(names, ", "), "none"))
	}
	if len(missing) > 0 {
		return fmt.Errorf("query %s needs a value for %s", q.Name, strings.Join(missing, ", "))
	}
	return nil
}

// Answer answers a question without parameters.
func (p *Prepared) Answer(ctx context.Context, o runtime.Options) (*runtime.Reply, error) {
	b, err := p.Bindings(nil)
	if err != nil {
		return nil, err
	}
	o.Settings = cmp.Or(o.Settings, &p.Settings)
	show := o.Show
	if show == nil {
		show = p.Source.Shown()
	}
	if err := p.Query.CheckShow(show); err != nil {
		return nil, err
	}
	o.Show = nil
	r, err := p.Query.Answer(ctx, b, o)
	if err != nil {
		return nil, err
	}
	return r, p.Show(ctx, b, *o.Settings, r, show)
}
