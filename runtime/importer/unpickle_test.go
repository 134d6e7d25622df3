package importer

import (
	"encoding/binary"
	"fmt"
	"os"
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/nlpodyssey/gopickle/types"
)

// decode unpickles with the names of a state dict.
func decode(text string) (any, int, error) {
	return unpickle([]byte(text), findTorch, storages{}.load)
}

func TestUnpickle(t *testing.T) {
	for _, c := range []struct {
		text string
		want any
	}{
		{"N.", nil},
		{"\x80\x02\x8a\x00.", 0},
		{"\x80\x02\x8a\x01\xff.", -1},
		{"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x02hi\x94.", "hi"},
		// A frame that ends within the pickle, and another one.
		{"\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00K\x01\x95\x03\x00\x00\x00\x00\x00\x00\x00K\x020.", 1},
		{"I42\n.rest", 42},
		{"(I1\nV2\nt.", types.NewTupleFromSlice([]any{1, "2"})},
	} {
		got, length, err := decode(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q is %v, %v, want %v", c.text, got, err, c.want)
		}
		if want := strings.LastIndexByte(c.text, '.') + 1; length != want && !strings.HasSuffix(c.text, "rest") {
			t.Errorf("%q has length %d, want %d", c.text, length, want)
		}
	}
}

// TestUnpickleInert gives unknown classes everything that a pickle can: nothing
// happens.
func TestUnpickleInert(t *testing.T) {
	for _, text := range []string{
		"cos\nsystem\n(S'touch efoc-was-here'\ntR.",
		"(S'touch efoc-was-here'\nios\nsystem\n.",
		"(cos\nsystem\nS'x'\no.",
		"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x01x\x85R.",
		"\x80\x02cbuiltins\neval\nX\x01\x00\x00\x00x\x85\x81}S'a'\nK\x01sb.",
		"\x80\x04cx\ny\n)}\x92.",
		"cx\ny\n)RK\x01a(K\x01K\x02e.",      // a list
		"cx\ny\n)RK\x01K\x02s(K\x01K\x02u.", // a dict
		"\x80\x04cx\ny\n)R(K\x01\x90.",      // a set
		"cx\ny\n)R(}}tb.",                   // state of two parts
		"ccopy_reg\n_reconstructor\n(cx\ny\nc__builtin__\nobject\nNtR}b.",
		"ccopyreg\n_reconstructor\n(cx\ny\ncbuiltins\nobject\nNtR}b.",
	} {
		got, _, err := decode(text)
		if _, ok := got.(*inert); err != nil || !ok {
			t.Errorf("%q is %#v, %v", text, got, err)
		}
	}
	if _, err := os.Stat("efoc-was-here"); err == nil {
		t.Error("a pickle was executed")
	}
}

func TestUnpickleErrors(t *testing.T) {
	word := func(n uint32) string { return string(binary.LittleEndian.AppendUint32(nil, n)) }
	long := func(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }
	for _, c := range []struct{ text, want string }{
		{"", "without a stop"},
		{"N", "without a stop"},
		{"\xff.", "unknown pickle opcode 0xff at byte 0"},
		{"X" + word(1<<31-1) + ".", "argument of 2147483647 bytes, but 1 are left"},
		{"T" + word(1<<32-1) + ".", "but 1 are left"},
		{"B" + word(1<<32-1) + ".", "but 1 are left"},
		{"\x8d" + long(1<<62) + ".", "but 1 are left"},
		{"\x8e" + long(1<<64-1) + ".", "but 1 are left"},
		{"\x96" + long(1<<40) + ".", "but 1 are left"},
		{"\x95" + long(1<<40) + ".", "but 1 are left"},
		{"\x8a\xff.", "but 1 are left"},
		{"\x8b" + word(1<<20) + strings.Repeat("x", 1<<20) + ".", "more than the allowed 255"},
		{"J\x00\x00.", "argument of 4 bytes"},
		{"Ixxx", "no end of line"},
		{"cos" + strings.Repeat("x", 2*maxTextLine) + "\n\n.", "no end of line"},
		{"cos\nx", "no end of line"},
		{strings.Repeat("(", maxMarks+1) + ".", "nests deeper"},
		{strings.Repeat("N", maxOpcodes+1) + ".", "longer than"},
		{".", "stack is empty"},
		{"R.", "stack is empty"},
		{"t.", "meta stack is empty"},
		{"NNR.", "malformed pickle at byte 3: REDUCE args"},
		{"]2aN)R.", "malformed pickle"},
		{"]2a)R.", "REDUCE requires"},
		{"}(Nu.", "malformed pickle at byte 4: runtime error"},
		{"\x80\x04\x8f(C\x01x\x90.", "malformed pickle at byte 8: runtime error"},
		{"\x80\x04\x95" + long(4) + "NNR.", "malformed pickle at byte 14"},
		{"\x80\x06N.", "unsupported pickle protocol"},
		{"Pid\n.", "not a tuple"},
		{"\x82\x01.", "extension"},
		{"\x97.", "out-of-band"},
	} {
		got, _, err := decode(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500 {
			t.Errorf("%.40q is %v, error is %v, want %q", c.text, got, err, c.want)
		}
	}
}

// TestUnpickleMemory checks that no pickle takes memory out of proportion.
func TestUnpickleMemory(t *testing.T) {
	var before, after goruntime.MemStats
	for _, text := range []string{
		strings.Repeat("}", 1<<18) + ".",
		strings.Repeat("(", maxMarks) + "N.",
		"X\x00\x00\x01\x00" + strings.Repeat("x", 1<<16) + strings.Repeat("2", 1<<18) + "(t.",
	} {
		goruntime.ReadMemStats(&before)
		_, _, _ = decode(text)
		goruntime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 {
			t.Errorf("%.10q took %d MiB", text, used>>20)
		}
	}
}

// TestCollectTensors walks over shared, cyclic and deep objects.
func TestCollectTensors(t *testing.T) {
	const tensor = "ctorch._utils\n_rebuild_tensor_v2\n((S'storage'\nctorch\nFloatStorage\nK\x00S'cpu'\nK\x01tQK\x00(K\x01t(K\x01tNNtR"
	// A doubled dict of doubled dicts: 2^40 paths, 40 objects.
	shared := "}"
	for range 40 {
		shared = shared + "p0\n0}S'a'\ng0\nsS'b'\ng0\ns"
	}
	for _, c := range []struct{ name, text, want string }{
		{"module", "}S'_modules'\n}S'emb'\ncx\ny\n)R}S'_parameters'\n}S'weight'\n" + tensor + "ssbss", "emb.weight"},
		{"parameter", "}S'w'\nctorch._utils\n_rebuild_parameter\n(" + tensor + "\x89NtRs", "w"},
		{"list", "]" + tensor + "a" + tensor + "a", "0 1"},
		{"tuple key", "})" + tensor + "s", "?"},
		{"ordered", "ccollections\nOrderedDict\n)RS'x'\n" + tensor + "s", "x"},
		{"cycle", "]p0\ng0\na" + tensor + "a", "1"},
		{"shared", shared, ""},
		{"deep", strings.Repeat("]", 2000) + tensor + strings.Repeat("a", 2000), ""},
	} {
		root, _, err := decode(c.text + ".")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		found, err := collectTensors(root)
		var names []string
		for _, f := range found {
			names = append(names, f.name)
		}
		if got := strings.Join(names, " "); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// TestOpcodeTable compares the table with the opcodes that there are: 68 up to
// protocol 5.
func TestOpcodeTable(t *testing.T) {
	count := 0
	for _, op := range opcodes {
		if op.arg != argUnknown {
			count++
		}
	}
	if count != 68 {
		t.Errorf("%d opcodes, want 68", count)
	}
}

func TestPickledNames(t *testing.T) {
	table, err := parsePickledNames([]byte(pickledNames([]string{"a", "b"})), "entity")
	if err != nil || fmt.Sprint(table.names) != "[a b]" || table.placeholders() {
		t.Errorf("got %+v, %v", table, err)
	}
	for text, want := range map[string]string{
		"].":                               "not of a dict",
		"}.":                               "no entity",
		"}K\x05\x8c\x01as.":                "id 5 of",
		"}J\xff\xff\xff\xff\x8c\x01as.":    "entry 0",
		"}\x8c\x01aK\x00s.":                "entry 0",
		"}K\x00\x8c\x00s.":                 "entry 0",
		"}(K\x00\x8c\x01aK\x01\x8c\x01au.": "both named",
	} {
		if _, err := parsePickledNames([]byte(text), "entity"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", text, err, want)
		}
	}
}

// FuzzUnpickle decodes anything and walks over the result.
func FuzzUnpickle(f *testing.F) {
	f.Add([]byte("\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x02hi\x94."))
	f.Add([]byte("ccollections\nOrderedDict\n)RS'x'\n" + tensorPickle(4, 0, tuple(2, 2), tuple(2, 1)) + "s."))
	f.Add([]byte("ccopy_reg\n_reconstructor\n(cx\ny\nc__builtin__\nobject\nNtR}b."))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, length, err := unpickle(data, findTorch, storages{}.load)
		if err != nil {
			return
		}
		if length <= 0 || length > len(data) || data[length-1] != '.' {
			t.Fatalf("length is %d of %d", length, len(data))
		}
		if _, err := collectTensors(root); err != nil {
			t.Fatal(err)
		}
		_, _ = parsePickledNames(data, "entity")
	})
}
