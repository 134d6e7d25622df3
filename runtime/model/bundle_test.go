package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// smallModel is a model of five entities and two relations.
func smallModel(t testing.TB) *Model {
	t.Helper()
	return smallModelOf(t, table.Float32)
}

// smallModelOf has the same numbers, which all types hold exactly, in a table of
// the given type.
func smallModelOf(t testing.TB, dtype table.Type, exact ...table.Type) *Model {
	t.Helper()
	entities, err := names.New("entity", []string{"e0", "e1", "e2", "e3", "e4"}, []string{"Ada", "", "Ben", "Ben", ""})
	require.NoError(t, err)
	relations, err := names.New("relation", []string{"knows", "likes"}, nil)
	require.NoError(t, err)
	visible, err := graph.New(5, 2, []graph.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 2}, {Head: 1, Relation: 1, Tail: 1}, {Head: 4, Relation: 1, Tail: 0}})
	require.NoError(t, err)
	heldout, err := graph.New(5, 2, []graph.Triple{{Head: 2, Relation: 0, Tail: 3}})
	require.NoError(t, err)
	p := Predictor{Rank: 2, RelationTable: make([]float32, 16)}
	embeddings := make([]float32, 20)
	for i := range embeddings {
		embeddings[i] = float32(i) - 7.5
	}
	p.EntityTable, err = table.Make(embeddings, 4, dtype, append(exact, "")[0])
	require.NoError(t, err)
	for i := range p.RelationTable {
		p.RelationTable[i] = 1 / float32(i+1)
	}
	manifest := Manifest{Name: "small", Settings: DefaultSettings(), Visible: "train", Sources: []Source{{Role: "graph", File: "train.tsv", Bytes: 3}}}
	m, err := New(manifest, visible, heldout, p, entities, relations)
	require.NoError(t, err)
	return m
}

// smallBundle is the bundle of smallModel.
func smallBundle(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Write(&out, smallModel(t)))
	return out.Bytes()
}

func TestBundleRoundTrip(t *testing.T) {
	for _, kind := range [][2]table.Type{{table.Float32}, {table.Int8}, {table.Int8, table.Float32}} {
		t.Run(string(kind[0]+" "+kind[1]), func(t *testing.T) { roundTrip(t, smallModelOf(t, kind[0], kind[1])) })
	}
}

func roundTrip(t *testing.T, want *Model) {
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		require.NoError(t, Write(out, want))
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same model gives other bytes")
	}
	data := first.Bytes()
	for shift := range 5 {
		m, err := OpenBytes("small", append(make([]byte, shift), data...)[shift:])
		require.NoError(t, err)
		// Of codes there are three tensors; rows may be missing.
		tensors := map[table.Type]int{table.Float32: 18, table.Int8: 20}[want.Manifest.Table]
		if want.Manifest.Exact != "" {
			tensors++
		}
		if len(m.Manifest.Checksums) != tensors {
			t.Errorf("%d checksums", len(m.Manifest.Checksums))
		}
		m.Manifest.Checksums = nil
		for what, pair := range map[string][2]any{
			"manifest":  {m.Manifest, want.Manifest},
			"predictor": {m.Predictor, want.Predictor},
			"graph":     {m.Graph, want.Graph},
			"heldout":   {m.Heldout, want.Heldout},
			"entities":  {m.Entities, want.Entities},
			"relations": {m.Relations, want.Relations},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Errorf("%s: got %+v, want %+v", what, pair[0], pair[1])
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if got, within := float64(want.Predictor.EntityNorms[0]), map[bool]float64{true: 0, false: 0.2}[want.Predictor.EntityTable.Type().IsFloat()]; math.Abs(got-12.206555) > within+1e-6 {
		t.Errorf("norm is %v, want 12.206555", got)
	}
}

// TestBundleWithoutExtras has numbers for names and nothing held out.
func TestBundleWithoutExtras(t *testing.T) {
	m := smallModel(t)
	entities, relations := names.Numbered("entity", 5), names.Numbered("relation", 2)
	if _, err := New(m.Manifest, m.Graph, nil, m.Predictor, entities, relations); err == nil {
		t.Fatal("accepted a manifest that counts heldout facts")
	}
	m.Manifest.Heldout = 0
	m, err := New(m.Manifest, m.Graph, nil, m.Predictor, entities, relations)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, Write(&out, m))
	again, err := OpenBytes("small", out.Bytes())
	if err != nil || again.Heldout != nil || again.EntityName(3) != "3" {
		t.Errorf("got %+v, %v", again, err)
	}
}

// TestBundleTruncated cuts a bundle everywhere.
func TestBundleTruncated(t *testing.T) {
	data := smallBundle(t)
	for n := range data {
		if _, err := OpenBytes("x.efoc", data[:n]); err == nil || !strings.HasPrefix(err.Error(), "x.efoc: ") {
			t.Fatalf("cut at %d of %d: error is %v", n, len(data), err)
		}
	}
	if _, err := OpenBytes("x", data[:len(data)-1]); !strings.Contains(err.Error(), "truncated") || errors.Is(err, ErrNotBundle) {
		t.Errorf("error is %v", err)
	}
	if _, err := OpenBytes("x", append(bytes.Clone(data), 0)); err == nil {
		t.Error("accepted a byte behind the end")
	}
}

// TestBundleAltered flips every bit of a bundle.
func TestBundleAltered(t *testing.T) {
	data := smallBundle(t)
	for i := range 8 * len(data) {
		data[i/8] ^= 1 << (i % 8)
		if _, err := OpenBytes("x", data); err == nil {
			t.Fatalf("accepted a flip of bit %d in byte %d of %d", i%8, i/8, len(data))
		}
		data[i/8] ^= 1 << (i % 8)
	}
	data[len(data)-1] ^= 1
	if _, err := OpenBytes("x", data); err == nil || !strings.Contains(err.Error(), `x: tensor "relation.name.text": checksum is`) {
		t.Errorf("error is %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	var other bytes.Buffer
	require.NoError(t, safetensors.Write(&other, map[string]string{"format": "pt"}, nil))
	for _, c := range []struct{ path, want string }{
		{write("empty", ""), "not an efoc bundle"},
		{write("text", "just some text that is not a bundle"), "not an efoc bundle"},
		{write("other", other.String()), "not an efoc bundle"},
		{dir, "not a regular file"},
		{filepath.Join(dir, "none"), "none"},
	} {
		if _, err := Open(c.path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}

func TestSaveBundle(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "small.efoc")
	var written, total int64
	require.NoError(t, Save(context.Background(), path, smallModel(t), func(w, n int64) { written, total = w, n }))
	if written == 0 || written != total {
		t.Errorf("progress ended at %d of %d", written, total)
	}
	m, err := Open(path)
	require.NoError(t, err)
	if e, err := m.Entity("Ada"); err != nil || e.ID() != 0 {
		t.Errorf("got %d, %v", e, err)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	// A cancelled save leaves what was there, and nothing else.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Save(ctx, path, smallModel(t), nil); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), path) {
		t.Errorf("error is %v", err)
	}
	wantFiles(t, dir, "small.efoc")
	m, err = Open(path)
	require.NoError(t, err)
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	// So does one that cannot be finished.
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	if err := Save(context.Background(), filepath.Join(dir, "sub"), smallModel(t), nil); err == nil {
		t.Error("replaced a folder")
	}
	if err := Save(context.Background(), filepath.Join(dir, "none", "x.efoc"), smallModel(t), nil); err == nil {
		t.Error("wrote into a folder that is not there")
	}
	wantFiles(t, dir, "small.efoc", "sub")
}

// wantFiles compares the content of a folder.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("files are %v, want %v", got, want)
	}
}

func TestNewModelErrors(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(m *Model)
	}{
		{"needs a graph", func(m *Model) { m.Graph = nil }},
		{"rows of the entity table", func(m *Model) { m.Predictor.EntityTable = m.Predictor.EntityTable.Slice(1, 5) }},
		{"numbers in a row of the entity table", func(m *Model) { m.Predictor.EntityTable, _ = table.Make(make([]float32, 10), 2, table.Float32, "") }},
		{"relation table", func(m *Model) { m.Predictor.RelationTable = nil }},
		{"rank", func(m *Model) { m.Predictor.Rank = 0 }},
		{"entity norms", func(m *Model) { m.Predictor.EntityNorms = []float32{1} }},
		{"entity names", func(m *Model) { m.Entities = names.Numbered("entity", 4) }},
		{"relation names", func(m *Model) { m.Relations = names.Numbered("relation", 4) }},
		{"alpha", func(m *Model) { m.Manifest.Settings.Alpha = 0 }},
		{"heldout graph", func(m *Model) { m.Heldout, _ = graph.New(4, 2, nil) }},
	} {
		m := smallModel(t)
		c.spoil(m)
		_, err := New(m.Manifest, m.Graph, m.Heldout, m.Predictor, m.Entities, m.Relations)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}
