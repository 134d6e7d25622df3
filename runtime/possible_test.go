package runtime

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// TestPossible checks that truth degrees on a device have no score terms, and therefore no confidence, and
// that message passing keeps its settings.
func TestPossible(t *testing.T) {
	m := &Model{bundle: &model.Model{}}
	m.bundle.Manifest.ScoreTerms.Frequency = 0.3
	m.bundle.Manifest.Settings = model.DefaultSettings()
	m.bundle.Manifest.Confidence = model.Confidence{"nsmp": {}, "fit": {}, "mixed": {}}
	for _, s := range model.AllSemantics {
		q := &query{model: m, bound: run.Bound{Model: m.bundle, Plan: &plan.Plan{Semantics: s}, Runner: run.Device{}}}
		on := q.possible(&m.bundle.Manifest.Settings).Degrees.OrDefault().Regularities
		why := q.uncalibrated(&m.bundle.Manifest.Settings, s)
		if by := s == model.NSMP; on != by || (why == "") != by || !by && !strings.Contains(why, "on a device") {
			t.Errorf("%s: regularities are on: %v; confidence: %q", s, on, why)
		}
		q.bound.Runner = run.Local{}
		if why := q.uncalibrated(&m.bundle.Manifest.Settings, s); why != "" {
			t.Errorf("%s in main memory has no confidence: %s", s, why)
		}
	}
}
