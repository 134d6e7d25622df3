package model

import (
	"bytes"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/internal/offsets"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// TestWideOffsets writes and reads a model whose offsets take 64 bits, as they do with more than two
// gigabytes of names or 2³⁰ facts.
func TestWideOffsets(t *testing.T) {
	m := smallModel(t)
	text := func(m *Model) string {
		var out bytes.Buffer
		require.NoError(t, Write(&out, m))
		return out.String()
	}
	want := text(m)
	list, labels := []string{}, []string{}
	for id := range int32(m.Entities.Len()) {
		list, labels = append(list, m.Entities.Name(id)), append(labels, m.Entities.Label(id))
	}
	before := offsets.MaxNarrow
	offsets.MaxNarrow = 1
	t.Cleanup(func() { offsets.MaxNarrow = before })
	wide := *m
	var err error
	wide.Entities, err = names.New("entity", list, labels)
	require.NoError(t, err)
	data := text(&wide)
	for _, name := range []string{"graph.offsets", "entity.name.offsets"} {
		f, err := safetensors.Parse([]byte(data))
		require.NoError(t, err)
		if x, _ := f.Tensor(name); len(x.Shape) != 2 || x.Shape[1] != 2 {
			t.Errorf("%s has shape %v, want pairs", name, x.Shape)
		}
	}
	got, err := OpenBytes("wide", []byte(data))
	require.NoError(t, err)
	for id, name := range list {
		if at, err := got.Entities.Find(name); err != nil || at != int32(id) || got.Entities.Name(at) != name || got.Entities.Label(at) != labels[id] {
			t.Errorf("%s: %d, %v", name, at, err)
		}
	}
	for r := range graph.RelationID(m.NumRelations()) {
		heads, tails := m.Graph.Edges(r)
		h, x := got.Graph.Edges(r)
		if !slices.Equal(h, heads) || !slices.Equal(x, tails) {
			t.Errorf("relation %d has other facts", r)
		}
	}
	// What was read in 64 bits is stored in 32 where they suffice.
	offsets.MaxNarrow = before
	got.Entities, got.Relations, got.Manifest.Checksums = m.Entities, m.Relations, m.Manifest.Checksums
	if again := text(got); again != want {
		t.Errorf("written again it has %d bytes, want %d", len(again), len(want))
	}
}
