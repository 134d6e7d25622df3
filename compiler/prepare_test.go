package compiler

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// TestPrepareFormula checks that a text is analysed once, however many ask it at a time, and
// that its names are looked up in the model of each.
func TestPrepareFormula(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	var c stages.Cache
	const formula = `exists x. borders("France", x) & official_language(x, y)`
	first, err := PrepareFormula(m, formula, Options{Cache: &c})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			p, err := PrepareFormula(m, formula, Options{Cache: &c})
			if err != nil || p.Shape() != first.Shape() {
				t.Errorf("%v: the shape was found again", err)
			}
		})
	}
	wg.Wait()
	other, err := plantest.NewModel(1, 10, 2, 4, model.DefaultSettings())
	require.NoError(t, err)
	defer other.Close()
	if _, err := PrepareFormula(other, formula, Options{Cache: &c}); err == nil || !strings.Contains(err.Error(), "France") {
		t.Errorf("in a model without the names the error is %v", err)
	}
}

// TestPause checks that a question can be held up before each answer that it judges.
func TestPause(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	p, err := PrepareFormula(m, `exists x. borders("France", x) & official_language(x, y)`, Options{})
	require.NoError(t, err)
	ask := func(o runtime.Options) (*runtime.Reply, int64) {
		var pauses atomic.Int64
		r, err := p.Ask(pause.With(t.Context(), func() { pauses.Add(1) }), nil, o)
		require.NoError(t, err)
		return r, pauses.Load()
	}
	_, before := ask(runtime.Options{K: 100, NoStatus: true})
	r, pauses := ask(runtime.Options{K: 100})
	predicted := int64(0)
	for _, row := range r.Rows {
		if row.Status != runtime.Known {
			predicted++
		}
	}
	if predicted == 0 || pauses < before+predicted {
		t.Errorf("%d pauses, %d of them without statuses, for %d predicted answers", pauses, before, predicted)
	}
}
