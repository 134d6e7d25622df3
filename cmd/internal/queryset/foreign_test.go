package queryset_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/testdata/shared"
)

// TestForeign checks that files with FIT's keys but other answers are refused by name.
func TestForeign(t *testing.T) {
	const negatives = `{"(r1(s1,e1))&(r2(e1,f1))": [[{"s1": 0, "r1": 0, "r2": 1}, {"f1": [[0]]}, {"f1": [[100], [101]]}]]}`
	for file, want := range map[string]string{
		"qac_test_type0001.json":    "AnyCQ's questions",
		"qac_test_type0001.json.gz": "AnyCQ's questions",
		"qar_test_3hub_efo1.json":   "AnyCQ's questions",
		"queries.json":              "ends in qaa.json",
	} {
		path := write(t, filepath.Join(t.TempDir(), file), negatives)
		if _, _, err := queryset.Open(context.Background(), path, queryset.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", file, err, want)
		}
	}
}

// TestForeignReal does so for every file that AnyCQ has published.
func TestForeignReal(t *testing.T) {
	dir := shared.Dir(t, "data", "anycq")
	files, err := filepath.Glob(filepath.Join(dir, "*-QA?", "*.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		_, _, err := queryset.Open(context.Background(), file, queryset.Options{})
		if err == nil || !strings.Contains(err.Error(), "so that they cannot be ranked") {
			t.Errorf("%s: error is %v", file, err)
		}
	}
}
