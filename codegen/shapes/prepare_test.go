package shapes

import (
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestPrepareGenerated checks that a question with generated code is not compiled until its plan is requested.
func TestPrepareGenerated(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, s := range model.AllSemantics {
		var c stages.Cache
		p, err := compiler.Prepare(m, `exists x. borders("France", x) & official_language(x, y)`, compiler.Options{Cache: &c, Plans: Plans(), Semantics: &s})
		require.NoError(t, err)
		layers := p.Layers()
		if p.Engine != compiler.EngineCompiled || c.Len() != 0 {
			t.Errorf("%s: engine %s, %d shapes are compiled", s, p.Engine, c.Len())
		}
		if want := p.Compiled().Optimized.Layers; !slices.Equal(layers, want) {
			t.Errorf("%s: %v layers, want %v", s, layers, want)
		}
		if c.Len() != 1 {
			t.Errorf("%s: %d shapes are compiled", s, c.Len())
		}
	}
}
