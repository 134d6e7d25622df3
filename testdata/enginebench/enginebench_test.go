package enginebench

import (
	"context"
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
	"github.com/efoc/efoc/testdata/require"
)

const circle = `query Q(c entity, by relation) y = exists x, z. borders("France", x) & borders(x, z) & $by(z, y) & !borders($c, y) & currency($c, y)`

// stub answers a template by the interpreter, and multiplies each score by a factor.
func stub(t *testing.T, text string, factor float64) func(*runtime.Model) (Ask, error) {
	return func(m *runtime.Model) (Ask, error) {
		f, err := lang.ParseFile("q.efo", []byte("package q\n"+text+"\n"))
		if err != nil {
			return nil, err
		}
		p, err := compiler.Prepare(m, f.Queries[0], compiler.PrepareOptions{Semantics: new(model.NSMP)})
		return func(ctx context.Context, a Arguments, o runtime.Options) (float64, error) {
			if a.Entity("c").ID() != model.EntityID(a.ids[0]) || a.Relation("by").ID() != model.RelationID(a.ids[1]) {
				t.Errorf("parameters of %v are %v and %v", a.ids, a.Entity("c"), a.Relation("by"))
			}
			b, err := p.BindingsByID(a.ids)
			if err != nil {
				return 0, err
			}
			score, err := Best(p.Query.Answer(ctx, b, o))
			return score * factor, err
		}, err
	}
}

// TestEngines checks what the engines of a template are and what they are asked: parameters
// that facts have, and answers that agree.
func TestEngines(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	engines, list, err := Template{Text: circle, Semantics: model.NSMP, Bind: stub(t, circle, 1)}.engines(m)
	require.NoError(t, err)
	if names := engines[0].name + " " + engines[1].name + " " + engines[2].name; names != "compiled interpreted layers" || len(engines) != 3 {
		t.Errorf("engines are %s", names)
	}
	currency, err := m.FindRelation("currency")
	require.NoError(t, err)
	different := map[model.EntityID]bool{}
	for _, a := range list {
		c := a.Entity("c").ID()
		if different[c] = true; len(m.Graph.Tails(c, model.RelationID(currency))) == 0 {
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
	engines, list, err := Template{Text: circle, Semantics: model.NSMP, Bind: stub(t, circle, 1.5)}.engines(m)
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
	borders, err := m.FindRelation("borders")
	require.NoError(t, err)
	for text, alone := range map[string]bool{
		`query Q(c entity) x, y = borders($c, x) & official_language(x, y)`:                  true,
		`query Q(c, d entity) = borders($c, $d) & exists x. borders($c, x) & borders(x, $d)`: false,
	} {
		bind := func(m *runtime.Model) (Ask, error) {
			f, err := lang.ParseFile("q.efo", []byte("package q\n"+text+"\n"))
			if err != nil {
				return nil, err
			}
			ask, _, err := prepare(compiler.Analyze(f.Queries[0]), m, compiler.PrepareOptions{Semantics: new(model.Mixed)})
			return ask, err
		}
		engines, list, err := Template{Text: text, Semantics: model.Mixed, Bind: bind}.engines(m)
		require.NoError(t, err)
		found := 0.0
		for _, a := range list[:8] {
			if c := a.Entity("c").ID(); len(m.Graph.Tails(c, model.RelationID(borders))) == 0 {
				t.Errorf("%s: %s borders nothing", text, m.EntityName(c))
			}
			require.NoError(t, agree(t.Context(), engines, a))
			score, err := engines[1].ask(t.Context(), a, engines[1].options)
			require.NoError(t, err)
			found = max(found, score)
			require.NoError(t, engines[0].time(t.Context(), a))
		}
		if e := engines[0]; found <= 0 || e.whole <= 0 || (e.plan > 0) != alone {
			t.Errorf("%s: best score %g, %v for answers, %v without statuses", text, found, e.whole, e.plan)
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
	asked := map[bool]map[string]int{false: {}, true: {}}
	bind := func(m *runtime.Model) (Ask, error) {
		ask, err := stub(t, circle, 1)(m)
		return func(ctx context.Context, a Arguments, o runtime.Options) (float64, error) {
			asked[o.NoStatus][fmt.Sprint(a.ids)]++
			return ask(ctx, a, o)
		}, err
	}
	r := testing.Benchmark(func(b *testing.B) { Run(b, Template{Text: circle, Semantics: model.NSMP, Bind: bind}) })
	for _, unit := range []string{"compiled", "interpreted", "layers"} {
		if r.Extra[unit+"-ns/answer"] <= 0 || r.Extra[unit+"-plan-ns/answer"] <= 0 {
			t.Errorf("of %s, %v is reported", unit, r.Extra)
		}
	}
	// Answers with statuses are compared once before they are timed.
	for values, n := range asked[true] {
		if asked[false][values] != 2*n {
			t.Errorf("%s is asked for %d and %d times", values, n, asked[false][values])
		}
	}
	if len(asked[true]) < 10 {
		t.Errorf("%d values are asked for", len(asked[true]))
	}
}
