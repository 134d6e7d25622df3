package compiler

import (
	"cmp"
	"errors"
	"fmt"
	"sync"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
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
	// EngineLayers interprets the plan before any optimisation, layer by layer as in the paper, on the same
	// kernels.
	EngineLayers Engine = "layers"
	// EngineReference interprets the plan before any optimisation with one plain loop per op. It is slow; the
	// other engines are tested against it.
	EngineReference Engine = "reference"
	// EngineCUDA runs the optimised plan on a GPU: see Options.Kernels.
	EngineCUDA Engine = "cuda"
)

// Options configure how a query is prepared. The zero value is a good default.
type Options struct {
	// Settings are the settings to answer with; nil means the model's.
	Settings *model.Settings
	// Engine runs the plan; empty means EngineAuto.
	Engine Engine
	// Plans are the generated plans available to EngineAuto and EngineCompiled.
	Plans []*plan.Plan
	// Cache caches compiled shapes; nil means no caching.
	Cache *stages.Cache
	// Semantics is the semantics of the answers; nil means the model's own, see model.Manifest.Semantics.
	Semantics *model.Semantics
	// Kernels builds the kernels of a compiled shape, for EngineCUDA; the model must be on a device. With a Cache
	// it is called once per shape. It may return ErrNoKernels.
	Kernels func(c *stages.Compiled) (*device.Kernels, error)
}

// Cache caches compiled queries, by shape and by text. The zero Cache is ready to use and safe for concurrent
// use.
type Cache = stages.Cache

// RefusedError explains why a query cannot be compiled with the given options, such as too few layers. It has
// the query's position and name.
type RefusedError = stages.RefusedError

// Prepared is a query of any kind, ready to be asked on a model.
type Prepared struct {
	*stages.Analysis
	*runtime.Question
	// Engine is the engine that runs the first part of the question, never EngineAuto.
	Engine Engine
	// Settings are the settings to answer with.
	Settings model.Settings
	// Semantics is the semantics of the answers.
	Semantics model.Semantics

	cache    *stages.Cache
	compiled func() *stages.Compiled
}

// Compiled returns the plan of the first part, in all stages. A shape with generated code is compiled on the first call.
func (p *Prepared) Compiled() *stages.Compiled { return p.compiled() }

// Layers returns the number of layers of each disjunct of the first part, 0 for disjuncts without message passing.
func (p *Prepared) Layers() []int {
	by := p.Spec().Parts[0].Plan
	layers := make([]int, len(by.Disjuncts))
	if by.Semantics == model.FIT {
		return layers
	}
	for i := range by.Disjuncts {
		layers[i] = len(lower.NewSchedule(&by.Disjuncts[i], by.Layers).Layers)
	}
	return layers
}

// Prepare prepares a question for a model: the text of a formula, a parsed query, or its analysis. It resolves the names in
// the model, compiles the parts of the query and binds them to the model. Errors about the query carry its positions;
// errors about a text are a lang.ErrorList. A query with several answer variables needs an unsplit model in main memory.
//
// With a Cache, texts are parsed once, and queries of the same shape share a plan.Plan: the parts of their Spec have the
// same pointer.
func Prepare[Q string | *lang.Query | *stages.Analysis](m *runtime.Model, question Q, o Options) (*Prepared, error) {
	switch q := any(question).(type) {
	case *stages.Analysis:
		return prepare(m, q, o)
	case *lang.Query:
		return prepare(m, stages.Analyze(q), o)
	}
	o.Cache = cmp.Or(o.Cache, &stages.Cache{})
	a, err := o.Cache.Analyze(stages.Formula(any(question).(string)))
	if err != nil {
		return nil, lang.Unquoted(err, m.Bundle())
	}
	return prepare(m, a, o)
}

func prepare(m *runtime.Model, a *stages.Analysis, o Options) (*Prepared, error) {
	bundle := m.Now().Bundle() // including added entities
	o.Engine = cmp.Or(o.Engine, EngineAuto)
	if err := checkEngine(m, a.Source, o.Engine); err != nil {
		return nil, err
	}
	p := &Prepared{
		Analysis: a, Settings: *cmp.Or(o.Settings, &bundle.Manifest.Settings), Semantics: *cmp.Or(o.Semantics, &bundle.Manifest.Semantics),
		cache: cmp.Or(o.Cache, &stages.Cache{}),
	}
	if err := p.Settings.Validate(); err != nil {
		return nil, err
	}

	spec, err := a.Resolve(bundle, p.Semantics)
	if err != nil {
		return nil, err
	}
	spec.Settings = &p.Settings
	if spec.Type != nil && spec.Type.Relation == "" {
		spec.IDs.Type.Relation, err = bundle.TypeRelation()
		if err != nil {
			return nil, err
		}
	}
	for i, part := range a.PartsFor(p.Semantics) {
		c, engine, made, err := p.compile(part, o)
		if err != nil {
			return nil, err
		}
		spec.Parts[i].Plan = made
		if spec.Kind != plan.Rows { // parts of rows explain one another
			spec.Parts[i].Explain = func() (*plan.Plan, error) { return p.degreesPlan(part.Shape) }
		}
		if i == 0 {
			p.compiled = c
			p.Engine = engine
		}
	}
	p.Question, err = m.Bind(spec)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// checkEngine refuses an engine that cannot answer the query on this model.
func checkEngine(m *runtime.Model, q *lang.Query, e Engine) error {
	if m.Split() && e != EngineAuto && e != EngineCompiled && e != EngineInterpreted {
		return errSplit
	}
	if e == EngineCUDA && q.Asks() == kind.Rows {
		return fmt.Errorf("engine %s answers queries with one answer variable: use another", e)
	}
	return nil
}

// compile compiles a part, and selects its engine and plan. Compilation is deferred if the part has a generated plan.
func (p *Prepared) compile(part *stages.Part, o Options) (func() *stages.Compiled, Engine, *plan.Plan, error) {
	options := stages.Options{Layers: p.Settings.Layers, Semantics: part.Semantics(p.Semantics)}
	if o.Engine == EngineAuto || o.Engine == EngineCompiled {
		normal := options.Normal()
		if made := planOf(o.Plans, part.Shape.Key, normal.Semantics, normal.Layers); made != nil {
			return p.later(part.Shape, options), EngineCompiled, made, nil
		}
	}
	c, _, err := p.cache.Compile(part.Shape, options)
	if err != nil {
		return nil, "", nil, part.Locate(err)
	}
	engine, made, err := p.choose(c, o)
	return func() *stages.Compiled { return c }, engine, made, err
}

// later returns a function that compiles a shape on its first call.
func (p *Prepared) later(s *lower.Shape, o stages.Options) func() *stages.Compiled {
	return sync.OnceValue(func() *stages.Compiled {
		c, _, err := p.cache.Compile(s, o)
		if err != nil {
			panic(fmt.Sprintf("internal error: shape %s was compiled when its code was generated, and now: %s", s.Key, err))
		}
		return c
	})
}

// degreesPlan returns the truth-degree plan of a shape.
func (p *Prepared) degreesPlan(s *lower.Shape) (*plan.Plan, error) {
	compiled, _, err := p.cache.Compile(s, stages.Options{Semantics: model.FIT})
	if err != nil {
		return nil, err
	}
	return compiled.Interpreted()
}

// ErrNoKernels says that there are no kernels for a shape. The CPU can answer it.
var ErrNoKernels = errors.New("there are no kernels of this shape for a device")

// errSplit refuses engines that shards do not support.
var errSplit = errors.New("a split model runs only optimised plans: leave out other engines")

// choose selects the engine and the plan of a compiled part.
func (p *Prepared) choose(c *stages.Compiled, o Options) (Engine, *plan.Plan, error) {
	switch o.Engine {
	case EngineAuto, EngineCompiled:
		if made := planOf(o.Plans, c.Shape.Key, c.Semantics, c.Layers); made != nil {
			return EngineCompiled, made, nil
		}
		if o.Engine == EngineCompiled {
			return "", nil, &noCodeError{c.Shape.Key, c.Semantics}
		}
		made, err := c.Interpreted()
		return EngineInterpreted, made, err
	case EngineInterpreted:
		made, err := c.Interpreted()
		return o.Engine, made, err
	case EngineLayers:
		made, err := c.Interpret(c.Lowered)
		return o.Engine, made, err
	case EngineReference:
		made, err := p.reference(c)
		return o.Engine, made, err
	case EngineCUDA:
		if o.Kernels == nil {
			return "", nil, fmt.Errorf("engine %s needs a device", EngineCUDA)
		}
		made, err := c.OnDevice(o.Kernels)
		return o.Engine, made, err
	}
	return "", nil, fmt.Errorf("unknown engine %q", o.Engine)
}

// noCodeError says that EngineCompiled has no generated code for a shape.
type noCodeError struct {
	Shape     string
	Semantics model.Semantics
}

func (e *noCodeError) Error() string {
	return fmt.Sprintf("there is no generated code for shape %s with this number of layers and semantics %s", e.Shape, e.Semantics)
}

// reference returns the plan for package reference.
func (p *Prepared) reference(c *stages.Compiled) (*plan.Plan, error) {
	made := c.NewPlan()
	if c.Semantics != model.NSMP { // the reference keeps no degrees to explain answers with
		var err error
		made.Degrees, err = p.degreesPlan(c.Shape)
		if err != nil {
			return nil, err
		}
	}
	made.Run = func(w *plan.Workspace) error {
		r, err := reference.Run(w.Context(), c.Lowered, w.Model(), w.Settings(), w.Bindings())
		if err == nil {
			w.SetVectors(r.Answer, r.Sets)
		}
		return err
	}
	return made, nil
}
