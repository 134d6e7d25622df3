package calibrate

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/efoc/efoc/runtime/model"
)

// TestMeasure checks that measuring asks queries of every stage, leaves the model as it was and
// can be given up.
func TestMeasure(t *testing.T) {
	m, facts := heldBack(t)
	before := m.Manifest
	c, err := Measure(t.Context(), m, facts, Options{Seed: 3})
	if err != nil || c.Fixed <= 0 || c.Queries <= 0 {
		t.Errorf("a calibration costs %+v, %v", c, err)
	}
	few, err := Measure(t.Context(), m, facts[:model.LeastValidation-1], Options{Seed: 3})
	if err != nil || few.Fixed <= 0 || few.Queries != 0 {
		t.Errorf("by facts that are too few for queries it costs %+v, %v", few, err)
	}
	if !reflect.DeepEqual(m.Manifest, before) {
		t.Errorf("measuring left %+v", m.Manifest)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, m, facts, Options{Seed: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
}

// TestCost checks times of a share of the queries, and shares of a time.
func TestCost(t *testing.T) {
	c := Cost{Fixed: 2, Queries: 10}
	for share, seconds := range map[float64]float64{0: 2, 0.5: 7, 1: 12} {
		if got := c.Seconds(share); got != seconds {
			t.Errorf("a share of %v takes %v, want %v", share, got, seconds)
		}
		if got := c.Share(seconds); got != share {
			t.Errorf("%v seconds are enough for %v, want %v", seconds, got, share)
		}
	}
	if c.Share(1) != 0 || c.Share(100) != 1 || (Cost{Fixed: 5}).Share(1) != 1 {
		t.Error("a share is out of range")
	}
}
