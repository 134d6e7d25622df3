package scale

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// made writes a small world and opens it.
func made(t *testing.T, c Command, seed uint64) (*model.Model, string) {
	t.Helper()
	w := &World{Entities: 3000, Relations: 6, Rank: 16, Facts: 5, Seed: seed}
	w.complete()
	path := filepath.Join(t.TempDir(), "made.efoc")
	require.NoError(t, c.write(run{ctx: t.Context()}, w, path))
	m, err := model.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m, path
}

// TestGraph checks the splits of a graph to train on: apart, of about the sizes that were
// asked for, and such that the members of a cluster have their facts with those of another.
func TestGraph(t *testing.T) {
	c := Graph{Dir: t.TempDir(), Entities: 2000, Facts: 5, Relations: 4, Members: 20, Heldout: 300, Seed: 3}
	require.NoError(t, c.Run(t.Context(), &cli.Output{Stdout: io.Discard, Stderr: io.Discard}))
	seen, clusters := map[string]int{}, map[[2]int]int{}
	for i, name := range []string{"train.tsv", "valid.tsv", "test.tsv"} {
		text, err := os.ReadFile(filepath.Join(c.Dir, name))
		require.NoError(t, err)
		lines := bytes.Count(text, []byte("\n"))
		if i > 0 && (lines < 200 || lines > 400) || i == 0 && lines < 8000 {
			t.Errorf("%s has %d facts", name, lines)
		}
		for line := range strings.Lines(string(text)) {
			seen[line]++
			var h, r, x int
			if _, err := fmt.Sscanf(line, "entity/%d\trelation/%d\tentity/%d\n", &h, &r, &x); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if r == 0 {
				continue // leads to hubs
			}
			shift := (x%100 - h%100 + 100) % 100 // of 100 clusters
			clusters[[2]int{r, shift}]++
		}
	}
	for line, times := range seen {
		if times > 1 {
			t.Errorf("%q is there %d times", line, times)
		}
	}
	if len(clusters) != 3 {
		t.Errorf("three relations lead %d ways between clusters: %v", len(clusters), clusters)
	}
}

// TestWorld checks that a world is the same each time, that it has hubs, and that its
// embeddings prefer its facts.
func TestWorld(t *testing.T) {
	m, path := made(t, Command{Table: "float32"}, 1)
	_, again := made(t, Command{Table: "float32"}, 1)
	_, other := made(t, Command{Table: "float32"}, 2)
	text := func(path string) string {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(data)
	}
	if text(path) != text(again) || text(path) == text(other) {
		t.Error("the seed does not decide")
	}
	if facts := m.Graph.NumTriples(); facts < 3000*4 || facts > 3000*6 {
		t.Errorf("%d facts of 3000 entities, want about five each", facts)
	}
	if hub := len(m.Graph.Tails(0, 1)); hub < 500 {
		t.Errorf("the first hub has %d neighbours", hub)
	}
	wins, all := 0, 0
	score := func(h, r, x int32) (sum float32) {
		d := m.Predictor.Rank
		a, b, c := m.Predictor.EntityTable.Row(model.EntityID(h), nil), m.Predictor.Relation(model.RelationID(r)), m.Predictor.EntityTable.Row(model.EntityID(x), nil)
		for k := range d {
			re, im := a[k]*b[k]-a[d+k]*b[d+k], a[k]*b[d+k]+a[d+k]*b[k]
			sum += re*c[k] + im*c[d+k]
		}
		return sum
	}
	for r := int32(2); r < int32(m.NumRelations()); r++ {
		heads, tails := m.Graph.Edges(model.RelationID(r))
		for i := 0; i < len(heads); i += 50 {
			if all++; score(heads[i], r, tails[i]) > score(heads[i], r, (tails[i]+1234)%3000) {
				wins++
			}
		}
	}
	if wins < all*9/10 {
		t.Errorf("facts win %d of %d comparisons", wins, all)
	}
}

// TestMeasure measures a small model and an import of it.
func TestMeasure(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("needs /proc, which Linux has")
	}
	_, path := made(t, Command{Table: "int8", Exact: "drop"}, 1)
	var text bytes.Buffer
	out := &cli.Output{Stdout: &text, Stderr: io.Discard}
	require.NoError(t, (&Measure{Model: path, Queries: 3, Batch: 5}).Run(context.Background(), out))
	var m measured
	if err := json.Unmarshal(text.Bytes(), &m); err != nil || m.Facts == 0 || m.OneHop <= 0 || m.TwoHops <= 0 || m.Batch <= 0 || m.Resident < m.Anonymous {
		t.Errorf("%+v, %v", m, err)
	}
	w := &World{Entities: 500, Relations: 3, Rank: 8, Facts: 4, Seed: 1}
	w.complete()
	folder := t.TempDir()
	require.NoError(t, w.writeImport(folder))
	text.Reset()
	require.NoError(t, (&Import{Graph: folder, Output: filepath.Join(folder, "out.efoc"), Table: "int8", Exact: "drop"}).Run(context.Background(), out))
	var i imported
	if err := json.Unmarshal(text.Bytes(), &i); err != nil || i.Peak < i.Bundle || i.Bundle == 0 {
		t.Errorf("%+v, %v", i, err)
	}
	// The import has the facts of the world.
	got, err := model.Open(filepath.Join(folder, "out.efoc"))
	require.NoError(t, err)
	defer got.Close()
	for r := range w.Relations {
		heads, tails := w.edges(r)
		h, x := got.Graph.Edges(model.RelationID(2 * r))
		if len(heads) != len(h) || len(tails) != len(x) {
			t.Errorf("relation %d has %d facts, want %d", r, len(h), len(heads))
		}
	}
}
