package synthetic

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// made writes a small world and imports it.
func made(t *testing.T, seed uint64) (*model.Model, string) {
	t.Helper()
	c := Graph{Dir: t.TempDir(), Entities: 3000, Facts: 5, Relations: 6, Heldout: 10, Rank: 16, Seed: seed}
	require.NoError(t, c.Run(t.Context(), &cli.Output{Stdout: io.Discard, Stderr: io.Discard}))
	checkpoint, path := filepath.Join(c.Dir, "checkpoint.safetensors"), filepath.Join(c.Dir, "made.efoc")
	_, err := importer.Import(t.Context(), importer.Options{Graph: c.Dir, Checkpoints: []string{checkpoint}, Output: path, Table: table.Float32, Settings: model.DefaultSettings()})
	require.NoError(t, err)
	m, err := model.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	text, err := os.ReadFile(checkpoint)
	require.NoError(t, err)
	return m, string(text)
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
	m, first := made(t, 1)
	_, again := made(t, 1)
	if _, other := made(t, 2); first != again || first == other {
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
		a, b, c := m.Predictor.EntityTable.Row(graph.EntityID(h), nil), m.Predictor.Relation(graph.RelationID(r)), m.Predictor.EntityTable.Row(graph.EntityID(x), nil)
		for k := range d {
			re, im := a[k]*b[k]-a[d+k]*b[d+k], a[k]*b[d+k]+a[d+k]*b[k]
			sum += re*c[k] + im*c[d+k]
		}
		return sum
	}
	for r := int32(2); r < int32(m.NumRelations()); r++ {
		heads, tails := m.Graph.Edges(graph.RelationID(r))
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
