// Package enginebench compares the engines on a template: generated code, the interpreter of
// optimised plans, and the layers as the paper states them. The benchmarks that efoc generate
// --bench writes call it. It knows nothing of template files.
package enginebench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// Env names the variable that holds the path of the model.
const Env = "EFOC_MODEL"

// Template is a template and what was generated for it.
type Template struct {
	// Text is the template.
	Text string
	// Semantics and Layers are those that its code was generated for.
	Semantics model.Semantics
	Layers    int
	// Bind binds the generated type to a model.
	Bind func(*runtime.Model) (Ask, error)
}

// Ask answers a template for some values of its parameters.
type Ask func(context.Context, Arguments, runtime.Options) (*runtime.Answers, error)

// draws is how many values of the parameters take turns.
const draws = 64

// Run runs a benchmark engine=E for each engine E, on the model that Env names; without one
// it skips the benchmark. Parameters are drawn from the facts of the model, the same at each
// run. Benchmarks report the passes over the entity table that each answer makes.
func Run(b *testing.B, t Template) {
	path := os.Getenv(Env)
	if path == "" {
		b.Skip("set " + Env + " to a model")
	}
	m, err := runtime.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	engines, list, err := t.engines(m)
	if err != nil {
		b.Fatal(err)
	}
	if err := agree(b.Context(), engines, list[0]); err != nil {
		b.Fatal(err)
	}
	for _, e := range engines {
		b.Run("engine="+e.name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				if _, err := e.ask(b.Context(), list[i%len(list)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
			b.ReportMetric(float64(e.passes), "passes/op")
		})
	}
}

// engine is one way to answer a template.
type engine struct {
	name   string
	passes int
	ask    func(context.Context, Arguments) (*runtime.Answers, error)
}

// engines makes the template ready for each engine, with the same settings and options, and
// draws values of its parameters.
func (t Template) engines(m *runtime.Model) ([]engine, []Arguments, error) {
	f, err := lang.ParseFile("template.efo", []byte("package p\n"+t.Text+"\n"))
	if err != nil {
		return nil, nil, err
	}
	if len(f.Queries) != 1 {
		return nil, nil, fmt.Errorf("%d templates, want one", len(f.Queries))
	}
	settings := m.Manifest.Settings
	settings.Layers = t.Layers
	prepare := func(e compiler.Engine) (*compiler.Prepared, error) {
		return compiler.Prepare(m, f.Queries[0], compiler.PrepareOptions{Engine: e, Semantics: &t.Semantics, Settings: &settings})
	}
	interpreted, err := prepare(compiler.EngineInterpreted)
	if err != nil {
		return nil, nil, err
	}
	layers, err := prepare(compiler.EngineLayers)
	if err != nil {
		return nil, nil, err
	}
	generated, err := t.Bind(m)
	if err != nil {
		return nil, nil, err
	}
	o := runtime.Options{Settings: &interpreted.Settings, Show: []string{}}
	engines := []engine{{"compiled", interpreted.Compiled.Optimized.Passes(), func(ctx context.Context, a Arguments) (*runtime.Answers, error) {
		return generated(ctx, a, o)
	}}}
	for _, p := range []*compiler.Prepared{interpreted, layers} {
		passes := p.Compiled.Optimized.Passes()
		if p.Engine == compiler.EngineLayers {
			passes = p.Compiled.Lowered.Passes()
		}
		engines = append(engines, engine{string(p.Engine), passes, func(ctx context.Context, a Arguments) (*runtime.Answers, error) {
			slots, err := p.BindingsByID(a.ids)
			if err != nil {
				return nil, err
			}
			return p.Query.Answer(ctx, slots, o)
		}})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]Arguments, draws)
	for i := range list {
		list[i] = draw(rng, m.Model, interpreted)
	}
	return engines, list, nil
}

// tolerance of the best answer's score between engines, relative: they sum in other orders.
const tolerance = 0.01

// agree checks that the engines give their best answers the same score.
func agree(ctx context.Context, engines []engine, a Arguments) error {
	var want float64
	for i, e := range engines {
		r, err := e.ask(ctx, a)
		if err != nil {
			return err
		}
		best := 0.0
		if len(r.Answers) > 0 {
			best = float64(r.Answers[0].Score)
		}
		if i > 0 && math.Abs(best-want) > tolerance*cmp.Or(want, 1) {
			return fmt.Errorf("the best answer has a score of %g by engine %s, and of %g by engine %s", best, e.name, want, engines[0].name)
		}
		if i == 0 {
			want = best
		}
	}
	return nil
}
