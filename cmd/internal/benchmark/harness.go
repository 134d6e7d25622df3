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
	File  string // the template's file, empty for other queries
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
				notes = append(notes, w.uncompiled(p))
				continue
			}
			for _, batch := range h.Batches {
				s.Cells = append(s.Cells, cell.inBatches(batch))
			}
			s.Shape = p.Shape().Key
		}
	}
	s.Name = cmp.Or(w.Name, stages.ShapeName(s.Shape))
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

// uncompiled says that efoc has no generated code for the queries, and how to compare.
func (w *Work) uncompiled(p *compiler.Prepared) string {
	what := "this query"
	switch {
	case w.File != "":
		what = "template " + w.Query.Name
	case w.Name != "":
		what = "shape " + w.Name
	}
	if p.Compiled().Layers > 0 {
		what += fmt.Sprintf(" with %d layers", p.Compiled().Layers)
	}
	file := cmp.Or(w.File, "FILE.efo, with the query as a template")
	return fmt.Sprintf("engine compiled is left out: efoc holds no generated code for %s and semantics %s; "+
		"to compare, run go test -bench . on the benchmarks that efoc generate --bench writes beside the code of %s", what, p.Semantics, file)
}

// compileRuns is the number of timed compilations.
const compileRuns = 5

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
	var compile []float64
	for range compileRuns {
		start := time.Now()
		var err error
		p, err = compiler.Prepare(m, w.Query, o)
		if err != nil {
			return nil, nil, cli.Mistake(err)
		}
		compile = append(compile, time.Since(start).Seconds())
	}
	if p.Engine != compiler.Engine(engine) {
		return nil, p, nil
	}

	queries, bind, err := w.args(p)
	if err != nil {
		return nil, nil, err
	}
	optimized := p.Compiled().Optimized
	if engine == "layers" || engine == "reference" {
		optimized = p.Compiled().Lowered
	}
	return &Cell{
		Semantics: semantics, Engine: engine, Settings: p.Settings, TableSweeps: optimized.Sweeps(),
		Compile: trial.Summarize(compile), Bind: trial.Summarize(bind), question: p.Question, batches: [][]runtime.Args{queries},
	}, p, nil
}

// args resolves the names of all queries, and returns the seconds for each.
func (w *Work) args(p *compiler.Prepared) (queries []runtime.Args, seconds []float64, err error) {
	for i := range w.Count {
		start := time.Now()
		a, err := w.Args(p, i)
		if err != nil {
			return nil, nil, err
		}
		queries = append(queries, a)
		seconds = append(seconds, time.Since(start).Seconds())
	}
	return queries, seconds, nil
}
