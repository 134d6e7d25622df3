package model

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// narrow has offsets above some number stored in 64 bits while a test runs.
func narrow(t *testing.T, limit int64) {
	t.Helper()
	before := maxNarrow
	maxNarrow = limit
	t.Cleanup(func() { maxNarrow = before })
}

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
	names, labels := []string{}, []string{}
	for id := range int32(m.Entities.Len()) {
		names, labels = append(names, m.Entities.Name(id)), append(labels, m.Entities.Label(id))
	}
	narrow(t, 1)
	wide := *m
	var err error
	wide.Entities, err = NewNames("entity", names, labels)
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
	for id, name := range names {
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
	maxNarrow = math.MaxInt32
	got.Entities, got.Relations, got.Manifest.Checksums = m.Entities, m.Relations, m.Manifest.Checksums
	if again := text(got); again != want {
		t.Errorf("written again it has %d bytes, want %d", len(again), len(want))
	}
}

// TestGrownOffsets has names grow beyond what 32 bits count.
func TestGrownOffsets(t *testing.T) {
	narrow(t, 12)
	x, err := NewNames("entity", []string{"ab", "cd"}, []string{"", "Cd"})
	require.NoError(t, err)
	for _, name := range []string{"efg", "hijk", "lmnop", "qrstuv"} {
		x, err = x.grown([]string{name})
		require.NoError(t, err)
		if id, err := x.Find(name); err != nil || id != int32(x.Len()-1) || x.Name(id) != name {
			t.Errorf("%s is %d, %v", name, id, err)
		}
		if id, err := x.Find("Cd"); err != nil || id != 1 {
			t.Errorf("Cd is %d, %v", id, err)
		}
		if err := x.names.validate(x.Len(), true); err != nil {
			t.Error(err)
		}
	}
	if !x.names.offsets.wide || x.labels.offsets.wide {
		t.Errorf("offsets of names are %+v, of labels %+v", x.names.offsets, x.labels.offsets)
	}
}

// TestOffsets checks 64-bit numbers, and tables of strings that they lead out of.
func TestOffsets(t *testing.T) {
	narrow(t, 10)
	list := []int64{0, 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxUint32 + 1, 1<<40 + 7}
	o := newOffsets(len(list), list[len(list)-1])
	for _, v := range list {
		o.add(v)
	}
	if o.len() != len(list) {
		t.Errorf("%d offsets", o.len())
	}
	for i, want := range list {
		if got := o.at(i); got != want {
			t.Errorf("offset %d is %d, want %d", i, got, want)
		}
	}
	for _, c := range []struct {
		words []int32
		want  string
	}{
		{[]int32{0, 0, 5, 0, 12, 0}, ""},
		{[]int32{0, 0, 5, 1, 12, 0}, "do not ascend at id 0"},
		{[]int32{0, 0, 5, -1, 12, 0}, "do not ascend at id 0"},
		{[]int32{0, 0, 5, 0, 12, 1}, "do not span"},
		{[]int32{0, 1, 5, 1, 12, 1}, "do not span"},
	} {
		table := stringTable{text: []byte("helloworldly"), offsets: offsets{words: c.words, wide: true}, order: []int32{0, 1}}
		if err := table.validate(2, true); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error is %v, want %s", c.words, err, c.want)
		}
	}
}
