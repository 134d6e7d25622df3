package model

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// smallModel is a model of five entities and two relations.
func smallModel(t testing.TB) *Model {
	t.Helper()
	return smallModelOf(t, Float32)
}

// smallModelOf has the same numbers, which all types hold exactly, in a table of
// the given type.
func smallModelOf(t testing.TB, table TableType, exact ...TableType) *Model {
	t.Helper()
	names, err := NewNames("entity", []string{"e0", "e1", "e2", "e3", "e4"}, []string{"Ada", "", "Ben", "Ben", ""})
	require.NoError(t, err)
	relations, err := NewNames("relation", []string{"knows", "likes"}, nil)
	require.NoError(t, err)
	visible, err := NewGraph(5, 2, []Triple{{0, 0, 1}, {1, 0, 2}, {1, 1, 1}, {4, 1, 0}})
	require.NoError(t, err)
	heldout, err := NewGraph(5, 2, []Triple{{2, 0, 3}})
	require.NoError(t, err)
	p := Predictor{Rank: 2, RelationTable: make([]float32, 16)}
	embeddings := make([]float32, 20)
	for i := range embeddings {
		embeddings[i] = float32(i) - 7.5
	}
	p.EntityTable, err = MakeTable(embeddings, 4, table, append(exact, "")[0])
	require.NoError(t, err)
	for i := range p.RelationTable {
		p.RelationTable[i] = 1 / float32(i+1)
	}
	manifest := Manifest{Name: "small", Settings: DefaultSettings(), Visible: "train", Sources: []Source{{Role: "graph", File: "train.tsv", Bytes: 3}}}
	m, err := New(manifest, visible, heldout, p, names, relations)
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
	for _, kind := range kinds {
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
		tensors := map[TableType]int{Float32: 18, Int8: 20}[want.Manifest.Table]
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
	entities, relations := NumberedNames("entity", 5), NumberedNames("relation", 2)
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
	if _, err := OpenBytes("x", data[:len(data)-1]); !strings.Contains(err.Error(), "truncated") || errors.Is(err, errNotBundle) {
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
		{write("empty", ""), "not an efoc bundle; make one with efoc import"},
		{write("text", "just some text that is not a bundle"), "not an efoc bundle; make one with efoc import"},
		{write("other", other.String()), "not an efoc bundle; make one with efoc import"},
		{dir, "not a regular file"},
		{filepath.Join(dir, "none"), "none"},
	} {
		if _, err := Open(c.path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}

// resum gives a bundle that was tampered with its right checksums. alter may
// change the manifest and the tensors before.
func resum(t testing.TB, data []byte, alter func(manifest map[string]any, tensors []safetensors.Tensor) []safetensors.Tensor) []byte {
	t.Helper()
	f, err := safetensors.Parse(bytes.Clone(data))
	require.NoError(t, err)
	var manifest map[string]any
	require.NoError(t, json.Unmarshal([]byte(f.Metadata[metaManifest]), &manifest))
	tensors := alter(manifest, f.Tensors)
	sums := map[string]string{}
	summed, err := checksums(tensors, 0, nil, nil)
	require.NoError(t, err)
	for i, sum := range summed {
		sums[tensors[i].Name] = sum
	}
	manifest["checksums"] = sums
	text, err := json.Marshal(manifest)
	require.NoError(t, err)
	header, err := safetensors.EncodeHeader(map[string]string{metaManifest: string(text), metaHeader: noSum}, tensors)
	require.NoError(t, err)
	copy(header[headerSumAt(header):], formatSum(crc32.Checksum(header, castagnoli)))
	for _, tensor := range tensors {
		header = append(header, tensor.Data...)
	}
	return header
}

// TestOpenInconsistent opens bundles whose checksums are right and whose
// content is not.
func TestOpenInconsistent(t *testing.T) {
	type tensors = []safetensors.Tensor
	set := func(key string, value any) func(map[string]any, tensors) tensors {
		return func(m map[string]any, list tensors) tensors {
			m[key] = value
			return list
		}
	}
	poke := func(name string, at int, value byte) func(map[string]any, tensors) tensors {
		return func(_ map[string]any, list tensors) tensors {
			for _, x := range list {
				if x.Name == name {
					x.Data[at] = value
				}
			}
			return list
		}
	}
	number := func(name string, at int, value float32) func(map[string]any, tensors) tensors {
		return func(_ map[string]any, list tensors) tensors {
			for _, x := range list {
				if x.Name == name {
					binary.LittleEndian.PutUint32(x.Data[4*at:], math.Float32bits(value))
				}
			}
			return list
		}
	}
	negate := func(name string, at int) func(map[string]any, tensors) tensors { return poke(name, 4*at+3, 0xc0) }
	data := smallBundle(t)
	if _, err := OpenBytes("x", resum(t, data, set("name", "other"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want  string
		alter func(map[string]any, tensors) tensors
	}{
		{`unknown object member name "colour"`, set("colour", "red")},
		{`unknown object member name "NAME"`, set("NAME", "red")},
		{"temperatures: there are 1, want one for each of", set("temperatures", []float64{1})},
		{"temperatures: directed relation 0: temperature is 0, want 0.0001 to 10000", set("temperatures", make([]float64, 4))},
		{"temperatures: there are 0, want one for each of 4", set("temperatures", []float64{})},
		{"sources: bytes of source 0 is -1", set("sources", []map[string]any{{"role": "graph", "file": "x", "sha256": "", "bytes": -1}})},
		{`tensor "entity.embedding": row 2 column 1 is NaN, want a finite number`, number(tensorEntities, 9, float32(math.NaN()))},
		{`tensor "entity.embedding": row 4 column 3 is -Inf, want a finite number`, number(tensorEntities, 19, float32(math.Inf(-1)))},
		{`tensor "entity.embedding": row 0 has length 3.0000`, number(tensorEntities, 0, 3e38)},
		{`tensor "relation.embedding": row 3 column 0 is +Inf`, number(tensorRelations, 12, float32(math.Inf(1)))},
		{`tensor "relation.embedding": row 0 has length 2e+09`, number(tensorRelations, 0, 2e9)},
		{`tensor "entity.norm": number 3 is 0, want 12.206555`, number(tensorNorms, 3, 0)},
		{`tensor "entity.norm": number 1 is NaN, want`, number(tensorNorms, 1, float32(math.NaN()))},
		{`tensor "entity.norm": number 1 is -4.582576, want 4.582576`, negate(tensorNorms, 1)},
		{"newer than the supported", set("version", BundleVersion+1)},
		{"import the data again", set("version", BundleVersion-1)},
		{"no version", set("version", nil)},
		{"entities", set("entities", 0)},
		{`tensor "entity.embedding": shape is [5 4], want [6 4]`, set("entities", 6)},
		{`tensor "relation.embedding": shape`, set("relations", 3)},
		{"shape", set("rank", 1)},
		{"rank is 0", set("rank", 0)},
		{`unknown table type "float64"`, set("table", "float64")},
		{"unknown table type", set("table", nil)},
		{"table type bfloat16 is for exact rows only: use int8+bfloat16: import or train", set("table", "bfloat16")},
		{"table type int4 is no longer supported: use int8: import or train the model again", set("table", "int4")},
		{"triples: there are 4", set("triples", 5)},
		{"heldout triples: there are 1", set("heldout", 2)},
		{"heldout is -1", set("heldout", -1)},
		{"lambda", set("settings", map[string]any{"lambda": 2, "alpha": 1, "epsilon": 1e-9})},
		{`JSON number into Go string within "/name"`, set("name", 7)},
		{`tensors "graph": relation 0`, poke("graph.heads", 0, 4)},
		{`tensors "heldout"`, poke("heldout.tails", 0, 9)},
		{`tensors "entity.name": order`, poke("entity.name.order", 0, 1)},
		{`tensors "entity.name": order holds id 9`, poke("entity.name.order", 0, 9)},
		{`tensors "entity.name": offsets`, poke("entity.name.offsets", 4, 9)},
		{`tensors "entity.name": text of id 0`, poke("entity.name.text", 0, 0)},
		{`tensors "entity.label": order`, poke("entity.label.order", 0, 1)},
		{`"entity.norm" is missing`, func(_ map[string]any, list tensors) tensors {
			return append(list[:2:2], list[3:]...)
		}},
		{"do not belong", func(_ map[string]any, list tensors) tensors {
			return append(list, safetensors.FromBytes("more", nil))
		}},
		{"want F32", func(_ map[string]any, list tensors) tensors {
			list[2].DType = safetensors.I32
			return list
		}},
	} {
		_, err := OpenBytes("x", resum(t, data, c.alter))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
	for _, c := range []struct {
		want  string
		alter func(map[string]any, tensors) tensors
	}{
		{`exact is "int8" beside a table of int8`, set("exact", "int8")},
		{`exact is "float32" beside a table of float32`, set("table", "float32")},
		{`tensor "entity.embedding": element type is F32, want BF16`, set("exact", "bfloat16")},
		{"1 tensors that do not belong", set("exact", "")},
		{`tensor "entity.code": element type is U8, want I8`, func(_ map[string]any, list tensors) tensors {
			list[1].DType = safetensors.U8
			return list
		}},
		{`tensors "entity.scale" and "entity.residual": row 2 has scale NaN`, number(tensorScales, 2, float32(math.NaN()))},
		{`tensors "entity.scale" and "entity.residual": row 1 has scale -`, negate(tensorScales, 1)},
		{`row 0 has scale 1 and residual 0.01`, number(tensorScales, 0, 1)},
		{`and residual 30, which no row of length 12.206555 has`, number(tensorResiduals, 0, 30)},
		{`tensors "entity.scale" and "entity.residual": row 4 has`, number(tensorResiduals, 4, float32(math.Inf(1)))},
	} {
		var out bytes.Buffer
		require.NoError(t, Write(&out, smallModelOf(t, Int8, Float32)))
		_, err := OpenBytes("x", resum(t, out.Bytes(), c.alter))
		if err == nil || !strings.Contains(err.Error(), c.want) {
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
		{"rows of the entity table", func(m *Model) { m.Predictor.EntityTable.f32 = m.Predictor.EntityTable.f32[4:] }},
		{"numbers in a row of the entity table", func(m *Model) { m.Predictor.EntityTable.width = 2; m.Predictor.EntityTable.f32 = make([]float32, 10) }},
		{"relation table", func(m *Model) { m.Predictor.RelationTable = nil }},
		{"rank", func(m *Model) { m.Predictor.Rank = 0 }},
		{"entity norms", func(m *Model) { m.Predictor.EntityNorms = []float32{1} }},
		{"entity names", func(m *Model) { m.Entities = NumberedNames("entity", 4) }},
		{"relation names", func(m *Model) { m.Relations = NumberedNames("relation", 4) }},
		{"alpha", func(m *Model) { m.Manifest.Settings.Alpha = 0 }},
		{"heldout graph", func(m *Model) { m.Heldout, _ = NewGraph(4, 2, nil) }},
	} {
		m := smallModel(t)
		c.spoil(m)
		_, err := New(m.Manifest, m.Graph, m.Heldout, m.Predictor, m.Entities, m.Relations)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}
