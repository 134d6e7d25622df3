package runtime_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/require"
)

// TestUnionKnownFirst checks that where nothing was chosen, as without a validation split, no
// guess ranks above a stored fact in a union. Message passing makes each disjunct a distribution,
// in which an intersection without stored answers gives its best guess as much as others have
// that are known.
func TestUnionKnownFirst(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	m.Bundle().Manifest.Semantics, m.Bundle().Manifest.Confidence, m.Bundle().Manifest.Settings = model.Manifest{}.Semantics, nil, model.DefaultSettings()
	for _, formula := range []string{"((r1(s1,f))&(r2(s2,f)))|(r3(s3,f))", "(r1(s1,f))|((r2(s2,e1))&(r3(e1,f)))", "((r1(s1,e1))&(r2(e1,f)))|((r3(s2,e1))&(r4(e1,f)))"} {
		q, err := lang.ParseBenchmark(formula)
		require.NoError(t, err)
		// misranked counts the questions to which a guess ranks above a stored answer.
		misranked := func(o compiler.Options) (count int) {
			p, err := compiler.Prepare(m, q, o)
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(1, 2))
			for range 100 {
				var b scq.Bindings
				for range p.Compiled().Optimized.Constants {
					b.Constants = append(b.Constants, graph.EntityID(rng.IntN(m.NumEntities())))
				}
				for i := range p.Compiled().Optimized.Relations {
					r := graph.RelationID(rng.IntN(m.NumRelations()))
					heads, _ := m.Bundle().Graph.Edges(r)
					if b.Relations = append(b.Relations, r); i < len(b.Constants) {
						b.Constants[i] = graph.EntityID(heads[rng.IntN(len(heads))])
					}
				}
				r, err := p.Ask(t.Context(), byslot.Args(b), runtime.Options{K: 200})
				require.NoError(t, err)
				guessed := false
				for _, a := range r.Rows {
					if guessed = guessed || a.Status != runtime.Known; guessed && a.Status == runtime.Known {
						count++
						break
					}
				}
			}
			return count
		}
		if n := misranked(compiler.Options{}); n > 0 {
			t.Errorf("%s: of 100 questions, %d rank a guess above a stored answer", formula, n)
		}
		if misranked(compiler.Options{Semantics: new(model.NSMP)}) == 0 {
			t.Errorf("%s: message passing ranks no guess above a stored answer: the test shows nothing", formula)
		}
	}
}

// TestWarning checks that a query says where its model chooses another semantics.
func TestWarning(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, own := range model.AllSemantics {
		m.Bundle().Manifest.Semantics = own
		for _, s := range model.AllSemantics {
			p, err := compiler.Prepare(m, `borders("France", y)`, compiler.Options{Semantics: &s})
			require.NoError(t, err)
			want := ""
			if own != s {
				want = "answers by semantics " + s.String() + ", but model world chooses " + own.String() + ": generate its code for that model"
			}
			if got := p.Warning(); (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("by %s on a model of %s: %q, want %q", s, own, got, want)
			}
			r, err := p.Ask(t.Context(), nil, runtime.Options{K: 1})
			if err != nil || r.Semantics != s {
				t.Errorf("the answers are by %s (%v), want %s", r.Semantics, err, s)
			}
		}
	}
}
