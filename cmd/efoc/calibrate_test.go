package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/query"
)

// worldFolder makes a folder of the world with what is held back as its validation split.
func worldFolder(t *testing.T, dir string) {
	t.Helper()
	for from, to := range map[string]string{"train.tsv": "train.tsv", "entities.tsv": "entities.tsv", "relations.tsv": "relations.tsv", "heldout.tsv": "valid.tsv"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "world", from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, to), string(text))
	}
}

// TestCalibrate checks that a model gets temperatures of relations and a default semantics,
// by a validation split and not without one.
func TestCalibrate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	worldFolder(t, at("graph"))
	world := filepath.Join("..", "..", "testdata", "world", "world.efoc")
	efoc(t, "calibrate", world, "--graph", at("graph"), "-o", at("out.efoc")).want(t, statusOK, "calibrated by 712 validation facts", "")
	m, err := query.Open(at("out.efoc"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	efoc(t, "info", at("out.efoc")).want(t, statusOK, "semantics     "+m.Manifest.Semantics.String(), "")
	if got := m.Manifest.Temperatures; len(got) != m.NumRelations() || slices.Min(got) == slices.Max(got) {
		t.Errorf("the relations have temperatures %v", got)
	}
	if err := os.Remove(at("graph/valid.tsv")); err != nil {
		t.Fatal(err)
	}
	efoc(t, "calibrate", world, "--graph", at("graph"), "-o", at("none.efoc")).want(t, statusFailure, "", "has no validation split")
	if _, err := os.Stat(at("none.efoc")); err == nil {
		t.Error("a failed command wrote a model")
	}
	efoc(t, "calibrate", at("out.efoc"), "--graph", at("graph"), "-o", at("graph")).want(t, statusFailure, "", "it is a folder")
}
