package runtime_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/damage"
	"github.com/efoc/efoc/testdata/require"
)

// bundleFile is the bundle of a model, or a part of a split one, with what opens it in a folder.
type bundleFile struct {
	name  string
	parts *bundleParts
	open  func(folder string) (*model.Model, error)
}

// bundleFiles are the files of models with tables of all types, whole and split into two, taken apart.
func bundleFiles(t testing.TB) (files []bundleFile) {
	t.Helper()
	const of = 2
	add := func(b *bundleParts, name string, open func(folder string) (*model.Model, error)) {
		b.Text = object(append(slices.Clone(b.Manifest), field{Key: "checksums", Value: object(b.Sums())}))
		files = append(files, bundleFile{name, b, open})
	}
	for i, table := range craftedTables {
		b := crafted(t, table[0], table[1])
		if i > 0 { // one has all parts, and the others are quick
			b.Lean()
		}
		add(b, "whole.efoc", func(folder string) (*model.Model, error) { return model.Open(filepath.Join(folder, "whole.efoc")) })
		dir := splitFolder(t, whole(t, table[0], table[1]), of)
		part := func(name string, open func(folder string) (*model.Model, error)) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			b, err := openParts(data)
			require.NoError(t, err)
			add(b, name, open)
		}
		part("head.efoc", model.OpenHead)
		for i, name := range []string{"shard-0-of-2.efoc", "shard-1-of-2.efoc"} {
			part(name, func(folder string) (*model.Model, error) { return model.OpenShard(folder, i, of) })
		}
	}
	return files
}

// FuzzOpen opens damaged files. file says which one, and part and script how. A model that opens keeps
// its promises; and for any sizes that a file states, no more memory is taken than some times its own.
func FuzzOpen(f *testing.F) {
	debug.SetGCPercent(1000) // next to nothing is kept
	files := bundleFiles(f)
	folder := f.TempDir()
	for i, x := range files {
		for part := range uint8(6) {
			f.Add(uint8(i), part, []byte{})
			f.Add(uint8(i), part, []byte{1, 250, 2, 7, 0, 0, 5, 255, 3, 0, 0, 1})
		}
		require.NoError(f, os.WriteFile(filepath.Join(folder, x.name), x.parts.Seal(), 0o644))
		m, err := x.open(folder)
		require.NoError(f, err)
		m.Close()
	}
	f.Fuzz(func(t *testing.T, file, part uint8, script []byte) {
		if len(script) > damage.MaxScript {
			return
		}
		of := files[int(file)%len(files)]
		data := of.parts.Damaged(part, script)
		require.NoError(t, os.WriteFile(filepath.Join(folder, of.name), data, 0o644))
		before := allocated()
		m, err := of.open(folder)
		if took, most := allocated()-before, uint64(1<<20+100*len(data)); took > most {
			t.Errorf("opening %d bytes took %d bytes of memory, want %d at most: %v", len(data), took, most, err)
		}
		if err != nil {
			return
		}
		defer m.Close()
		useModel(t, m)
	})
}

// useModel reads everything that an opened model, or a part of a split one, offers.
func useModel(t *testing.T, m *model.Model) {
	t.Helper()
	whole := m.Manifest.Shard == nil || m.Manifest.Shard.Head()
	for _, g := range []*graph.Graph{m.Graph, m.Heldout} {
		if g == nil {
			continue
		}
		for r := range graph.RelationID(g.NumRelations()) {
			heads, tails := g.Edges(r)
			for i, h := range heads {
				if h < 0 || int(h) >= m.Manifest.Entities || tails[i] < 0 || int(tails[i]) >= m.NumEntities() {
					t.Fatalf("link %d of relation %d leads from %d to %d, of %d and %d entities", i, r, h, tails[i], m.Manifest.Entities, m.NumEntities())
				}
				if i > 0 && (h < heads[i-1] || h == heads[i-1] && tails[i] <= tails[i-1]) {
					t.Fatalf("link %d of relation %d comes after one that is not before it", i, r)
				}
				if !g.Has(graph.EntityID(h), r, graph.EntityID(tails[i])) || whole && !g.Has(graph.EntityID(tails[i]), r.Inverse(), graph.EntityID(h)) {
					t.Fatalf("link %d of relation %d is not found", i, r)
				}
			}
		}
	}
	rows, want := m.Predictor.EntityTable.Rows(), m.Manifest.Entities
	if s := m.Manifest.Shard; s != nil {
		want = s.Rows
	}
	if rows != want || len(m.Predictor.EntityNorms) != want {
		t.Fatalf("%d rows and %d norms, want %d", rows, len(m.Predictor.EntityNorms), want)
	}
	for e := range graph.EntityID(rows) {
		if row := m.Predictor.EntityTable.Row(e, nil); len(row) != 2*m.Predictor.Rank {
			t.Fatalf("row %d has %d numbers", e, len(row))
		}
	}
	for e := range graph.EntityID(m.NumEntities()) {
		if id, err := m.Entity(m.EntityName(e)); whole && (err != nil || id.ID() != e) {
			t.Fatalf("entity %d is found as %d, %v", e, id, err)
		}
		m.EntityLabel(e)
	}
	m.NearestEntities("Ada", 3)
}
