package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
)

// loadTensors lists the tensors in a pickle.
func loadTensors(data []byte) ([]candidate, error) {
	d, err := pickle.Load(data)
	if err != nil {
		return nil, err
	}
	parts, err := readStorages(d)
	if err != nil {
		return nil, err
	}
	return collectTensors(d, parts)
}

// TestCollectTensors walks over shared, cyclic and deep objects.
func TestCollectTensors(t *testing.T) {
	const tensor = "ctorch._utils\n_rebuild_tensor_v2\n((U\x07storagectorch\nFloatStorage\nK\x00U\x03cpuK\x01tQK\x00(K\x01t(K\x01tNNtR"
	// A doubled dict of doubled dicts: 2^40 paths, 40 objects.
	shared := "}"
	for range 40 {
		shared = shared + "q\x000}U\x01ah\x00sU\x01bh\x00s"
	}
	for _, c := range []struct{ name, text, want string }{
		{"module", "}U\x08_modules}U\x03embcx\ny\n)R}U\x0b_parameters}U\x06weight" + tensor + "ssbss", "emb.weight"},
		{"parameter", "}U\x01wctorch._utils\n_rebuild_parameter\n(" + tensor + "\x89NtRs", "w"},
		{"list", "]" + tensor + "a" + tensor + "a", "0 1"},
		{"tuple key", "})" + tensor + "s", "?"},
		{"ordered", "ccollections\nOrderedDict\n)RU\x01x" + tensor + "s", "x"},
		{"cycle", "]q\x00h\x00a" + tensor + "a", "1"},
		{"shared", shared, ""},
		{"deep", strings.Repeat("]", 2000) + tensor + strings.Repeat("a", 2000), ""},
	} {
		found, err := loadTensors([]byte(c.text + "."))
		var names []string
		for _, f := range found {
			names = append(names, f.name)
		}
		if got := strings.Join(names, " "); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
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

// FuzzUnpickle loads anything and looks for tensors and names in it.
func FuzzUnpickle(f *testing.F) {
	f.Add([]byte("\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x02hi\x94."))
	f.Add([]byte("ccollections\nOrderedDict\n)RU\x01x" + tensorPickle(4, 0, tuple(2, 2), tuple(2, 1)) + "s."))
	f.Add([]byte("ccopy_reg\n_reconstructor\n(cx\ny\nc__builtin__\nobject\nNtR}b."))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, _ := loadTensors(data)
		for _, x := range found {
			if _, err := x.read(); err == nil {
				t.Errorf("%q has numbers, but there is no file of them", x.name)
			}
		}
		_, _ = parsePickledNames(data, "entity")
	})
}
