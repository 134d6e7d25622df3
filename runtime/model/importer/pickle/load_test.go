package pickle_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// load prints what a pickle holds.
func load(data string) (string, int, error) {
	d, err := pickle.Load([]byte(data))
	if err != nil {
		return "", 0, err
	}
	return text(d, d.Root()), d.Length(), nil
}

func TestLoad(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"N.", "None"},
		{"\x80\x02\x8a\x00.", "0"},
		{"\x80\x02\x8a\x01\xff.", "-1"},
		{"\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.", "-9223372036854775808"},
		{"\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", "?"},
		{"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x02hi\x94.", "'hi'"},
		// A frame that ends within the pickle, and another one.
		{"\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00K\x01\x95\x03\x00\x00\x00\x00\x00\x00\x00K\x020.", "1"},
		{"(K\x01U\x012\x88t.", "(1 '2' True)"},
		{"K\x05(0.", "5"},
		{"K\x05(NN1.", "5"},
		// The memo of Python 2 counts from 1.
		{"\x80\x02U\x01aq\x01h\x01\x86.", "('a' 'a')"},
		{"(K\x01\x91.", "[1]"},
		{"B\x02\x00\x00\x00..C\x01.\x86\x8e\x01\x00\x00\x00\x00\x00\x00\x00.\x86.", "((? ?) ?)"},
		{"(U\x07storageK\x01tQ.", "&('storage' 1)"},
	} {
		got, length, err := load(c.data + "rest")
		if err != nil || got != c.want || length != len(c.data) {
			t.Errorf("%q is %s, %v of length %d, want %s of %d", c.data, got, err, length, c.want, len(c.data))
		}
	}
}

// TestLoadObjects reads what Python would execute: it is kept as data.
func TestLoadObjects(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"cos\nsystem\n(U\x13touch efoc-was-heretR.", "os.system('touch efoc-was-here')[]"},
		{"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x01x\x85R.", "os.system('x')[]"},
		{"\x80\x02cbuiltins\neval\nX\x01\x00\x00\x00x\x85\x81}U\x01aK\x01sb.", "builtins.eval('x')[{'a': 1}]"},
		{"\x80\x04cx\ny\n)}\x92.", "x.y()[{}]"},
		{"cx\ny\n)RK\x01a(K\x01K\x02e.", "x.y()[1 1 2]"},
		{"cx\ny\n)RK\x01K\x02s(K\x01K\x02u.", "x.y()[{1: 2} {1: 2}]"},
		{"\x80\x04cx\ny\n)R(K\x01\x90.", "x.y()[1]"},
		{"cx\ny\n)R(}}tb.", "x.y()[({} {})]"},
		{"ccopy_reg\n_reconstructor\n(cx\ny\nc__builtin__\nobject\nNtR}b.", "copy_reg._reconstructor(x.y __builtin__.object None)[{}]"},
		{"cx\ny\n)R)R.", "x.y()[]()[]"},
		{"(U\x06modulecx\ny\ntQ)R.", "&('module' x.y)()[]"},
	} {
		if got, _, err := load(c.data); err != nil || got != c.want {
			t.Errorf("%q is %s, %v, want %s", c.data, got, err, c.want)
		}
	}
	if _, err := os.Stat("efoc-was-here"); err == nil {
		t.Error("a pickle was executed")
	}
}

func TestLoadErrors(t *testing.T) {
	word := func(n uint32) string { return string(binary.LittleEndian.AppendUint32(nil, n)) }
	long := func(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }
	for _, c := range []struct{ data, want string }{
		{"", "byte 0: the file ends within"},
		{"N", "byte 1: the file ends within"},
		{"\xff.", "byte 0: opcode 0xff is unknown"},
		{"X" + word(1<<31-1) + ".", "byte 0: opcode BINUNICODE: a text of 2147483647 bytes, want at most 6"},
		{"X" + word(3) + ".", "opcode BINUNICODE: the file ends within"},
		{"T" + word(1<<32-1) + ".", "a text of 4294967295 bytes"},
		{"B" + word(1<<32-1) + ".", "opcode BINBYTES: the file ends within"},
		{"\x8d" + long(1<<62) + ".", "a text of 4611686018427387904 bytes"},
		{"\x8e" + long(1<<64-1) + ".", "opcode BINBYTES8: the file ends within"},
		{"\x96" + long(1<<40) + ".", "opcode BYTEARRAY8: the file ends within"},
		{"\x8a\xff.", "opcode LONG1: the file ends within"},
		{"\x8b" + word(1<<31) + ".", "opcode LONG4: the file ends within"},
		{"J\x00\x00.", "opcode BININT: the file ends within"},
		{"cos" + strings.Repeat("x", 5000) + "\n\n.", "longer than 4096 bytes"},
		{"cos\nx", "opcode GLOBAL: the file ends within"},
		{".", "byte 0: opcode STOP: 0 values"},
		{"NN.", "2 values and 0 marks are left"},
		{"N(.", "1 values and 1 marks are left"},
		{"R.", "too few values"},
		{"0.", "no mark is open"},
		{"1.", "no mark is open"},
		{"Q.", "too few values"},
		{"b.", "too few values"},
		{"t.", "no mark is open"},
		{"NNR.", "byte 2: opcode REDUCE: calls None with None"},
		{"N)R.", "opcode REDUCE: calls None with a tuple"},
		{"])R.", "calls a list"},
		{"NNb.", "adds to None, want an object"},
		{"}(Nu.", "byte 3: opcode SETITEMS: a key without a value"},
		{"I1\n.", "byte 0: opcode 0x49 is unknown or not allowed"},
		{"\x80\x04\x95" + long(4) + "NNR.", "byte 13: opcode REDUCE"},
		{"\x80\x06N.", "protocol 6, want at most 5"},
		{"Nq\x09.", "stores value 9 of a memo of 0"},
		{"Nq\x010h\x00.", "fetches value 0, which was never stored"},
		{"\x82\x01.", "byte 0: opcode 0x82 is unknown or not allowed"},
		{"\x97.", "opcode 0x97 is unknown or not allowed"},
	} {
		got, _, err := load(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500 {
			t.Errorf("%.40q is %.100s, error is %v, want %q", c.data, got, err, c.want)
		}
	}
}

// TestLoadMemory checks that no pickle takes memory out of proportion.
func TestLoadMemory(t *testing.T) {
	var before, after runtime.MemStats
	for _, data := range []string{
		strings.Repeat("}", 1<<18) + ".",
		strings.Repeat("(", 1<<18) + "N.",
		"X\x00\x00\x01\x00" + strings.Repeat("x", 1<<16) + "q\x00" + strings.Repeat("h\x00", 1<<17) + "(t.",
		// Names are not copied into every class.
		"X\x00\x00\x01\x00" + strings.Repeat("x", 1<<16) + "q\x000" + strings.Repeat("h\x00h\x00\x93", 1<<16) + ".",
		"cx\ny\n" + strings.Repeat(")R", 1<<17) + ".",
		strings.Repeat("N", 1<<18) + strings.Repeat("r\xff\xff\x03\x00", 1<<10) + ".",
	} {
		runtime.ReadMemStats(&before)
		_, _ = pickle.Load([]byte(data))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 400*uint64(len(data)) {
			t.Errorf("%.10q took %d MiB for %d KiB", data, used>>20, len(data)>>10)
		}
	}
}

// TestLoadPython reads what Python writes with every binary protocol since 2.
func TestLoadPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	out, err := exec.Command(python, "-c", `
import pickle, sys, collections
shared = [1]
for value, text in (
    ({"a": [1, -2, 300, 70000, -2**40, 2**63-1], "e": (None, True, False), 7: {"b": {}}}, "{'a': [1 -2 300 70000 -1099511627776 9223372036854775807] 'e': (None True False) 7: {'b': {}}}"),
    ([2**70, -2**300, 0.5], "[? ? ?]"),
    ((), "()"), ((1,), "(1)"), ((1, 2, 3, 4), "(1 2 3 4)"), ("x" * 300, "'" + "x" * 300 + "'"),
    ([shared, shared], "[[1] [1]]"), (list(range(2500)), "[" + " ".join(map(str, range(2500))) + "]"),
    (collections.OrderedDict(a=1), "collections.OrderedDict()[{'a': 1}]"),
):
    for protocol in range(2, 6):
        sys.stdout.write(pickle.dumps(value, protocol).hex() + "\t" + text.encode().hex() + "\n")
`).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 9*4 {
		t.Fatalf("%d pickles", len(lines))
	}
	for i, line := range lines {
		var data, want []byte
		if _, err := fmt.Sscanf(line, "%x\t%x", &data, &want); err != nil {
			t.Fatal(err)
		}
		if got, length, err := load(string(data)); err != nil || got != string(want) || length != len(data) {
			t.Errorf("protocol %d: got %s of length %d, %v, want %s of %d", 2+i%4, got, length, err, want, len(data))
		}
	}
}

// FuzzLoad reads anything.
func FuzzLoad(f *testing.F) {
	for _, data := range []string{
		"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x02hi\x94.",
		"cx\ny\n)R(K\x01K\x02u(}}tb.", "(U\x07storagecx\ny\n\x88tQ.",
		"\x80\x04cx\ny\n)}\x92(K\x01\x91\x85.",
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := pickle.Load(data)
		if err != nil {
			return
		}
		if n := d.Length(); n <= 0 || n > len(data) || data[n-1] != '.' {
			t.Fatalf("length is %d of %d", n, len(data))
		}
		for _, v := range append(d.References(), d.Root()) {
			n := 0
			for range d.Elements(v) {
				n++
			}
			for range d.Entries(v) {
				n++
			}
			if _, args, contents, ok := d.Object(v); ok {
				n += len(args)
				for range d.Elements(contents) {
					n++
				}
			}
			if n > len(data) {
				t.Errorf("%v of %d in %d bytes", v.Kind(), n, len(data))
			}
		}
	})
}
