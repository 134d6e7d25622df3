package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// file builds a container from a header text and data, without any checks.
func file(header string, data string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func TestParse(t *testing.T) {
	f, err := Parse(file(`{"b":{"dtype":"I32","shape":[2],"data_offsets":[4,12]},"__metadata__":{"k":"v"},"a":{"data_offsets":[0,4],"shape":[],"dtype":"F32"}}  `,
		"\x00\x00\x80\x3f\x01\x00\x00\x00\xff\xff\xff\xff"))
	require.NoError(t, err)
	if f.Metadata["k"] != "v" || len(f.Tensors) != 2 || f.Tensors[0].Name != "a" {
		t.Fatalf("got %+v", f)
	}
	a, _ := f.Tensor("a")
	b, _ := f.Tensor("b")
	if x, err := Elements[float32](a); err != nil || !slices.Equal(x, []float32{1}) || len(a.Shape) != 0 {
		t.Errorf("a is %v, %v", x, err)
	}
	if x, err := Elements[int32](b); err != nil || !slices.Equal(x, []int32{1, -1}) {
		t.Errorf("b is %v, %v", x, err)
	}
	if _, err := Elements[int32](a); err == nil {
		t.Error("read floats as integers")
	}
	if _, ok := f.Tensor("c"); ok {
		t.Error("found a tensor that is not there")
	}
}

func TestParseErrors(t *testing.T) {
	huge := file("{}", "")
	binary.LittleEndian.PutUint64(huge, 1<<63)
	const one = `{"dtype":"U8","shape":[1],"data_offsets":[0,1]}`
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"empty", "shorter than", nil},
		{"huge header", "more than the allowed", huge},
		{"truncated header", "past the end", file("{}", "")[:9]},
		{"no object", "'{'", file(`[]`, "")},
		{"no header", "'{'", file(``, "{}")},
		{"leading space", "'{'", file(` {}`, "")},
		{"bad UTF-8", "UTF-8", file("{\"\xff\":1}", "")},
		{"unfinished", "its end is missing", file(`{"a":`, "")},
		{"trailing text", "after the object", file(`{} {}`, "")},
		{"newline at the end", "after the object", file("{}\n", "")},
		{"same name twice", `field "a" stands there twice`, file(`{"a":`+one+`,"a":`+one+`}`, "x")},
		{"same field twice", `field "a.dtype" stands there twice`, file(`{"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, "x")},
		{"same key twice", `field "__metadata__.a" stands there twice`, file(`{"__metadata__":{"a":"","a":""}}`, "")},
		{"metadata number", "a number does not belong there", file(`{"__metadata__":{"a":1}}`, "")},
		{"unknown field", `unknown field "a.DType"`, file(`{"a":{"DType":"U8","shape":[1],"data_offsets":[0,1]}}`, "x")},
		{"field missing", "want dtype", file(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, "x")},
		{"three offsets", "two data_offsets", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}}`, "x")},
		{"one offset", "two data_offsets", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}`, "x")},
		{"unknown type", "unknown element type", file(`{"a":{"dtype":"X8","shape":[1],"data_offsets":[0,1]}}`, "x")},
		{"negative", "the number -1 does not belong there", file(`{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, "x")},
		{"fraction", "the number 1.0 does not belong there", file(`{"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}}`, "x")},
		{"string for number", `field "a.shape.0": this text does not belong there`, file(`{"a":{"dtype":"U8","shape":["1"],"data_offsets":[0,1]}}`, "x")},
		{"product overflows", "too large", file(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`, "")},
		{"dimension overflows", "too large", file(`{"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,0]}}`, "")},
		{"dimensions", "more than 16", file(`{"a":{"dtype":"U8","shape":[`+strings.Repeat("1,", 16)+`1],"data_offsets":[0,1]}}`, "x")},
		{"wrong length", "takes 2 bytes", file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,1]}}`, "x")},
		{"backwards", "before it starts", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}}`, "x")},
		{"past the end", "truncated", file(`{"a":`+one+`}`, "")},
		{"trailing data", "after the last", file(`{"a":`+one+`}`, "xy")},
		{"gap", "gap or overlap", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, "xy")},
		{"overlap", "gap or overlap", file(`{"a":`+one+`,"b":`+one+`}`, "x")},
	} {
		_, err := Parse(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", c.name, err, c.want)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	for _, c := range []struct {
		want    string
		tensors []Tensor
	}{
		{"taken", []Tensor{From[uint8]("a", nil), From[uint8]("a", nil)}},
		{"taken", []Tensor{From[uint8]("__metadata__", nil)}},
		{"aligned", []Tensor{From("a", []byte{1}), From("b", []int32{1})}},
		{"takes", []Tensor{{Name: "a", DType: U8, Shape: []int{2}, Data: []byte{1}}}},
	} {
		if err := Write(&bytes.Buffer{}, nil, c.tensors); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
}

// TestRoundTrip writes random tensors and reads them back, at every alignment.
func TestRoundTrip(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		floats := rapid.SliceOf(rapid.Float32()).Draw(t, "floats")
		ints := rapid.SliceOf(rapid.Int32()).Draw(t, "ints")
		halves := rapid.SliceOf(rapid.Uint16()).Draw(t, "halves")
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		meta := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "meta")
		var out bytes.Buffer
		brain := From("h", halves)
		brain.DType = BF16
		err := Write(&out, meta, []Tensor{From("f", floats, 1, len(floats)), From("<i>", ints), brain, From("t", text)})
		require.NoError(t, err)
		shift := rapid.IntRange(0, 8).Draw(t, "shift")
		data := append(make([]byte, shift), out.Bytes()...)[shift:]
		f, err := Parse(data)
		require.NoError(t, err)
		if len(f.Header)%align != 0 {
			t.Fatalf("data starts at byte %d", len(f.Header))
		}
		if fmt.Sprint(f.Metadata) != fmt.Sprint(meta) && len(meta) > 0 {
			t.Fatalf("metadata is %v, want %v", f.Metadata, meta)
		}
		a, _ := f.Tensor("f")
		b, _ := f.Tensor("<i>")
		c, _ := f.Tensor("t")
		d, _ := f.Tensor("h")
		gotF, errF := Elements[float32](a)
		gotI, errI := Elements[int32](b)
		gotH, errH := Elements[uint16](d)
		if errH != nil || !slices.Equal(gotH, halves) {
			t.Fatalf("got %v, %v", gotH, errH)
		}
		same := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
		if errF != nil || errI != nil || !slices.EqualFunc(gotF, floats, same) || !slices.Equal(gotI, ints) || !bytes.Equal(c.Data, text) {
			t.Fatalf("got %v %v %v, %v %v", gotF, gotI, c.Data, errF, errI)
		}
	})
}

// FuzzSafetensors checks that any file that Parse accepts is described in full by its tensors and
// survives being written again.
func FuzzSafetensors(f *testing.F) {
	f.Add(file(`{}`, ""))
	f.Add(file(`{"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}  `, "12345678"))
	f.Add(file(`{"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}}`, "12"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		total := len(file.Header)
		for _, tensor := range file.Tensors {
			total += len(tensor.Data)
			require.NoError(t, tensor.Check())
			if _, err := Elements[float32](tensor); (err == nil) != (tensor.DType == F32) {
				t.Fatal(err)
			}
			if _, err := Elements[uint16](tensor); (err == nil) != (tensor.DType == F16 || tensor.DType == BF16) {
				t.Fatal(err)
			}
			if _, err := Elements[int32](tensor); (err == nil) != (tensor.DType == I32) {
				t.Fatal(err)
			}
		}
		if total != len(data) {
			t.Fatalf("tensors and header are %d of %d bytes", total, len(data))
		}
		var out bytes.Buffer
		if err := Write(&out, file.Metadata, file.Tensors); err != nil {
			return // not aligned
		}
		if again, err := Parse(out.Bytes()); err != nil || len(again.Tensors) != len(file.Tensors) {
			t.Fatalf("written again: %v", err)
		}
	})
}
