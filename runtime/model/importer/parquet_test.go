package importer

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"

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
		"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd,
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
		{text: parquetFile(t, edges, parquet.Compression(&parquet.Brotli)), want: "compression BROTLI, want none, SNAPPY, GZIP or ZSTD"},
		{
			text: parquetFile(t, []struct {
				S [16]byte `parquet:"s,delta"`
				P string   `parquet:"p"`
				O string   `parquet:"o"`
			}{{[16]byte{'a'}, "b", "c"}}),
			want: "write the column again in plain or dictionary encoding",
		},
	} {
		_, _, err := listed(t, writeFile(t, t.TempDir(), "a.parquet", c.text), Options{Columns: c.columns})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}

// TestParquetClaims has headers of pages and footers that claim more than is there.
func TestParquetClaims(t *testing.T) {
	varint := func(v int64) string { return string(binary.AppendVarint(nil, v)) }
	page := func(plain, compressed, values, encoding int64) string {
		// type, plain size, compressed size, then the header of a data page
		return "\x15" + varint(0) + "\x15" + varint(plain) + "\x15" + varint(compressed) + "\x2c\x15" + varint(values) + "\x15" + varint(encoding) + "\x15\x06\x15\x06\x00\x00"
	}
	for _, c := range []struct{ header, body, want string }{
		{page(4, 4, 1, 0), "abcd", ""},
		{page(4, 1<<30, 1, 0), "abcd", "1073741824 bytes, but 4 are left"},
		{page(1<<30, 4, 1, 0), "abcd", "1073741824 bytes without compression, want at most"},
		{page(5, 4, 1, 0), "abcd", "4 bytes without compression, but the page says 5"},
		{page(4, 4, 1<<30, 0), "abcd", "1073741824 values, want at most"},
		{page(4, 4, -1, 0), "abcd", "-1 values"},
		{page(4, 4, 1, 7), "abcd", "encoding DELTA_BYTE_ARRAY"},
		{page(4, 4, 1, 6), "\x80\x01\x04\x01", ""},
		{page(4, 4, 1, 6), "\x80\x01\x04\x02", "2 differences in blocks of 128 by 4, in a page of 1 values"},
		{page(4, 4, 1, 5), "\x80\x01\x00\x01", "1 differences in blocks of 128 by 0"},
		{page(4, 4, 1, 5), "\xff\xff\xff\xff", "differences without their number"},
		{"\x15\x02\x15\x08\x15\x08\x00", "abcd", "a page of kind 1 without its header"},
		{"\x18\xff\xff\xff\xff\x07", "", "byte 6: unexpected EOF"},
		{"\x19\xfc\xff\xff\xff\xff\x07", "", "unexpected EOF"},
		{strings.Repeat("\x1c", 100), "", "too deep"},
		{"\x1d", "", "type 13"},
	} {
		data := []byte(c.header + c.body)
		err := checkPages(slices.Concat([]byte("PAR1"), data), &format.ColumnMetaData{DataPageOffset: 4, TotalCompressedSize: int64(len(data))}, false)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error is %v, want %s", c.header, err, c.want)
		}
	}
	// What grows without end when it is unpacked is stopped at what the page says.
	bomb := gzipped(t, strings.Repeat("x", 1<<20))
	h := format.PageHeader{UncompressedPageSize: 100}
	h.DataPageHeader.Valid = true
	if err := checkPage(&h, []byte(bomb), format.Gzip, false); err == nil || !strings.Contains(err.Error(), "101 bytes without compression, but the page says 100") {
		t.Errorf("error is %v", err)
	}
}

// FuzzParquet checks that a file is read or refused.
func FuzzParquet(f *testing.F) {
	for _, version := range []int{1, 2} {
		for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Zstd} {
			f.Add([]byte(parquetFile(f, edges, parquet.DataPageVersion(version), parquet.Compression(codec))))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &tripleReader{entities: &idTable{kind: "entity", ids: map[string]int32{}, open: true}}
		r.relations = &idTable{kind: "relation", ids: map[string]int32{}, open: true}
		err := parquetFacts(context.Background(), "fuzz", data, r, func(int64) {})
		if err != nil && !strings.HasPrefix(err.Error(), "fuzz: ") {
			t.Errorf("error is %v, want the name first", err)
		}
	})
}

// FuzzCSV checks the same of CSV.
func FuzzCSV(f *testing.F) {
	f.Add("head,relation,tail\na,b,\"c\nd\"\n")
	f.Add("a,b,c\n\n\"\"\"\",b,c\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := &tripleReader{entities: &idTable{kind: "entity", ids: map[string]int32{}, open: true}}
		r.relations = &idTable{kind: "relation", ids: map[string]int32{}, open: true}
		body, done, err := Decompress(strings.NewReader(text))
		if err != nil {
			return
		}
		defer done()
		if err := readCSV(context.Background(), "fuzz", body, r, func(int64) {}); err != nil && !strings.HasPrefix(err.Error(), "fuzz:") {
			t.Errorf("error is %v, want the name first", err)
		}
		if len(r.triples) > strings.Count(text, "\n")+strings.Count(text, "\r")+1 && !strings.HasPrefix(text, "BZh") {
			t.Errorf("%d facts in %q", len(r.triples), text)
		}
	})
}
