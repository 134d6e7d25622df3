package importer

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// TestCalibrate checks that a model is changed by the facts of the validation split that the
// graph lacks, and that a split which cannot be read does no harm.
func TestCalibrate(t *testing.T) {
	r := smallRing
	for _, c := range []struct {
		what, valid string
		want        []graph.Triple // nil if there is nothing to calibrate by
		note        string
	}{
		{"a split", "n0\tby1\tn7\nn0\tby1\tn1\n", []graph.Triple{{Head: 0, Relation: 0, Tail: 7}}, ""},
		{"facts of the graph", "n0\tby1\tn1\n", nil, ""},
		{"an unknown name", "n0\tby1\tn99\n", nil, "the validation split is left out: "},
		{"no split", "", nil, ""},
	} {
		dir := r.namedFolder(t, t.TempDir())
		if c.valid != "" {
			writeFile(t, dir, "valid.tsv", c.valid)
		}
		var got []graph.Triple
		var notes []string
		o := Options{
			Graph: dir, Checkpoints: []string{r.checkpoint(t, t.TempDir())},
			Note: func(text string) { notes = append(notes, text) },
			Calibrate: func(_ context.Context, m *model.Model, valid []graph.Triple) error {
				got, m.Manifest.Semantics = valid, model.FIT
				return nil
			},
		}
		m, err := importRing(t, o)
		require.NoError(t, err)
		r.check(t, m)
		if !slices.Equal(got, c.want) || (m.Manifest.Semantics == model.FIT) != (c.want != nil) {
			t.Errorf("%s: calibrated by %v, semantics %s", c.what, got, m.Manifest.Semantics)
		}
		if all := strings.Join(notes, "\n"); !strings.Contains(all, c.note) || c.note == "" && strings.Contains(all, "valid") {
			t.Errorf("%s: notes are %q", c.what, notes)
		}
		// A file is no folder: what lies beside it may belong to another graph.
		got, o.Graph = nil, filepath.Join(dir, "train.tsv")
		if _, err := importRing(t, o); err != nil || got != nil {
			t.Errorf("%s: a file is calibrated by %v, error %v", c.what, got, err)
		}
		o.Graph, o.Calibrate = dir, func(context.Context, *model.Model, []graph.Triple) error { return errors.New("no luck") }
		if _, err := importRing(t, o); (err != nil) != (c.want != nil) || err != nil && !strings.Contains(err.Error(), "calibrating by the validation split: no luck") {
			t.Errorf("%s: error %v", c.what, err)
		}
	}
}

// TestCalibrateUnknown drops validation facts of entities that the checkpoint lacks, where
// numbers alone say what they are.
func TestCalibrateUnknown(t *testing.T) {
	r := smallRing
	dir := t.TempDir()
	writeFile(t, dir, "train.txt", r.bothWays())
	writeFile(t, dir, "valid.txt", "0\t0\t7\n7\t1\t0\n0\t0\t70\n70\t1\t0\n")
	var got []graph.Triple
	var notes []string
	_, err := importRing(t, Options{
		Graph: dir, Checkpoints: []string{r.checkpoint(t, t.TempDir())}, Note: func(text string) { notes = append(notes, text) },
		Calibrate: func(_ context.Context, _ *model.Model, valid []graph.Triple) error {
			got = valid
			return nil
		},
	})
	require.NoError(t, err)
	if want := (graph.Triple{Head: 0, Relation: 0, Tail: 7}); len(got) != 1 || got[0] != want || !strings.Contains(strings.Join(notes, "\n"), "1 of 2 validation facts") {
		t.Errorf("calibrated by %v, notes %q", got, notes)
	}
}
