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
	"time"

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

// draws is how many values of the parameters each iteration asks for.
const draws = 64

// Run times each engine on the model that Env names; without one it skips the benchmark. An iteration
// asks every engine for all values of the parameters, which are drawn from the facts of the model, the same
// at each run. The engines take turns at each value, so that whatever else the machine does slows all of
// them. E-ns/answer is the time of engine E for an answer with statuses and confidence, E-plan-ns/answer
// that without.
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
	for _, a := range list {
		if err := agree(b.Context(), engines, a); err != nil {
			b.Fatal(err)
		}
	}

	turn := 0
	for b.Loop() {
		for _, a := range list {
			for i := range engines {
				e := &engines[(turn+i)%len(engines)]
				if err := e.time(b.Context(), a); err != nil {
					b.Fatal(err)
				}
			}
			turn++
		}
	}

	answers := float64(b.N * len(list))
	b.ReportMetric(0, "ns/op") // which would be of all engines together
	for _, e := range engines {
		b.ReportMetric(float64(e.whole)/answers, e.name+"-ns/answer")
		b.ReportMetric(float64(e.plan)/answers, e.name+"-plan-ns/answer")
	}
}

// engine is one way to answer a template, and the time that it has taken for whole answers and for plans.
type engine struct {
	name        string
	ask         func(context.Context, Arguments, runtime.Options) (*runtime.Answers, error)
	options     runtime.Options
	whole, plan time.Duration
}

// time answers once with statuses and confidence, and once without.
func (e *engine) time(ctx context.Context, a Arguments) error {
	start := time.Now()
	if _, err := e.ask(ctx, a, e.options); err != nil {
		return err
	}
	e.whole += time.Since(start)

	alone := e.options
	alone.NoStatus = true
	start = time.Now()
	_, err := e.ask(ctx, a, alone)
	e.plan += time.Since(start)
	return err
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
	engines := []engine{{name: "compiled", ask: generated, options: o}}
	for _, p := range []*compiler.Prepared{interpreted, layers} {
		ask := func(ctx context.Context, a Arguments, o runtime.Options) (*runtime.Answers, error) {
			slots, err := p.BindingsByID(a.ids)
			if err != nil {
				return nil, err
			}
			return p.Query.Answer(ctx, slots, o)
		}
		engines = append(engines, engine{name: string(p.Engine), ask: ask, options: o})
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
		r, err := e.ask(ctx, a, e.options)
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
