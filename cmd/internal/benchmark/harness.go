// Package benchmark measures the engines' latency of queries, for efoc bench. It knows neither flags nor files.
package benchmark

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Work is a shape with its queries.
type Work struct {
	Name  string // the benchmark's name of the shape, empty if it has none
	Query *lang.Query
	Count int                                                     // of queries
	Args  func(p *compiler.Prepared, i int) (runtime.Args, error) // of query i
}

// Harness prepares queries for the engines to measure.
type Harness struct {
	Model     *runtime.Model
	Placed    *runtime.Model   // the model for EngineCUDA; Model without a device
	Device    compiler.Options // of EngineCUDA
	Plans     []*plan.Plan
	Settings  model.Settings
	Engines   []string
	Semantics []model.Semantics
	Batches   []int // numbers of queries to ask together
}

// Prepare compiles a shape for every engine and binds its queries. Without generated code, it omits engine compiled,
// with a note.
func (h *Harness) Prepare(w Work) (s *Shape, notes []string, err error) {
	s = &Shape{Queries: w.Count}
	for _, semantics := range h.Semantics {
		for _, engine := range h.engines() {
			cell, p, err := h.cell(w, semantics, engine)
			if err != nil {
				return nil, nil, err
			}
			if cell == nil {
				notes = append(notes, fmt.Sprintf("engine compiled is left out: efoc holds no generated code for %s, semantics %s and these layers",
					cmp.Or(w.Name, w.Query.Name, "this query"), semantics))
				continue
			}
			for _, batch := range h.Batches {
				s.Cells = append(s.Cells, cell.inBatches(batch))
			}
			s.Shape = p.Shape().Key
		}
	}
	s.Name = cmp.Or(w.Name, stages.ShapeName(s.Shape), w.Query.Name, s.Shape)
	return s, notes, nil
}

// engines returns the engines to measure: with a device, also EngineCUDA.
func (h *Harness) engines() []string {
	cuda := string(compiler.EngineCUDA)
	if h.Placed == h.Model || slices.Contains(h.Engines, cuda) {
		return h.Engines
	}
	return append(slices.Clone(h.Engines), cuda)
}

// preparations is the number that is timed.
const preparations = 5

// cell prepares an engine with all queries in one batch; the cell is nil if engine compiled has no generated code.
func (h *Harness) cell(w Work, semantics model.Semantics, engine string) (*Cell, *compiler.Prepared, error) {
	m := h.Model
	o := compiler.Options{Engine: compiler.Engine(engine), Plans: h.Plans, Semantics: &semantics, Settings: &h.Settings}
	switch o.Engine {
	case compiler.EngineCUDA:
		m = h.Placed
		o.Kernels = h.Device.Kernels
	case compiler.EngineCompiled:
		o.Engine = compiler.EngineAuto
	}

	var p *compiler.Prepared
	var prepare []float64
	for range preparations {
		start := time.Now()
		var err error
		p, err = compiler.Prepare(m, w.Query, o)
		if err != nil {
			return nil, nil, cli.Mistake(err)
		}
		prepare = append(prepare, time.Since(start).Seconds())
	}
	if p.Engine != compiler.Engine(engine) {
		return nil, p, nil
	}

	var queries []runtime.Args
	for i := range w.Count {
		a, err := w.Args(p, i)
		if err != nil {
			return nil, nil, err
		}
		queries = append(queries, a)
	}
	return &Cell{
		Semantics: semantics, Engine: engine, Settings: p.Settings, Prepare: trial.Summarize(prepare), question: p.Question,
		batches: [][]runtime.Args{queries},
	}, p, nil
}
