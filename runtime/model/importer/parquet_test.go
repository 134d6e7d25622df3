package importer

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/efoc/efoc/testdata/require"
)

// edge is a row of a Parquet file.
type edge struct {
	Weight    float64 `parquet:"weight"`
	Subject   string  `parquet:"subject,dict"`
	Predicate string  `parquet:"predicate,dict"`
	Object    string  `parquet:"object,optional"`
}

// parquetFile returns a Parquet file of rows.
func parquetFile[T any](t testing.TB, rows []T, options ...parquet.WriterOption) string {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, options...)
	for i, row := range rows {
		if _, err := w.Write([]T{row}); err != nil {
			t.Fatal(err)
		}
		if i == 0 { // two groups of rows
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, w.Close())
	return out.String()
}

var edges = []edge{{1, "Ada", "knows", "Bob"}, {2, "Ada", "likes", "Éva"}, {3, "Bob", "knows", "Éva"}}

// TestParquet reads facts by the names of columns, of all compressions and versions.
func TestParquet(t *testing.T) {
	for name, codec := range map[string]compress.Codec{
		"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd, "brotli": &parquet.Brotli,
	} {
		for _, version := range []int{1, 2} {
			text := parquetFile(t, edges, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(64))
			got, _, err := listed(t, writeFile(t, t.TempDir(), "a.parquet", text), Options{})
			if err != nil || strings.Join(got, ", ") != people {
				t.Errorf("%s, version %d: %s, %v", name, version, got, err)
			}
		}
	}
	swapped := Options{Columns: []string{"object", "predicate", "subject"}}
	got, _, err := listed(t, writeFile(t, t.TempDir(), "a.parquet", parquetFile(t, edges[:1])), swapped)
	if err != nil || got[0] != "Bob knows Ada" {
		t.Errorf("columns that are named: %s, %v", got, err)
	}
	numbers := []struct{ Head, R, Tail int64 }{{0, 0, 1}, {1, 0, 2}}
	d, err := ReadDataset(t.Context(), Options{Graph: writeFile(t, t.TempDir(), "a.parquet", parquetFile(t, numbers))}, SplitFiles{})
	if err != nil || d.Entities.Len() != 3 || !d.Entities.Numbered() {
		t.Errorf("ids: %+v, %v", d, err)
	}
}

// TestParquetErrors has files whose metadata is false.
func TestParquetErrors(t *testing.T) {
	whole := parquetFile(t, edges)
	null := "x"
	footer := func(n uint32) string {
		data := []byte(whole)
		binary.LittleEndian.PutUint32(data[len(data)-8:], n)
		return string(data)
	}
	type other struct {
		Head *string `parquet:"head,optional"`
		R    float64 `parquet:"r"`
		Tail []string
	}
	for _, c := range []struct {
		text, want string
		columns    []string
	}{
		{text: "PAR1", want: "a.parquet: not a Parquet file"},
		{text: whole[:len(whole)-1], want: "a.parquet: not a Parquet file"},
		{text: footer(4_000_000_000), want: "a footer of 4000000000 bytes in a file of"},
		{text: whole, columns: []string{"a", "b", "c"}, want: `there is no column "a" among "weight", "subject", "predicate", "object"`},
		{text: whole, columns: []string{"subject", "weight", "object"}, want: `column "weight" is of type DOUBLE, want text or whole numbers`},
		{text: parquetFile(t, []other{{}}), columns: []string{"head", "r", "Tail"}, want: `column "r" is of type DOUBLE`},
		{text: parquetFile(t, []other{{}}), columns: []string{"head", "Tail", "r"}, want: `column "Tail" is nested`},
		{
			text: parquetFile(t, []struct {
				Head    *string `parquet:"head,optional"`
				R, Tail string
			}{{&null, "r", "t"}, {nil, "r", "t"}}),
			want: `a.parquet: row 2: column "head" is null`,
		},
		{text: parquetFile(t, []edge{{0, "a", "b", "c"}, {0, "a\xff", "b", "c"}}), want: `a.parquet: row 2: column "subject" is not valid UTF-8`},
	} {
		_, _, err := listed(t, writeFile(t, t.TempDir(), "a.parquet", c.text), Options{Columns: c.columns})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}

// openSink returns a sink that gives new names ids.
func openSink() *graphSink {
	return &graphSink{
		entities:  idField{names: &idTable{kind: "entity", ids: map[string]int32{}, open: true}},
		relations: idField{names: &idTable{kind: "relation", ids: map[string]int32{}, open: true}},
	}
}

// TestParquetDamaged reads files of which a byte was changed, and files that were cut: each is
// read, or refused by name.
func TestParquetDamaged(t *testing.T) {
	read := func(data []byte) error {
		return parquetFacts(&factFile{form: &form{statements: statements{to: openSink()}}, ctx: t.Context(), path: "damaged", progress: func(int64) {}}, data)
	}
	for version, codec := range map[int]compress.Codec{1: &parquet.Uncompressed, 2: &parquet.Zstd} {
		whole := []byte(parquetFile(t, edges, parquet.DataPageVersion(version), parquet.Compression(codec)))
		require.NoError(t, read(whole))
		refused := 0
		for at := range whole {
			changed := bytes.Clone(whole)
			changed[at] ^= 0xff
			err := read(changed)
			if err != nil {
				refused++
			}
			if err != nil && !strings.HasPrefix(err.Error(), "damaged: ") {
				t.Errorf("byte %d changed: error is %v, want the name first", at, err)
			}
			if err := read(whole[:at]); err == nil || !strings.HasPrefix(err.Error(), "damaged: ") {
				t.Errorf("%d bytes: error is %v, want the name first", at, err)
			}
		}
		if refused < len(whole)/4 {
			t.Errorf("version %d, %s: %d of %d changed files were refused", version, codec, refused, len(whole))
		}
	}
}

// FuzzCSV checks that a file is read or refused.
func FuzzCSV(f *testing.F) {
	f.Add("head,relation,tail\na,b,\"c\nd\"\n")
	f.Add("a,b,c\n\n\"\"\"\",b,c\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := openSink()
		body, done, err := Decompress(strings.NewReader(text))
		if err != nil {
			return
		}
		defer done()
		if err := readCSV(&factFile{form: &form{statements: statements{to: s}}, ctx: t.Context(), path: "fuzz", text: body, progress: func(int64) {}}); err != nil && !strings.HasPrefix(err.Error(), "fuzz:") {
			t.Errorf("error is %v, want the name first", err)
		}
		if len(s.triples) > strings.Count(text, "\n")+strings.Count(text, "\r")+1 && !strings.HasPrefix(text, "BZh") {
			t.Errorf("%d facts in %q", len(s.triples), text)
		}
	})
}
