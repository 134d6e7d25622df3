package queryset_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/testdata/shared"
)

// negatives is a file as AnyCQ's classification has it: query i has the given number
// of positive and of negative answers.
func negatives(sizes ...[2]int) string {
	var entries []string
	for i, s := range sizes {
		list := func(from, n int) string {
			var ids []string
			for id := range n {
				ids = append(ids, fmt.Sprintf("[%d]", from+id))
			}
			return strings.Join(ids, ", ")
		}
		entries = append(entries, fmt.Sprintf(`[{"s1": %d, "r1": 0, "r2": 1}, {"f1": [%s]}, {"f1": [%s]}]`, i, list(0, s[0]), list(100, s[1])))
	}
	return `{"(r1(s1,e1))&(r2(e1,f1))": [` + strings.Join(entries, ", ") + "]}"
}

// TestForeign checks that files with FIT's keys but other answers are refused, by
// name and by content.
func TestForeign(t *testing.T) {
	balanced := func(n int) (sizes [][2]int) {
		for i := range n {
			sizes = append(sizes, [2]int{4 + i%3, 4 + i%3})
		}
		return sizes
	}
	same := make([][2]int, 40)
	for i := range same {
		same[i] = [2]int{1, 1}
	}
	few := balanced(40)
	few[17][1]--
	for _, c := range []struct {
		file, text string
		limit      int
		want       string
	}{
		{"qac_test_type0001.json", negatives([2]int{1, 2}), 0, "negative answers"},
		{"qac_test_type0001.json.gz", negatives([2]int{1, 2}), 0, "negative answers"},
		{"qar_test_3hub_efo1.json", `{}`, 0, "query answer retrieval"},
		{"queries.json", negatives([2]int{1, 2}), 0, "ends in qaa.json"},
		{"test-qaa.json", negatives(balanced(40)...), 0, "every one of 40 queries"},
		// Groups that are not asked for show what the file is, too.
		{"test-qaa.json", negatives(balanced(40)...), 2, "every one of 40 queries"},
		{"test-qaa.json", negatives(balanced(3)...), 0, ""},
		{"test-qaa.json", negatives(same...), 0, ""},
		{"test-qaa.json", negatives(few...), 0, ""},
	} {
		path := write(t, filepath.Join(t.TempDir(), c.file), c.text)
		_, _, err := queryset.Open(context.Background(), path, queryset.Options{Limit: c.limit})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s of %d bytes: error is %v, want %q", c.file, len(c.text), err, c.want)
		}
	}
}

// TestForeignReal does so for every file that AnyCQ has published, under its own name
// and under one of FIT's.
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
		if !strings.HasPrefix(filepath.Base(file), "qac_") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		renamed := write(t, filepath.Join(t.TempDir(), "test-qaa.json"), string(text))
		_, _, err = queryset.Open(context.Background(), renamed, queryset.Options{})
		// Of the hubs some formulas are refused before the end of the file is seen.
		if hub := strings.Contains(file, "3hub"); err == nil || !hub && !strings.Contains(err.Error(), "negative answers") {
			t.Errorf("%s, renamed: error is %v", file, err)
		}
	}
}
