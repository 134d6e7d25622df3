package model_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/internal/damage"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// splitFile is a file of a split model, with what opens it in a folder.
type splitFile struct {
	name  string
	parts *bundleParts
	open  func(folder string) (*model.Model, error)
}

// splitFiles splits models with tables of all types, and takes the files apart.
func splitFiles(t testing.TB, of int) (files []splitFile) {
	t.Helper()
	add := func(dir, path string, open func(folder string) (*model.Model, error)) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		b, err := openParts(data)
		require.NoError(t, err)
		if m, err := open(dir); err != nil {
			t.Fatal(err)
		} else {
			m.Close()
		}
		b.Text = object(append(slices.Clone(b.Manifest), field{Key: "checksums", Value: object(b.Sums())}))
		files = append(files, splitFile{filepath.Base(path), b, open})
	}
	for _, table := range craftedTables {
		dir := splitFolder(t, whole(t, table[0], table[1]), of)
		add(dir, filepath.Join(dir, "head.efoc"), func(folder string) (*model.Model, error) { return model.OpenHead(folder) })
		for i := range of {
			add(dir, model.ShardPath(dir, i, of), func(folder string) (*model.Model, error) { return model.OpenShard(folder, i, of) })
		}
	}
	return files
}

// FuzzShard opens damaged files of split models. file says which one, and part and script how. What
// opens has ids in range alone; and whatever sizes a file states, no more
// memory is taken than some times its own.
func FuzzShard(f *testing.F) {
	debug.SetGCPercent(1000) // what is kept is next to nothing
	files := splitFiles(f, 2)
	for i := range files {
		for part := range uint8(6) {
			f.Add(uint8(i), part, []byte{})
			f.Add(uint8(i), part, []byte{1, 250, 2, 7, 0, 0, 5, 255, 3, 0, 0, 1})
		}
	}
	folder := f.TempDir()
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
		usePart(t, m)
	})
}

// usePart reads everything that an opened part of a split model offers.
func usePart(t *testing.T, m *model.Model) {
	t.Helper()
	for _, g := range []*model.Graph{m.Graph, m.Heldout} {
		if g == nil {
			continue
		}
		for r := range model.RelationID(g.NumRelations()) {
			heads, tails := g.Edges(r)
			for i, h := range heads {
				if h < 0 || int(h) >= m.Manifest.Entities || tails[i] < 0 || int(tails[i]) >= m.NumEntities() {
					t.Fatalf("link %d of relation %d leads from %d to %d, of %d and %d entities", i, r, h, tails[i], m.Manifest.Entities, m.NumEntities())
				}
				if i > 0 && (h < heads[i-1] || h == heads[i-1] && tails[i] <= tails[i-1]) {
					t.Fatalf("link %d of relation %d comes after one that is not before it", i, r)
				}
			}
		}
	}
	rows := m.Predictor.EntityTable.Rows()
	if want := m.Manifest.Shard.Rows; rows != want || len(m.Predictor.EntityNorms) != want {
		t.Fatalf("%d rows and %d norms, want %d", rows, len(m.Predictor.EntityNorms), want)
	}
	for e := range model.EntityID(rows) {
		if row := m.Predictor.EntityTable.Row(e, make([]float32, 2*m.Predictor.Rank)); len(row) != 2*m.Predictor.Rank {
			t.Fatalf("row %d has %d numbers", e, len(row))
		}
	}
	if m.Manifest.Shard.Head() {
		for e := range model.EntityID(min(m.NumEntities(), 1000)) {
			if id, err := m.Entity(m.EntityName(e)); err != nil || id.ID() != e {
				t.Fatalf("entity %d is found as %d, %v", e, id, err)
			}
		}
	}
}
