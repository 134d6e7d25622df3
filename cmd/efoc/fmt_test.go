package main

import (
	"path/filepath"
	"testing"
)

// TestFmtCommitted formats the templates of the repository: they keep their meaning, and
// formatting the result changes nothing.
func TestFmtCommitted(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/downstream/*.efo")
	more, _ := filepath.Glob("../../testdata/downstream/*/*.efo")
	paths = append(append(paths, more...), "../../codegen/shapes/shapes.efo")
	if err != nil || len(paths) < 4 {
		t.Fatalf("found only %q, %v", paths, err)
	}
	for _, path := range paths {
		once := efoc(t, "fmt", path)
		if twice := efocInput(t, once.stdout, "fmt"); once.status != statusOK || twice.stdout != once.stdout {
			t.Errorf("%s: status %d, %s\nformatted twice:\n%s", path, once.status, once.stderr, twice.stdout)
		}
	}
}
