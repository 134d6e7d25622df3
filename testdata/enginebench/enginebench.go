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

// Ask answers a template for some values of its parameters, and returns a number by which the
// engines are compared: see Best and Degree.
type Ask func(context.Context, Arguments, runtime.Options) (float64, error)

// Best returns the score of the best row, 0 without rows.
func Best(r *runtime.Reply, err error) (float64, error) {
	if err != nil || len(r.Rows) == 0 {
		return 0, err
	}
	return float64(r.Rows[0].Score), nil
}

// Degree returns the degree of a verdict.
func Degree(v *runtime.Verdict, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	return v.Degree, nil
}

// draws is how many values of the parameters each iteration asks for.
const draws = 64

// Run times each engine on the model that Env names; without one it skips the benchmark. An iteration
// asks every engine for all values of the parameters, which are drawn from the facts of the model, the same
// at each run. The engines take turns at each value, so that other load on the machine slows all of them.
// E-ns/answer is the time of engine E for an answer with statuses and confidence, E-plan-ns/answer the
// time without, which a sentence does not have: its verdict is a status.
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
		if !e.sentence {
			b.ReportMetric(float64(e.plan)/answers, e.name+"-plan-ns/answer")
		}
	}
}

// engine is one way to answer a template, and the time that it has taken for whole answers and for plans.
type engine struct {
	name        string
	ask         Ask
	options     runtime.Options
	sentence    bool // the template asks yes or no
	whole, plan time.Duration
}

// time answers once with statuses and confidence, and once without unless the template asks yes or no.
func (e *engine) time(ctx context.Context, a Arguments) error {
	start := time.Now()
	if _, err := e.ask(ctx, a, e.options); err != nil {
		return err
	}
	e.whole += time.Since(start)
	if e.sentence {
		return nil
	}

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
	analysis := compiler.Analyze(f.Queries[0])
	settings := m.Manifest.Settings
	settings.Layers = t.Layers
	generated, err := t.Bind(m)
	if err != nil {
		return nil, nil, err
	}
	sentence := analysis.Claims != nil
	o := runtime.Options{Settings: &settings}
	if !sentence {
		o.Show = []string{}
	}
	engines := []engine{{name: "compiled", ask: generated, options: o, sentence: sentence}}
	var parts []*compiler.Prepared
	for _, name := range []compiler.Engine{compiler.EngineInterpreted, compiler.EngineLayers} {
		var ask Ask
		ask, parts, err = prepare(analysis, m, compiler.PrepareOptions{Engine: name, Semantics: &t.Semantics, Settings: &settings})
		if err != nil {
			return nil, nil, err
		}
		engines = append(engines, engine{name: string(name), ask: ask, options: o, sentence: sentence})
	}

	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]Arguments, draws)
	for i := range list {
		list[i] = draw(rng, m.Model, f.Queries[0].Params, parts)
	}
	return engines, list, nil
}

// prepare makes a template of any kind ready for the engine that the options name. It also returns the
// template's parts, which have the facts that parameters are drawn from.
func prepare(a *compiler.Analysis, m *runtime.Model, o compiler.PrepareOptions) (Ask, []*compiler.Prepared, error) {
	switch {
	case a.Claims != nil:
		p, err := a.PrepareSentence(m, o)
		if err != nil {
			return nil, nil, err
		}
		return func(ctx context.Context, a Arguments, o runtime.Options) (float64, error) {
			return Degree(p.Decide(ctx, a.named(), o))
		}, p.Prepared, nil

	case a.Parts != nil:
		p, err := a.PrepareTuples(m, o)
		if err != nil {
			return nil, nil, err
		}
		return asking(p.BindingsByID, p.Query.Answer, Best), p.Parts, nil
	}

	p, err := a.Prepare(m, o)
	if err != nil {
		return nil, nil, err
	}
	return asking(p.BindingsByID, p.Query.Answer, Best), []*compiler.Prepared{p}, nil
}

// asking returns an Ask that fills the slots of a query with the arguments, asks it, and returns the best
// score of its answers.
func asking[Slots, Answers any](
	fill func(ids []int32) (Slots, error),
	ask func(context.Context, Slots, runtime.Options) (Answers, error),
	best func(Answers, error) (float64, error),
) Ask {
	return func(ctx context.Context, a Arguments, o runtime.Options) (float64, error) {
		slots, err := fill(a.ids)
		if err != nil {
			return 0, err
		}
		return best(ask(ctx, slots, o))
	}
}

// tolerance of the best answer's score between engines, relative: they sum in other orders.
const tolerance = 0.01

// agree checks that the engines give their best answers, or their verdicts, the same score.
func agree(ctx context.Context, engines []engine, a Arguments) error {
	want, err := engines[0].ask(ctx, a, engines[0].options)
	if err != nil {
		return err
	}
	for _, e := range engines[1:] {
		got, err := e.ask(ctx, a, e.options)
		if err != nil {
			return err
		}
		if math.Abs(got-want) > tolerance*cmp.Or(want, 1) {
			return fmt.Errorf("the best answer has a score of %g by engine %s, and of %g by engine %s", got, e.name, want, engines[0].name)
		}
	}
	return nil
}
