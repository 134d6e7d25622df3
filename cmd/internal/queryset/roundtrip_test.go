package queryset_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang"
)

// lines returns two queries of each named shape, with ids that tell the slots
// apart.
func lines(t *testing.T, names ...string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range names {
		head := fmt.Sprintf(`{"type": %q`, name)
		base, reading, _ := strings.Cut(name, "-")
		q, err := lang.ShapeQuery(base)
		if err != nil {
			t.Fatal(err)
		}
		if reading != "" {
			for _, s := range lang.Shapes {
				if s.Name == base {
					head += fmt.Sprintf(`, "formula": %q`, s.Formula)
				}
			}
		}
		for i := range 2 {
			b.WriteString(head)
			for j, p := range q.Params {
				fmt.Fprintf(&b, `, %q: %d`, p.Name, 70000*i+300*j)
			}
			fmt.Fprintf(&b, `, "easy": [%d, 256], "hard": [65536, 3]}`+"\n", i)
		}
	}
	return b.String()
}

var (
	betaeShapes = []string{"1p", "2p", "3p", "2i", "3i", "pi", "ip", "2in", "3in", "inp", "pin", "pni-universal", "2u", "2u-DM", "up", "up-DM"}
	fitShapes   = []string{"pni", "2il", "3il", "2m", "2nm", "3mp", "3pm", "im", "3c", "3cm"}
)

// TestRoundTrip writes every shape in every format that has it, and reads it back.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		format queryset.Format
		shapes []string
		path   string
	}{
		{queryset.JSONLines, append(betaeShapes, fitShapes...), "q.jsonl"},
		{queryset.JSONLines, fitShapes, "q.jsonl.gz"},
		{queryset.JSONLines, fitShapes, "q.jsonl.zst"},
		{queryset.BetaE, betaeShapes, ""},
		{queryset.FIT, append(betaeShapes, fitShapes...), ""},
		{queryset.FIT1, append(betaeShapes[:11:11], append(betaeShapes[12:], fitShapes[1:]...)...), ""},
	} {
		dir := t.TempDir()
		want := open(t, write(t, dir+"/in.jsonl", lines(t, c.shapes...)), queryset.Options{})
		if len(want.Groups) != len(c.shapes) {
			t.Fatalf("%d groups of %d", len(want.Groups), len(c.shapes))
		}
		for _, split := range []string{"valid", "test"} {
			out := t.TempDir()
			path := filepath.Join(out, c.path)
			if err := queryset.Write(context.Background(), path, want, queryset.WriteOptions{Format: c.format, Split: split}); err != nil {
				t.Fatalf("%s: %v", c.format, err)
			}
			same(t, open(t, path, queryset.Options{Split: split}), want)
		}
	}
}
