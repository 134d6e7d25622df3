package calibrate

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// heldBack opens the world, and returns the facts that it holds back.
func heldBack(t *testing.T) (*model.Model, []graph.Triple) {
	t.Helper()
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	var facts []graph.Triple
	for r := range graph.RelationID(m.NumRelations() / 2) {
		heads, tails := m.Bundle().Heldout.Edges(2 * r)
		for i, h := range heads {
			facts = append(facts, graph.Triple{Head: graph.EntityID(h), Relation: int32(r), Tail: graph.EntityID(tails[i])})
		}
	}
	return m.Bundle(), facts
}

// TestRun checks that the default semantics is the best on validation queries, that the same
// seed gives the same model, and that settings are kept on demand and for want of queries.
func TestRun(t *testing.T) {
	var manifests []model.Manifest
	for range long.Or(2, 1) {
		m, facts := heldBack(t)
		m.Manifest.Settings.Lambda = 1 // which is far from good
		c, err := Run(t.Context(), m, facts, Options{Seed: 3, Queries: 10, ConfidenceQueries: 20})
		require.NoError(t, err)
		for _, mrr := range c.MRR {
			if mrr > c.MRR[c.Semantics] {
				t.Errorf("semantics %s of %v", c.Semantics, c.MRR)
			}
		}
		if c.Queries < leastChosen || c.Queries > 230 || len(c.MRR) != 3 || c.Settings.Lambda == 1 {
			t.Errorf("chose %+v", c)
		}
		if f := m.Manifest; f.Settings != c.Settings || f.Semantics != c.Semantics || len(f.Temperatures) != m.NumRelations() {
			t.Errorf("the model has %+v of %+v", f, c)
		}
		manifests = append(manifests, m.Manifest)
	}
	if again := manifests[len(manifests)-1]; !reflect.DeepEqual(manifests[0], again) {
		t.Errorf("two runs give\n%+v and\n%+v", manifests[0], again)
	}
}

// TestRunOptions chooses settings except for some, confidence alone, and by a single fact.
func TestRunOptions(t *testing.T) {
	long.Need(t, "it calibrates three models")
	m, facts := heldBack(t)
	m.Manifest.Settings.Lambda, m.Manifest.Settings.Alpha = 1, 7
	if _, err := Run(t.Context(), m, facts, Options{Seed: 3, Queries: 10, ConfidenceQueries: 20, KeepTemperatures: true, Keep: []string{"lambda", "alpha"}}); err != nil {
		t.Fatal(err)
	}
	if f := m.Manifest; f.Settings.Lambda != 1 || f.Settings.Alpha != 7 || f.Temperatures != nil {
		t.Errorf("what was to be kept is %+v", f)
	}

	m, facts = heldBack(t)
	old := m.Manifest
	if _, err := Run(t.Context(), m, facts, Options{Seed: 3, ConfidenceQueries: 20, ConfidenceOnly: true}); err != nil {
		t.Fatal(err)
	}
	if f := m.Manifest; len(f.Confidence) != 3 || f.Settings != old.Settings || f.Semantics != old.Semantics || f.Temperatures != nil {
		t.Errorf("confidence alone was to be set, there are %+v", f)
	}

	m, facts = heldBack(t)
	before := m.Manifest.Settings
	c, err := Run(t.Context(), m, facts[:1], Options{Seed: 3, Queries: 10, ConfidenceQueries: 20})
	if err != nil || c.MRR != nil || m.Manifest.Settings != before || m.Manifest.Semantics != model.Mixed {
		t.Errorf("by one fact: %+v, error %v", c, err)
	}
}

// TestRunUntil calibrates with no time left: settings and semantics stay, and confidence is fitted to
// single atoms. With much time nothing is left out.
func TestRunUntil(t *testing.T) {
	m, facts := heldBack(t)
	before := m.Manifest.Settings
	c, err := Run(t.Context(), m, facts, Options{Seed: 3, ConfidenceQueries: 20, Until: time.Now().Add(-time.Second)})
	require.NoError(t, err)
	if f := m.Manifest; f.Settings != before || len(f.Confidence) != 3 || c.shapes != 1 {
		t.Errorf("without time %d shapes are asked and there are %+v", c.shapes, f)
	}
	for _, want := range []string{"there was no time for settings and semantics", "confidence is fitted to 1 of 23 shapes"} {
		if !strings.Contains(c.Text, want) {
			t.Errorf("it says %q, want %q", c.Text, want)
		}
	}

	var manifests [2]model.Manifest
	for i, until := range []time.Time{{}, time.Now().Add(24 * time.Hour)} {
		m, facts := heldBack(t)
		_, err := Run(t.Context(), m, facts, Options{Seed: 3, Queries: 4, ConfidenceQueries: 4, KeepTemperatures: true, Until: until})
		require.NoError(t, err)
		manifests[i] = m.Manifest
	}
	if !reflect.DeepEqual(manifests[0], manifests[1]) {
		t.Errorf("with much time there are\n%+v, without a limit\n%+v", manifests[1], manifests[0])
	}
}

// TestSpread takes facts from everywhere, or all.
func TestSpread(t *testing.T) {
	var facts []graph.Triple
	for i := range graph.EntityID(10) {
		facts = append(facts, graph.Triple{Head: i})
	}
	var heads []graph.EntityID
	for _, f := range spread(facts, 4) {
		heads = append(heads, f.Head)
	}
	if want := []graph.EntityID{0, 2, 5, 7}; !slices.Equal(heads, want) {
		t.Errorf("four facts of ten are %v, want %v", heads, want)
	}
	if !slices.Equal(spread(facts, 10), facts) {
		t.Error("ten facts of ten are not all")
	}
}
