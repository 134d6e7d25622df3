package importer

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/damage"
	"github.com/efoc/efoc/testdata/require"
)

// TestImportTorch imports a checkpoint as CQD saves them: nested, with objects of unknown
// classes, with a table that starts within its storage. Testdata/make.py makes the files of
// testdata, without PyTorch.
func TestImportTorch(t *testing.T) {
	graph := smallRing.namedFolder(t, t.TempDir())
	m, err := importRing(t, Options{Graph: graph, Checkpoints: []string{filepath.Join("testdata", "cqd.pt")}})
	require.NoError(t, err)
	smallRing.check(t, m)
	m, err = importRing(t, Options{
		Graph: graph, Checkpoints: []string{filepath.Join("testdata", "cqd.pt")}, EntityTensor: "optimizer_state_dict.state.0.sum", RelationTensor: "model_state_dict.embeddings.1.weight",
	})
	require.NoError(t, err)
	smallRing.check(t, m)
}

// TestTorchTruncated cuts a file everywhere and flips its bits: any file that is accepted must give
// the same tensors, or tensors that fit their shapes.
func TestTorchTruncated(t *testing.T) {
	data := []byte(readFile(t, "testdata", "cqd.pt"))
	for n := range data {
		if _, err := listTensors(data[:n]); err == nil {
			t.Errorf("accepted %d of %d bytes", n, len(data))
		}
	}
	for i := range 8 * len(data) {
		data[i/8] ^= 1 << (i % 8)
		readAll(data)
		data[i/8] ^= 1 << (i % 8)
	}
}

// readAll reads all tensors of a checkpoint.
func readAll(data []byte) (list []safetensors.Tensor, err error) {
	candidates, err := listTensors(data)
	if err != nil {
		return nil, err
	}
	for _, c := range candidates {
		tensor, err := c.read()
		if err != nil {
			return nil, err
		}
		if err := tensor.Check(); err != nil {
			panic(err)
		}
		list = append(list, tensor)
	}
	return list, nil
}

// archive zips files as they are.
func archive(t testing.TB, method uint16, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: files[i], Method: method})
		require.NoError(t, err)
		if _, err := io.WriteString(f, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// tuple is the pickle of a tuple of small numbers.
func tuple(numbers ...int) string {
	text := "("
	for _, n := range numbers {
		text += "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(n)))
	}
	return text + "t"
}

// tensorPickle is a tensor of a FloatStorage "0" of the given count.
func tensorPickle(count, offset int, shape, strides string) string {
	number := func(n int) string { return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	return "ctorch._utils\n_rebuild_tensor_v2\n((U\x07storagectorch\nFloatStorage\nU\x010U\x03cpu" +
		number(count) + "tQ" + number(offset) + shape + strides + "\x89NtR"
}

func TestTorchErrors(t *testing.T) {
	const four = "\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f"
	pt := func(pickle string) []byte {
		return archive(t, zip.Store, "a/data.pkl", "\x80\x02"+pickle+".", "a/data/0", four)
	}
	if list, err := readAll(pt("}U\x01x" + tensorPickle(4, 0, tuple(2, 2), tuple(2, 1)) + "s")); err != nil || list[0].Name != "x" || !slices.Equal(list[0].Shape, []int{2, 2}) {
		t.Fatalf("got %+v, %v", list, err)
	}
	damaged := pt("N")
	copy(damaged[bytes.Index(damaged, []byte(four)):], "\xff")
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"text", "neither a safetensors nor a PyTorch file", []byte("hello, hello, hello")},
		{"numpy", "an HDF5 or NumPy file: put both tables into one safetensors file", []byte("\x93NUMPY\x01\x00v\x00{'descr'")},
		{"hdf5", "HDF5", []byte("\x89HDF\r\n\x1a\n00000000")},
		{"zip of something else", "no data.pkl", archive(t, zip.Store, "a.txt", "x")},
		{"two pickles", "more than one data.pkl", archive(t, zip.Store, "a/data.pkl", "N.", "b/data.pkl", "N.")},
		{"same file twice", "twice", archive(t, zip.Store, "a/data.pkl", "N.", "a/data.pkl", "N.")},
		{"compressed", "is compressed", archive(t, zip.Deflate, "a/data.pkl", "N.")},
		{"big-endian", "byte order", archive(t, zip.Store, "a/data.pkl", "N.", "a/byteorder", "big")},
		{"storage missing", "not in the file", archive(t, zip.Store, "a/data.pkl", tensorPickle(4, 0, tuple(4), tuple(1))+".")},
		{"storage too short", "has 16 bytes", pt(tensorPickle(5, 0, tuple(5), tuple(1)))},
		{"past the storage", "do not fit", pt(tensorPickle(4, 1, tuple(2, 2), tuple(2, 1)))},
		{"negative offset", "do not fit", pt(tensorPickle(4, -1, tuple(2), tuple(1)))},
		{"negative count", "without key and size", pt(tensorPickle(-4, 0, tuple(2), tuple(1)))},
		{"strides past the storage", "not those of numbers in order", pt(tensorPickle(4, 0, tuple(2, 2), tuple(1, 3)))},
		{"strides that overlap", "not those of numbers in order", pt(tensorPickle(4, 0, tuple(3, 2), tuple(1, 1)))},
		{"broadcast", "not those of numbers in order", pt(tensorPickle(4, 0, tuple(4, 4), tuple(0, 1)))},
		{"negative shape", "negative or too large", pt(tensorPickle(4, 0, tuple(-2, 2), tuple(2, 1)))},
		{"huge shape", "negative or too large", pt(tensorPickle(4, 0, tuple(1<<30, 1<<30, 1<<30), tuple(1, 1, 1)))},
		{"shape and strides", "without offset, shape", pt(tensorPickle(4, 0, tuple(2), tuple(2, 1)))},
		{"arguments", "2 arguments", pt("ctorch._utils\n_rebuild_tensor_v2\n(NNtR")},
		{"two descriptions", "in two ways", pt("(" + tensorPickle(4, 0, tuple(4), tuple(1)) + tensorPickle(3, 0, tuple(3), tuple(1)) + "t")},
		{"persistent id", "not a tuple", pt("NQ")},
		{"persistent id of other kind", "want a storage", pt("(U\x01xtQ")},
		{"legacy", "save it again with a newer one, by torch.save(torch.load(FILE), FILE)", append(bytes.Clone(legacyPrefix), "M\xe9\x03."...)},
		{"legacy magic", "neither", []byte("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x1a.")},
	} {
		if _, err := readAll(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := readAll(damaged); err != nil {
		t.Errorf("a storage that no tensor uses was read: %v", err)
	}
	damaged = pt(tensorPickle(4, 0, tuple(4), tuple(1)))
	copy(damaged[bytes.Index(damaged, []byte(four)):], "\xff")
	if _, err := readAll(damaged); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error is %v", err)
	}
}

// TestTensorSelection finds tables by the names of known trainers, and lists the tensors if it finds
// none.
func TestTensorSelection(t *testing.T) {
	list := func(names ...string) *checkpoint {
		c := &checkpoint{path: "c"}
		for _, name := range names {
			c.tensors = append(c.tensors, candidate{name: name, dtype: safetensors.F32, shape: []int{2, 4}})
		}
		return c
	}
	for _, c := range []struct {
		in               *checkpoint
		entity, relation string
		want             string
	}{
		{list("embeddings.0.weight", "embeddings.1.weight"), "", "", "embeddings.0.weight embeddings.1.weight"},
		{list("optimizer.0", "m.embeddings.1.weight", "m.embeddings.0.weight"), "", "", "m.embeddings.0.weight m.embeddings.1.weight"},
		{list("_entity_embedding.weight", "_relation_embedding.weight"), "", "", "_entity_embedding.weight _relation_embedding.weight"},
		{list("model.0._base_model._entity_embedder._embeddings.weight", "model.0._base_model._relation_embedder._embeddings.weight"), "", "", "model.0._base_model._entity_embedder._embeddings.weight model.0._base_model._relation_embedder._embeddings.weight"},
		{list("e", "r", "embeddings.0.weight", "embeddings.1.weight"), "e", "r", "e r"},
		{list("e", "r"), "", "", `no embeddings under a known name; give the names of the entity and the relation tensor; there are "e" F32 [2 4], "r" F32 [2 4]`},
		{list("e", "r"), "e", "x", `no tensors named "e" and "x"`},
		{list("a.e", "b.e", "r"), "e", "r", "several tensors"},
		{list(), "", "", "no tensors at all"},
		{list(strings.Split(strings.Repeat("x ", 30), " ")...), "", "", "and 11 more"},
	} {
		err := c.in.findTables(c.entity, c.relation)
		got := c.in.entities.name + " " + c.in.relations.name
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestNotFinite refuses tables that hold NaN or infinity.
func TestNotFinite(t *testing.T) {
	entities, relations := smallRing.tables()
	zero := float32(0)
	entities[8*5+3] = zero / zero
	_, err := importRing(t, Options{
		Graph:       smallRing.namedFolder(t, t.TempDir()),
		Checkpoints: []string{writeTables(t, t.TempDir(), "c.safetensors", entities, relations, 8)},
	})
	if err == nil || !strings.Contains(err.Error(), `tensor "embeddings.0.weight": row 5 column 3 is NaN`) {
		t.Errorf("error is %v", err)
	}
}

// TestDecodeRow converts the numbers of every type that a checkpoint may have.
func TestDecodeRow(t *testing.T) {
	for _, c := range []struct {
		dtype safetensors.DType
		data  []byte
		want  []float32
	}{
		{safetensors.F32, []byte{0, 0, 0xc0, 0x3f, 0, 0, 0, 0x80}, []float32{1.5, float32(math.Copysign(0, -1))}},
		{safetensors.F16, []byte{0, 0x3e, 1, 0x80}, []float32{1.5, -0x1p-24}},
		{safetensors.BF16, []byte{0xc0, 0x3f, 0x80, 0xff}, []float32{1.5, float32(math.Inf(-1))}},
		{safetensors.F64, []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0x80}, []float32{1.5, float32(math.Copysign(0, -1))}},
	} {
		got := make([]float32, 2)
		if err := decodeRow(got, c.data, c.dtype); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.dtype, got, err, c.want)
		}
	}
	if err := decodeRow(make([]float32, 1), []byte{0}, safetensors.U8); err == nil || !strings.Contains(err.Error(), "want F32, F16, BF16 or F64") {
		t.Errorf("error is %v", err)
	}
}

// FuzzTorch reads damaged checkpoints: the whole file, or the pickle of an archive, which
// is then zipped again so that its checksum is right. file says which is damaged, and
// script how.
func FuzzTorch(f *testing.F) {
	var files [][]byte
	for _, name := range []string{"libkge.pt", "pykeen.pkl", "cqd.pt"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		for _, whole := range []bool{false, true} {
			f.Add(uint8(len(files)), whole, []byte{})
			f.Add(uint8(len(files)), whole, []byte{1, 100, 0, 7, 0, 0, 3, 120, 0, 1, 0, 1})
		}
		files = append(files, data)
	}
	f.Fuzz(func(t *testing.T, file uint8, whole bool, script []byte) {
		if len(script) > damage.MaxScript {
			return
		}
		data := files[int(file)%len(files)]
		zipped, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if whole || err != nil {
			_, _ = readAll(damage.Apply(data, script))
			return
		}
		var parts []string
		for _, x := range zipped.File {
			part, err := stored(data, x)
			require.NoError(t, err)
			if path.Base(x.Name) == "data.pkl" {
				part = damage.Apply(part, script)
			}
			parts = append(parts, x.Name, string(part))
		}
		_, _ = readAll(archive(t, zip.Store, parts...))
	})
}
