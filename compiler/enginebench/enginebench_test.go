package enginebench

import (
	"context"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/world"
)

const circle = `query Q(c entity, by relation) y = exists x, z. borders("France", x) & borders(x, z) & $by(z, y) & !borders($c, y) & currency($c, y)`

// stub answers a template by the interpreter, and multiplies each score by a factor.
func stub(t *testing.T, text string, factor float32) func(*runtime.Model) (Ask, error) {
	return func(m *runtime.Model) (Ask, error) {
		f, err := lang.ParseFile("q.efo", []byte("package q\n"+text+"\n"))
		if err != nil {
			return nil, err
		}
		p, err := compiler.Prepare(m, f.Queries[0], compiler.PrepareOptions{Semantics: new(model.NSMP)})
		return func(ctx context.Context, a Arguments, o runtime.Options) (*runtime.Answers, error) {
			if a.Entity("c").ID() != model.EntityID(a.ids[0]) || a.Relation("by").ID() != model.RelationID(a.ids[1]) {
				t.Errorf("parameters of %v are %v and %v", a.ids, a.Entity("c"), a.Relation("by"))
			}
			b, err := p.BindingsByID(a.ids)
			if err != nil {
				return nil, err
			}
			r, err := p.Query.Answer(ctx, b, o)
			if err == nil {
				r.Answers[0].Score *= factor
			}
			return r, err
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
	if engines[0].passes != engines[1].passes || engines[1].passes >= engines[2].passes {
		t.Errorf("passes are %d, %d and %d", engines[0].passes, engines[1].passes, engines[2].passes)
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
