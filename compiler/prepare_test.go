package compiler

import (
	"math"
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

// TestPrepare checks that a text is analysed once, however many goroutines ask it at the same time, and
// that its names are looked up in the model of each.
func TestPrepare(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	var c stages.Cache
	const formula = `exists x. borders("France", x) & official_language(x, y)`
	first, err := Prepare(m, formula, Options{Cache: &c})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			p, err := Prepare(m, formula, Options{Cache: &c})
			if err != nil || p.Shape() != first.Shape() {
				t.Errorf("%v: the shape was found again", err)
			}
		})
	}
	wg.Wait()
	other, err := plantest.NewModel(1, 10, 2, 4, model.DefaultSettings())
	require.NoError(t, err)
	defer other.Close()
	if _, err := Prepare(other, formula, Options{Cache: &c}); err == nil || !strings.Contains(err.Error(), "France") {
		t.Errorf("in a model without the names the error is %v", err)
	}
}

// TestPause checks that a question can be paused before each answer that it judges.
func TestPause(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	p, err := Prepare(m, `exists x. borders("France", x) & official_language(x, y)`, Options{})
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

// TestPreparedSettings checks that every way to ask a prepared question uses the settings of its preparation.
func TestPreparedSettings(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	s := m.Settings()
	s.Lambda = 0.9
	p, err := Prepare(m, `exists x. borders("France", x) & official_language(x, y)`, Options{Settings: &s, Semantics: new(model.NSMP)})
	require.NoError(t, err)
	want, err := p.Ask(t.Context(), nil, runtime.Options{K: 1, Settings: &s})
	require.NoError(t, err)
	own := m.Settings()
	other, err := p.Ask(t.Context(), nil, runtime.Options{K: 1, Settings: &own})
	require.NoError(t, err)
	top := want.Rows[0]
	if math.Abs(float64(top.Score-other.Rows[0].Score)) < 0.01 {
		t.Fatalf("the settings make no difference: %v and %v", top.Score, other.Rows[0].Score)
	}

	got := map[string]float32{}
	one, err := p.Ask(t.Context(), nil, runtime.Options{K: 1})
	require.NoError(t, err)
	got["Ask"] = one.Rows[0].Score
	all, err := p.AskAll(t.Context(), []runtime.Args{nil}, runtime.Options{K: 1})
	require.NoError(t, err)
	got["AskAll"] = all[0].Rows[0].Score
	best, err := p.Best(t.Context(), nil, 1, nil)
	require.NoError(t, err)
	got["Best"] = best[0].Score
	require.NoError(t, p.Each(t.Context(), []runtime.Args{nil}, nil, func(_ int, r *runtime.Run) error {
		got["Each"] = r.Scores()[top.Values[0].ID]
		return nil
	}))
	for call, score := range got {
		if math.Abs(float64(score-top.Score)) > 1e-5 {
			t.Errorf("%s gives score %v, want %v", call, score, top.Score)
		}
	}
}
