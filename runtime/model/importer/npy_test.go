package importer

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// npy is a NumPy file of rows of the given width.
func npy(descr string, values []float32, width int) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, len(values)/width, width)
	data, _ := binary.Append(nil, binary.LittleEndian, values)
	return npyFile(1, header, string(data))
}

// npyFile is a NumPy file with the given header.
func npyFile(version byte, header, data string) string {
	text := "\x93NUMPY" + string(version) + "\x00"
	header += "\n"
	if version == 1 {
		return text + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header + data
	}
	return text + string(binary.LittleEndian.AppendUint32(nil, uint32(len(header)))) + header + data
}

func TestNPY(t *testing.T) {
	const four = "\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f\x00\x00\x80\x3f"
	header := func(shape string) string {
		return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }"
	}
	for text, want := range map[string]string{
		npyFile(1, header("(2, 2)"), four):                                                    "[2 2]",
		npyFile(2, header("(4,)"), four):                                                      "[4]",
		npyFile(3, header("(2, 2)"), four):                                                    "[2 2]",
		npyFile(1, header("()"), four[:4]):                                                    "[]",
		npyFile(1, header("(0, 9)"), ""):                                                      "[0 9]",
		"\x93NUMPY":                                                                           "truncated",
		"\x93NUMPY\x01\x00\xff\xff{'descr'  ":                                                 "header of 65535 bytes, but 10 are left",
		"\x93NUMPY\x02\x00\xff\xff\xff\xff{}":                                                 "header of 4294967295 bytes, but 2 are left",
		npyFile(4, header("(4,)"), four):                                                      "version 4.0",
		npyFile(1, "{'descr': 'x'}", four):                                                    "does not describe an array",
		npyFile(1, header("(2, 3)"), four):                                                    "takes 24 bytes, but there are 16",
		npyFile(1, header("(2147483647, 2147483647, 2147483647)"), four):                      "too large",
		npyFile(1, header("(99999999999999999999,)"), four):                                   "too large",
		npyFile(1, header("(1,1,1,1,1,1,1,1,1)"), four):                                       "too large",
		npyFile(1, header("(-2, 2)"), four):                                                   "does not describe an array",
		npyFile(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 2), }", four):       "little-endian floating-point",
		npyFile(1, "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }", four):        "little-endian floating-point",
		npyFile(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", four):        "Fortran order",
		npyFile(1, "{'descr': __import__('os'), 'fortran_order': True, 'shape': (2,), }", ""): "does not describe an array",
	} {
		tensor, err := parseNPY([]byte(text))
		got := fmt.Sprint(tensor.Shape)
		if err != nil {
			got = err.Error()
		} else if err := tensor.Check(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%.60q: got %s, want %s", text, got, want)
		}
	}
}

// TestImportNPYErrors names both files of a pair.
func TestImportNPYErrors(t *testing.T) {
	graph := smallRing.namedFolder(t, t.TempDir())
	w := 2 * smallRing.d
	e, _ := smallRing.tables()
	dir := t.TempDir()
	path := writeFile(t, dir, "r_entity.npy", npy("<f4", e, w))
	if _, err := importRing(t, Options{Graph: graph, Checkpoints: []string{path}}); err == nil || !strings.Contains(err.Error(), "r_relation.npy: no such file") {
		t.Errorf("error is %v", err)
	}
	path = writeFile(t, dir, "table.npy", npy("<f4", e, w))
	if _, err := importRing(t, Options{Graph: graph, Checkpoints: []string{path}}); err == nil || !strings.Contains(err.Error(), `there are "table.npy" F32 [12 8]`) {
		t.Errorf("error is %v", err)
	}
}

// FuzzNPY reads anything as a NumPy file.
func FuzzNPY(f *testing.F) {
	f.Add([]byte(npy("<f4", []float32{1, 2, 3, 4}, 2)))
	f.Add([]byte(npyFile(2, "{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }", "12345678")))
	f.Fuzz(func(t *testing.T, data []byte) {
		tensor, err := parseNPY(data)
		if err != nil {
			return
		}
		require.NoError(t, tensor.Check())
	})
}
