package enginebench

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

const circle = `query Q(c entity, by relation) y = exists x, z. borders("France", x) & borders(x, z) & $by(z, y) & !borders($c, y) & currency($c, y)`

// template returns a template with the plans of the interpreter in place of generated ones.
func template(t *testing.T, m *runtime.Model, text string, s model.Semantics) Template {
	t.Helper()
	f, err := lang.ParseFile("q.efo", []byte("package q\n"+text+"\n"))
	require.NoError(t, err)
	p, err := compiler.Prepare(m, f.Queries[0], compiler.Options{Semantics: &s})
	require.NoError(t, err)
	return Template{Text: text, Semantics: s, Spec: p.Spec()}
}

// TestEngines checks what the engines of a template are and what they are asked: parameters
// that facts have, and answers that agree.
func TestEngines(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	engines, list, err := template(t, m, circle, model.NSMP).engines(m)
	require.NoError(t, err)
	if names := engines[0].name + " " + engines[1].name + " " + engines[2].name; names != "compiled interpreted layers" || len(engines) != 3 {
		t.Errorf("engines are %s", names)
	}
	currency, err := m.Bundle().FindRelation("currency")
	require.NoError(t, err)
	different := map[graph.EntityID]bool{}
	for _, a := range list {
		c := graph.EntityID(a[0].ID)
		if different[c] = true; len(m.Bundle().Graph.Tails(c, graph.RelationID(currency))) == 0 {
			t.Errorf("%s has no currency", m.EntityName(c))
		}
	}
	if len(different) < 10 {
		t.Errorf("%d parameters are drawn", len(different))
	}
	if err := agree(t.Context(), engines, list[0]); err != nil {
		t.Error(err)
	}
}

// TestEnginesErrors checks that engines which do not agree are compared no further.
func TestEnginesErrors(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	other := template(t, m, circle, model.NSMP)
	other.Spec = template(t, m, strings.Replace(circle, "France", "Kenya", 1), model.NSMP).Spec
	engines, list, err := other.engines(m)
	require.NoError(t, err)
	if err := agree(t.Context(), engines, list[0]); err == nil || !strings.Contains(err.Error(), "by engine compiled") {
		t.Errorf("error is %v", err)
	}
	if _, _, err := (Template{Text: circle + "\n" + strings.Replace(circle, "Q", "R", 1)}).engines(m); err == nil || !strings.Contains(err.Error(), "2 templates") {
		t.Errorf("error is %v", err)
	}
}

// TestKinds checks that rows and sentences are asked by the engines too, for parameters that facts have.
func TestKinds(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	borders, err := m.Bundle().FindRelation("borders")
	require.NoError(t, err)
	for _, text := range []string{
		`query Q(c entity) x, y = borders($c, x) & official_language(x, y)`,
		`query Q(c, d entity) = borders($c, $d) & exists x. borders($c, x) & borders(x, $d)`,
	} {
		engines, list, err := template(t, m, text, model.Mixed).engines(m)
		require.NoError(t, err)
		found := 0.0
		for _, a := range list[:8] {
			if c := graph.EntityID(a[0].ID); len(m.Bundle().Graph.Tails(c, graph.RelationID(borders))) == 0 {
				t.Errorf("%s: %s borders nothing", text, m.EntityName(c))
			}
			require.NoError(t, agree(t.Context(), engines, a))
			r, err := engines[1].question.Ask(t.Context(), a, engines[1].options)
			require.NoError(t, err)
			found = max(found, score(r))
			require.NoError(t, engines[0].time(t.Context(), a))
		}
		if e := engines[0]; found <= 0 || e.whole <= 0 || e.best > 0 {
			t.Errorf("%s: best score %g, %v for answers, %v for Best, which has one variable", text, found, e.whole, e.best)
		}
	}
}

// TestRun checks that an iteration asks for every value of the parameters as often, and what is reported.
func TestRun(t *testing.T) {
	t.Setenv(Env, filepath.Join("..", "..", "cmd", "efoc", "world", "world.efoc"))
	times := flag.Lookup("test.benchtime").Value
	before := times.String()
	require.NoError(t, times.Set("1x"))
	t.Cleanup(func() { _ = times.Set(before) })
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	x := template(t, m, circle, model.NSMP)
	asked := map[string]int{}
	counted := *x.Spec.Parts[0].Plan
	run := counted.Run
	counted.Run = func(w *plan.Workspace) error {
		asked[fmt.Sprint(w.Bindings())]++
		return run(w)
	}
	counted.Small = nil // which would replace Run
	x.Spec.Parts[0].Plan = &counted

	r := testing.Benchmark(func(b *testing.B) { Run(b, x) })
	for _, unit := range []string{"compiled", "interpreted", "layers"} {
		if r.Extra[unit+"-ns/answer"] <= 0 || r.Extra[unit+"-best-ns/answer"] <= 0 || r.Extra[unit+"-prepare-ns"] <= 0 {
			t.Errorf("of %s, %v is reported", unit, r.Extra)
		}
	}
	// Answers are compared once before they are timed, and by Best.
	for values, n := range asked {
		if n%3 != 0 {
			t.Errorf("%s is asked for %d times", values, n)
		}
	}
	if len(asked) < 10 {
		t.Errorf("%d values are asked for", len(asked))
	}
}
