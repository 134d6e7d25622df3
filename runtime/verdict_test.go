package runtime_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestVerdictsTogether compares verdicts that are asked together with those asked one by one.
func TestVerdictsTogether(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, template := range []string{
		`query Q(a, b entity) = borders($a, $b)`,
		`query Q(a, b entity) = exists x. borders($a, x) & borders(x, $b)`,
		`query Q(a, b entity) = borders($a, $b) | exists x. borders($a, x) & capital(x, "Paris") & !borders($b, x)`,
	} {
		file, err := lang.ParseFile("q.efo", []byte("package q\n\n"+template))
		require.NoError(t, err)
		for _, semantics := range model.AllSemantics {
			p, err := compiler.Prepare(m, file.Queries[0], compiler.Options{Semantics: &semantics})
			require.NoError(t, err)
			var batch []runtime.Args
			for i := range int32(70) { // more than run together
				batch = append(batch, p.Spec().Args(24+i%7, 40+i))
			}
			together, err := p.AskAll(t.Context(), batch, runtime.Options{})
			require.NoError(t, err)
			for i, a := range batch {
				alone, err := p.Ask(t.Context(), a, runtime.Options{})
				require.NoError(t, err)
				got, want := together[i].Verdict, alone.Verdict
				if got.Status != want.Status || got.Holds != want.Holds || math.Abs(got.Confidence-want.Confidence) > 1e-4 ||
					math.Abs(got.Degree-want.Degree) > 1e-4 || len(got.Witnesses) != len(want.Witnesses) ||
					got.Status == runtime.Known && !reflect.DeepEqual(got.Witnesses[0].Answer, want.Witnesses[0].Answer) {
					t.Fatalf("%s, %s, %v: together %+v, alone %+v", template, semantics, a, got, want)
				}
			}
		}
	}
}
