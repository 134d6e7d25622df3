package gogen

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// TestSemantics checks that the comment of a type names the semantics of its answers.
func TestSemantics(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q y = r("a", y)`))
	require.NoError(t, err)
	for _, semantics := range []string{"nsmp", "fit", "mixed"} {
		f.Semantics = semantics
		out, err := File(analyzed(t, f), Options{Source: "x.efo", Package: "p"})
		require.NoError(t, err)
		if want := "Answers are by semantics " + semantics + ".\ntype Q struct {"; !strings.Contains(string(out.Code), want) {
			t.Errorf("with semantics %q the code lacks %s:\n%.1500s", semantics, want, out.Code)
		}
	}
}
