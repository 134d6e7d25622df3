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
	"github.com/efoc/efoc/runtime/plan"
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
	// Spec is the generated template as data.
	Spec *plan.Spec
}

// score returns a number by which the engines are compared: the degree of a verdict, the number of answers, or the
// score of the best one, 0 without any.
func score(r *runtime.Reply) float64 {
	switch {
	case r.Verdict != nil:
		return r.Verdict.Degree
	case r.Count != nil:
		return r.Count.Total()
	case len(r.Rows) == 0:
		return 0
	}
	return float64(r.Rows[0].Score)
}

// draws is how many values of the parameters each iteration asks for.
const draws = 64

// Run times each engine on the model that Env names; without one it skips the benchmark. An iteration
// asks every engine for all values of the parameters, which are drawn from the facts of the model, the same
// at each run. The engines take turns at each value, so that other load on the machine slows all of them.
// E-ns/answer is the time of engine E for an answer with names, statuses and confidence, E-best-ns/answer that of Best, for
// ids and scores alone of answers of one variable, and E-prepare-ns the time to make the template ready for the model.
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
		for i := range engines {
			if err := engines[i].prepare(); err != nil {
				b.Fatal(err)
			}
		}
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
		b.ReportMetric(float64(e.preparing)/float64(b.N+1), e.name+"-prepare-ns")
		if e.best > 0 {
			b.ReportMetric(float64(e.best)/answers, e.name+"-best-ns/answer")
		}
	}
}

// engine is one way to answer a template, and the time that it has taken to prepare it, for whole answers, and for ids and
// scores alone.
type engine struct {
	name                   string
	ready                  func() (*runtime.Question, error)
	question               *runtime.Question
	options                runtime.Options
	preparing, whole, best time.Duration
	found                  []runtime.Scored
}

// prepare makes the template ready. The first question stays, with what it has computed of its names.
func (e *engine) prepare() error {
	start := time.Now()
	q, err := e.ready()
	e.preparing += time.Since(start)
	e.question = cmp.Or(e.question, q)
	return err
}

// time answers once with statuses and confidence, and once by Best if it ranks answers.
func (e *engine) time(ctx context.Context, a runtime.Args) error {
	start := time.Now()
	_, err := e.question.Ask(ctx, a, e.options)
	e.whole += time.Since(start)
	if err != nil || e.question.Spec().Kind != plan.Answers {
		return err
	}

	start = time.Now()
	e.found, err = e.question.Best(ctx, a, runtime.DefaultK, e.found)
	e.best += time.Since(start)
	return err
}

// engines makes the template ready for each engine, with the same settings and options, and
// draws values of its parameters.
func (t Template) engines(m *runtime.Model) ([]engine, []runtime.Args, error) {
	f, err := lang.ParseFile("template.efo", []byte("package p\n"+t.Text+"\n"))
	if err != nil {
		return nil, nil, err
	}
	if len(f.Queries) != 1 {
		return nil, nil, fmt.Errorf("%d templates, want one", len(f.Queries))
	}
	settings := m.Settings()
	settings.Layers = t.Layers
	spec := *t.Spec
	spec.Settings = &settings
	o := runtime.Options{Settings: &settings}
	if t.Spec.Kind != plan.Verdict {
		o.Show = []string{}
	}
	engines := []engine{{name: "compiled", options: o, ready: func() (*runtime.Question, error) { return m.Bind(&spec) }}}
	for _, name := range []compiler.Engine{compiler.EngineInterpreted, compiler.EngineLayers} {
		ready := func() (*runtime.Question, error) {
			p, err := compiler.Prepare(m, f.Queries[0], compiler.Options{Engine: name, Semantics: &t.Semantics, Settings: &settings})
			if err != nil {
				return nil, err
			}
			return p.Question, nil
		}
		engines = append(engines, engine{name: string(name), options: o, ready: ready})
	}
	for i := range engines {
		if err := engines[i].prepare(); err != nil {
			return nil, nil, err
		}
	}

	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]runtime.Args, draws)
	for i := range list {
		list[i] = draw(rng, m.Bundle(), engines[1].question.Spec())
	}
	return engines, list, nil
}

// tolerance of the best answer's score between engines, relative: they sum in other orders.
const tolerance = 0.01

// agree checks that the engines give their best answers, or their verdicts, the same score.
func agree(ctx context.Context, engines []engine, a runtime.Args) error {
	var want float64
	for i, e := range engines {
		r, err := e.question.Ask(ctx, a, e.options)
		if err != nil {
			return err
		}
		got := score(r)
		if i == 0 {
			want = got
		}
		if math.Abs(got-want) > tolerance*cmp.Or(want, 1) {
			return fmt.Errorf("the best answer has a score of %g by engine %s, and of %g by engine %s", got, e.name, want, engines[0].name)
		}
	}
	return nil
}
