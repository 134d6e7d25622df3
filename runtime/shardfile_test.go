package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// whole opens a small model whose table has some types.
func whole(t testing.TB, table, exact table.Type) *model.Model {
	t.Helper()
	m, err := model.OpenBytes("whole", crafted(t, table, exact).Seal())
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// splitFolder splits a model into a folder.
func splitFolder(t testing.TB, m *model.Model, of int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "split")
	require.NoError(t, model.Split(context.Background(), dir, m, of, nil))
	return dir
}

// TestSplit checks that the parts of a model have everything that it has, each where it belongs.
func TestSplit(t *testing.T) {
	for _, types := range craftedTables {
		m := whole(t, types[0], types[1])
		n, width := m.NumEntities(), 2*m.Predictor.Rank
		for of := 1; of <= n; of++ {
			dir := splitFolder(t, m, of)
			head, err := model.OpenHead(dir)
			require.NoError(t, err)
			for e := range int32(n) {
				if got, want := head.EntityLabel(graph.EntityID(e)), m.EntityLabel(graph.EntityID(e)); got != want {
					t.Errorf("head: label %d is %q, want %q", e, got, want)
				}
			}
			if rows := head.Predictor.EntityTable.Rows(); rows != 0 || head.NumEntities() != n || head.Heldout == nil {
				t.Errorf("head has %d rows and %d entities, want 0 and %d, and the facts held back", rows, head.NumEntities(), n)
			}
			wholeParts(t, m, dir, of)
			links := map[[3]int32]bool{}
			next := 0
			for i := range of {
				s, err := model.OpenShard(dir, i, of)
				require.NoError(t, err)
				if err := head.Manifest.Shard.Fits(s.Manifest.Shard, "it"); err != nil {
					t.Error(err)
				}
				first, rows := s.Manifest.Shard.First, s.NumEntities()
				if first != next || rows < 1 {
					t.Errorf("%d shards: shard %d has the rows from %d on, %d of them, want from %d on", of, i, first, rows, next)
				}
				next = first + rows
				for e := range rows {
					own, all := make([]float32, width), make([]float32, width)
					got, want := s.Predictor.EntityTable.Row(graph.EntityID(e), own), m.Predictor.EntityTable.Row(graph.EntityID(first+e), all)
					if !slices.Equal(got, want) || s.Predictor.EntityNorms[e] != m.Predictor.EntityNorms[first+e] {
						t.Errorf("row %d of shard %d is %v, want %v", e, i, got, want)
					}
					if got, want := s.Values(graph.EntityID(e)), m.Values(graph.EntityID(first+e)); !slices.Equal(got, want) {
						t.Errorf("entity %d of shard %d has the values %v, want %v", e, i, got, want)
					}
				}
				for r := range graph.RelationID(m.NumRelations()) {
					heads, tails := s.Graph.Edges(r)
					for k, h := range heads {
						links[[3]int32{h, int32(r), tails[k] + int32(first)}] = true
					}
				}
			}
			if next != n {
				t.Errorf("%d shards have %d rows, want %d", of, next, n)
			}
			count := 0
			for r := range graph.RelationID(m.NumRelations()) {
				heads, tails := m.Graph.Edges(r)
				for k, h := range heads {
					if count++; !links[[3]int32{h, int32(r), tails[k]}] {
						t.Errorf("%d shards: no shard has the link %d from %d to %d", of, r, h, tails[k])
					}
				}
			}
			if len(links) != count {
				t.Errorf("%d shards have %d links, want %d", of, len(links), count)
			}
		}
	}
}

// wholeParts checks that the files of a split model equal its parts written whole.
func wholeParts(t *testing.T, m *model.Model, dir string, of int) {
	t.Helper()
	check := func(path string, part *model.Model) error {
		var want bytes.Buffer
		if err := model.Write(&want, part); err != nil {
			return err
		}
		got, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s has %d bytes that are not those of the part, %d", path, len(got), want.Len())
		}
		return err
	}
	head, err := m.Head(of)
	if err == nil {
		err = check(filepath.Join(dir, "head.efoc"), head)
	}
	if err == nil {
		err = m.Shards(of, func(s *model.Model) error {
			return check(filepath.Join(dir, fmt.Sprintf("shard-%d-of-%d.efoc", s.Manifest.Shard.Index, of)), s)
		})
	}
	require.NoError(t, err)
}

// TestSplitChanged splits models whose facts were changed and that have more entities, opened
// in every way: with the parts of the same model that was written and opened again.
func TestSplitChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "whole.efoc")
	require.NoError(t, model.Save(context.Background(), path, whole(t, table.Int8, table.Float32), nil))
	for _, how := range [][]model.OpenOption{nil, {model.Mapped()}, {model.ReadOnce()}} {
		m, err := model.Open(path, how...)
		require.NoError(t, err)
		defer m.Close()
		m, err = m.Grown([]string{"somebody new"}, make([]float32, 2*m.Predictor.Rank))
		require.NoError(t, err)
		n := graph.EntityID(m.NumEntities())
		m, done, err := m.With(model.Change{Add: []graph.Triple{{Head: 0, Tail: n - 1}, {Head: n - 1, Tail: 2}}})
		if err != nil || done.Added != 2 {
			t.Fatalf("%+v, %v", done, err)
		}
		dir := splitFolder(t, m, 3)
		wholeParts(t, m, dir, 3)
		s, err := model.OpenShard(dir, 2, 3)
		require.NoError(t, err)
		defer s.Close()
		if at := s.Manifest.Shard.First; !s.Graph.Has(0, 0, n-1-graph.EntityID(at)) {
			t.Errorf("the shard from %d on lacks the new fact", at)
		}
	}
}

// TestSplitErrors checks that parts that do not belong together are refused by name.
func TestSplitErrors(t *testing.T) {
	m := whole(t, table.Int8, table.Float32)
	dir, other := splitFolder(t, m, 2), splitFolder(t, whole(t, table.Float32, ""), 2)
	taller, err := m.WithValues([]values.AttributeValues{{Name: "height", Kind: values.NumberKind, Values: []values.EntityValue{{Entity: 0, Number: 1.75}}}})
	require.NoError(t, err)
	changed := splitFolder(t, taller, 2)
	path := func(name string) string { return filepath.Join(dir, name) }
	put := func(name string, data []byte) {
		require.NoError(t, os.WriteFile(path(name), data, 0o644))
	}
	read := func(dir, name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return data
	}
	var bundle bytes.Buffer
	require.NoError(t, model.Write(&bundle, m))
	zero, one := read(dir, "shard-0-of-2.efoc"), read(dir, "shard-1-of-2.efoc")
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"shard-1-of-2.efoc", zero, "shard-1-of-2.efoc: this is shard 0 of 2, want shard 1 of 2"},
		{"shard-1-of-2.efoc", bundle.Bytes(), "shard-1-of-2.efoc: this is a whole model"},
		{"shard-1-of-2.efoc", read(other, "shard-1-of-2.efoc"), "shard-1-of-2.efoc: shard 1 of 2 is of another model"},
		{"shard-1-of-2.efoc", read(changed, "shard-1-of-2.efoc"), "shard-1-of-2.efoc: shard 1 of 2 is of another model"},
		{"shard-1-of-2.efoc", one[:len(one)-1], "bytes of data: truncated: the bundle is damaged"},
		{"shard-1-of-2.efoc", slices.Concat(one[:len(one)-9], []byte{one[len(one)-9] ^ 4}, one[len(one)-8:]), "checksum"},
	} {
		put(c.name, c.data)
		head, err := model.OpenHead(dir)
		require.NoError(t, err)
		s, err := model.OpenShard(dir, 1, 2)
		if err == nil {
			err = head.Manifest.Shard.Fits(s.Manifest.Shard, path("shard-1-of-2.efoc"))
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
	require.NoError(t, os.Remove(path("shard-1-of-2.efoc")))
	if _, err := model.OpenShard(dir, 1, 2); err == nil || !strings.Contains(err.Error(), "shard-1-of-2.efoc") {
		t.Errorf("error is %v, want the missing file's name", err)
	}
	put("head.efoc", zero)
	if _, err := model.OpenHead(dir); err == nil || !strings.Contains(err.Error(), "head.efoc: this is shard 0 of 2") {
		t.Errorf("error is %v, want that it is no head", err)
	}
	if _, err := model.Open(path("shard-0-of-2.efoc")); err == nil || !strings.Contains(err.Error(), "shard 0 of 2, not a whole model") {
		t.Errorf("error is %v, want that it is a shard", err)
	}
	for _, of := range []int{0, -1, m.NumEntities() + 1} {
		if err := model.Split(context.Background(), filepath.Join(t.TempDir(), "s"), m, of, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprint(of, " shards of 5 entities")) {
			t.Errorf("split into %d: error is %v", of, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for folder, want := range map[string]string{dir: "write folder " + dir + ": it is not empty", file: "not a directory"} {
		if err := model.Split(context.Background(), folder, m, 2, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("split into %s: error is %v", folder, err)
		}
	}
	empty := filepath.Join(t.TempDir(), "deep", "empty")
	require.NoError(t, os.MkdirAll(empty, 0o700))
	require.NoError(t, model.Split(context.Background(), empty, m, 2, nil))
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	out := filepath.Join(t.TempDir(), "s")
	if err := model.Split(cancelled, out, m, 2, nil); err == nil {
		t.Error("a split that was cancelled succeeds")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a split that was cancelled leaves a folder")
	}
}

// TestShardMutants opens shards and heads with right checksums and one thing changed: they are
// refused, or keep what a model promises.
func TestShardMutants(t *testing.T) {
	every := long.Or(1, 5)
	m := whole(t, table.Int8, table.Float32)
	dir := splitFolder(t, m, 2)
	at := filepath.Join(t.TempDir(), "mutants")
	require.NoError(t, os.Mkdir(at, 0o755))
	for _, name := range []string{"head.efoc", "shard-1-of-2.efoc"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		b, err := openParts(data)
		require.NoError(t, err)
		tried, refused, opened := 0, 0, 0
		try := func(x mutant) {
			if tried++; tried%every != 0 {
				return
			}
			require.NoError(t, os.WriteFile(filepath.Join(at, name), x.bundle.Seal(), 0o644))
			var s *model.Model
			if name == "head.efoc" {
				s, err = model.OpenHead(at)
			} else {
				s, err = model.OpenShard(at, 1, 2)
			}
			if err != nil {
				refused++
				return
			}
			defer s.Close()
			opened++
			useModel(t, s)
		}
		i := slices.IndexFunc(b.Manifest, func(f field) bool { return f.Key == "shard" })
		shard, err := fieldsOf(b.Manifest[i].Value)
		require.NoError(t, err)
		objectMutants("shard.", shard, jsonValues, func(what, _ string, fields []field) {
			c := b.Clone()
			c.Manifest[i].Value = object(fields)
			try(mutant{what, nil, c})
		})
		tensorMutants(b, try, "graph.offsets", "graph.heads", "graph.tails", "entity.norm")
		if refused < 100/every || opened < 1 {
			t.Errorf("%s: %d mutants were refused, %d opened", name, refused, opened)
		}
	}
}
