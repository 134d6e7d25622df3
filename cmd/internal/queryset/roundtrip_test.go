package queryset_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
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
		require.NoError(t, err)
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

// TestRoundTrip writes every shape in every format, and reads it back.
func TestRoundTrip(t *testing.T) {
	shapes := append(betaeShapes, fitShapes...)
	for _, name := range []string{"q.jsonl", "q.jsonl.gz", "q.jsonl.zst", ""} {
		dir := t.TempDir()
		want := open(t, write(t, dir+"/in.jsonl", lines(t, shapes...)), queryset.Options{})
		if len(want.Groups) != len(shapes) {
			t.Fatalf("%d groups of %d", len(want.Groups), len(shapes))
		}
		for _, split := range []string{"valid", "test"} {
			out := t.TempDir()
			path := filepath.Join(out, name)
			if err := queryset.Write(context.Background(), path, want, queryset.WriteOptions{Split: split}); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			same(t, open(t, path, queryset.Options{Split: split}), want)
		}
	}
}
