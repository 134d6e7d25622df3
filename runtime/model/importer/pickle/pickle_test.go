package pickle_test

import (
	"bytes"
	"fmt"
	"iter"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// text prints a value as Python does, and objects as what they were made of.
func text(d *pickle.Decoder, v pickle.Value) string {
	list := func(values iter.Seq[pickle.Value]) string {
		var parts []string
		for e := range values {
			parts = append(parts, text(d, e))
		}
		if ints, ok := d.Ints(v); ok && len(ints) != len(parts) {
			return fmt.Sprintf("%d integers, but %d elements", len(ints), len(parts))
		}
		return strings.Join(parts, " ")
	}
	switch v.Kind() {
	case pickle.None:
		return "None"
	case pickle.Bool:
		truth, _ := d.Bool(v)
		return map[bool]string{true: "True", false: "False"}[truth]
	case pickle.Int, pickle.Long:
		n, _ := d.Int64(v)
		return fmt.Sprint(n)
	case pickle.Text:
		t, _ := d.Text(v)
		return "'" + t + "'"
	case pickle.Tuple:
		return "(" + list(d.Elements(v)) + ")"
	case pickle.List:
		return "[" + list(d.Elements(v)) + "]"
	case pickle.Set:
		return "{" + list(d.Elements(v)) + "}"
	case pickle.Dict:
		var parts []string
		for key, value := range d.Entries(v) {
			parts = append(parts, text(d, key)+": "+text(d, value))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case pickle.Class:
		module, name, _ := d.Class(v)
		return module + "." + name
	case pickle.Object:
		callee, args, contents, _ := d.Object(v)
		return text(d, callee) + "(" + list(slices.Values(args)) + ")" + text(d, contents)
	case pickle.Reference:
		i, _ := d.Reference(v)
		return "&" + text(d, d.References()[i])
	}
	return "?"
}

// read prints the entries of a pickle.
func read(data string) (string, error) {
	var entries []string
	err := pickle.ReadDict(strings.NewReader(data), func(d *pickle.Decoder, key, value pickle.Value) error {
		entries = append(entries, text(d, key)+": "+text(d, value))
		return nil
	})
	return strings.Join(entries, ", "), err
}

// TestReadDict reads what Python's pickle module wrote, with the given protocol.
func TestReadDict(t *testing.T) {
	for _, c := range []struct{ what, data, want string }{
		{"defaultdict(set, {(1, (2,)): {3}}), 2", "\x80\x02ccollections\ndefaultdict\nq\x00c__builtin__\nset\nq\x01\x85q\x02Rq\x03K\x01K\x02\x85q\x04\x86q\x05h\x01]q\x06K\x03a\x85q\x07Rq\x08s.", "(1 (2)): {3}"},
		{"defaultdict(set, {(1, (2,)): {3}}), 3", "\x80\x03ccollections\ndefaultdict\nq\x00cbuiltins\nset\nq\x01\x85q\x02Rq\x03K\x01K\x02\x85q\x04\x86q\x05h\x01]q\x06K\x03a\x85q\x07Rq\x08s.", "(1 (2)): {3}"},
		{"defaultdict(set, {(1, (2,)): {3}}), 4", "\x80\x04\x95E\x00\x00\x00\x00\x00\x00\x00\x8c\x0bcollections\x94\x8c\x0bdefaultdict\x94\x93\x94\x8c\x08builtins\x94\x8c\x03set\x94\x93\x94\x85\x94R\x94K\x01K\x02\x85\x94\x86\x94\x8f\x94(K\x03\x90s.", "(1 (2)): {3}"},
		{"{}", "\x80\x03}.", ""},
		{"{-2: 70000}", "\x80\x03}J\xfe\xff\xff\xffJp\x11\x01\x00s.", "-2: 70000"},
		{"LONG1", "\x80\x03}\x8a\x01\xfe\x8a\x00s.", "-2: 0"},
		{"a set of both kinds, its list grown twice", "\x80\x03}K\x01](K\x07M\x00\x01eX\x01\x00\x00\x00xaK\x09as.", "1: [7 256 'x' 9]"},
		{"the empty tuple and one of four", "\x80\x03})(K\x01K\x02K\x03K\x04ts.", "(): (1 2 3 4)"},
	} {
		got, err := read(c.data)
		if err != nil || got != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.what, got, err, c.want)
		}
	}
}

func TestReadDictErrors(t *testing.T) {
	for _, c := range []struct{ what, data, want string }{
		{"an end in a number", "\x80\x03}M\x01", "byte 3: opcode BININT2: the file ends within"},
		{"protocol 0", "(dp0\n.", "byte 1: opcode 0x64 is unknown or not allowed"},
		{"a call of the system", "\x80\x03cos\nsystem\nX\x02\x00\x00\x00ls\x85R.", "byte 2: opcode GLOBAL: class os.system is not allowed"},
		{"the same in protocol 4", "\x80\x04\x8c\x02os\x8c\x06system\x93.", `class os.system is not allowed`},
		{"an object", "\x80\x03}(K\x01b.", "byte 6: opcode BUILD is not allowed"},
		{"a persistent id", "\x80\x03K\x01Q.", "opcode BINPERSID is not allowed"},
		{"a long text", "\x80\x03}X\xff\xff\xff\x7fab", "a text of 2147483647 bytes"},
		{"a long number", "\x80\x03}\x8a\xff", "an integer of 255 bytes"},
		{"a number over an id", "\x80\x03}\x8a\x05\x00\x00\x00\x00\x01K\x01s.", "integer 4294967296"},
		{"a number below", "\x80\x03}\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80K\x01s.", "integer -9223372036854775808"},
		{"a gap in the memo", "\x80\x03}r\x00\x00\x00\x7f.", "stores value 2130706432 of a memo of 0"},
		{"a tuple beyond the mark", "\x80\x03K\x01(\x85.", "too few values"},
		{"items of a list", "\x80\x03](K\x01K\x02u.", "sets items of a list"},
		{"elements of a dict", "\x80\x03}K\x01a.", "adds to a dict"},
		{"a list that is a set", "\x80\x03](\x90.", "adds to a list, want a set"},
		{"a dict within", "\x80\x03}K\x01}s.", "a nested dict, want only the outer one"},
		{"a list alone", "\x80\x03].", "not of a dict"},
		{"a call of a number", "\x80\x03K\x01)R.", "calls an integer"},
		{"a set of a number", "\x80\x03cbuiltins\nset\nK\x01\x85R.", "unknown arguments"},
	} {
		_, err := read(c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %s", c.what, err, c.want)
		}
	}
}

// TestItemError checks that an error of the caller's is handed through.
func TestItemError(t *testing.T) {
	own := fmt.Errorf("own")
	err := pickle.ReadDict(strings.NewReader("\x80\x03}K\x01K\x02s."), func(*pickle.Decoder, pickle.Value, pickle.Value) error { return own })
	if err != own {
		t.Errorf("error is %v", err)
	}
}

// TestPython reads what Python writes with every protocol.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3")
	}
	cmd := exec.Command(python, "-c", `
import pickle, sys
from collections import defaultdict
d = defaultdict(set)
for i, n in enumerate([0, 255, 256, 65535, 65536, 2**31 - 1, -2]):
    d[(n, ("r",) * i)] = set(range(i))
for p in range(2, 6):
    sys.stdout.write(pickle.dumps(d, p).hex() + "\n")
`)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "(0 ()): {}, (255 ('r')): {0}, (256 ('r' 'r')): {0 1}, (65535 ('r' 'r' 'r')): {0 1 2}, " +
		"(65536 ('r' 'r' 'r' 'r')): {0 1 2 3}, (2147483647 ('r' 'r' 'r' 'r' 'r')): {0 1 2 3 4}, (-2 ('r' 'r' 'r' 'r' 'r' 'r')): {0 1 2 3 4 5}"
	lines := strings.Fields(string(out))
	if len(lines) != 4 {
		t.Fatalf("%d pickles", len(lines))
	}
	for i, line := range lines {
		var data []byte
		if _, err := fmt.Sscanf(line, "%x", &data); err != nil {
			t.Fatal(err)
		}
		if got, err := read(string(data)); err != nil || got != want {
			t.Errorf("protocol %d: got %s, %v", i+2, got, err)
		}
	}
}

// FuzzReadDict reads anything, and looks at every entry without going deep.
func FuzzReadDict(f *testing.F) {
	f.Add([]byte("\x80\x03ccollections\ndefaultdict\nq\x00cbuiltins\nset\nq\x01\x85RK\xffX\x01\x00\x00\x00rq\x02\x85\x86h\x01](K\x00e\x85Rs."))
	f.Add([]byte("\x80\x04\x95E\x00\x00\x00\x00\x00\x00\x00\x8c\x0bcollections\x94\x8c\x0bdefaultdict\x94\x93\x94)R\x94K\x01\x8f\x94(K\x03\x90s."))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = pickle.ReadDict(bytes.NewReader(data), func(d *pickle.Decoder, key, value pickle.Value) error {
			for _, v := range []pickle.Value{key, value} {
				if elements, ok := d.Tuple(v); ok && len(elements) > len(data) {
					t.Errorf("a tuple of %d in %d bytes", len(elements), len(data))
				}
				n := len(slices.Collect(d.Elements(v)))
				if ints, ok := d.Ints(v); ok && len(ints) != n {
					t.Errorf("%d integers of %d elements", len(ints), n)
				}
			}
			return nil
		})
	})
}
