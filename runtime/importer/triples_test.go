package importer

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func itoa(i int) string { return strconv.Itoa(i) }

// entries lists "name": id pairs of JSON.
func entries(prefix string, n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%q:%d", prefix+itoa(i), i))
	}
	return strings.Join(list, ",")
}

// numberedNames lists names that repeat their numbers behind a prefix.
func numberedNames(prefix string, n int) []string {
	var list []string
	for i := range n {
		list = append(list, prefix+itoa(i))
	}
	return list
}

// pickledNames is a dict from number to name.
func pickledNames(names []string) string {
	var text strings.Builder
	text.WriteString("\x80\x02}(")
	for i, name := range names {
		fmt.Fprintf(&text, "K%cX%c\x00\x00\x00%s", i, len(name), name)
	}
	return text.String() + "u."
}

func TestFields(t *testing.T) {
	for line, want := range map[string][]string{
		"a b c":       {"a", "b", "c"},
		" a  b\u00a0": {"a", "b"},
		"a\tb c\td":   {"a", "b c", "d"},
		"a\t\tb":      {"a", "", "b"},
		"":            nil,
	} {
		var got []string
		for _, f := range fields([]byte(line), nil) {
			got = append(got, string(f))
		}
		if !slices.Equal(got, want) {
			t.Errorf("fields(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestKGIndexErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                              "unexpected end",
		`{"e":{},"r":{}}`:                "no entity",
		`{"e":{"a":0},"r":{"x":0}}`:      "even number",
		`{"e":{"a":-1},"r":{}}`:          "id 2147483647 of \"a\"",
		`{"e":{"a":0,"b":0},"r":{}}`:     "id 0 is given to \"a\" and to \"b\"",
		`{"e":{"a":0},"r":{"x":"zero"}}`: "cannot unmarshal",
		`{"e":{"":0,"a":0},"r":{}}`:      "the name of id 0 is empty",
	} {
		dir := t.TempDir()
		writeFile(t, dir, "kgindex.json", text)
		_, err := importRing(t, Options{Graph: dir, Checkpoint: smallRing.checkpoint(t, t.TempDir())})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "kgindex.json") {
			t.Errorf("%s: error is %v, want %q", text, err, want)
		}
	}
}

// FuzzTriples reads any text as triples by name, by number, and in both
// directions.
func FuzzTriples(f *testing.F) {
	f.Add([]byte("a\tr\tb\n"), uint8(0))
	f.Add([]byte("0 0 1\r\n1 1 0\n"), uint8(2))
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x54\x28\x52\x48\xe2\x02\x00"), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, kind uint8) {
		r := &tripleReader{}
		switch kind % 3 {
		case 0:
			table, err := newIDTable("entity", []idRow{{0, "a", ""}, {1, "b", ""}, {2, "r", ""}})
			if err != nil {
				t.Fatal(err)
			}
			r.entities, r.relations = table, table
		case 1:
			r.n, r.directed = 3, 3
		case 2:
			r.both, r.directed = true, 6
		}
		if err := scanLines(context.Background(), "fuzz", strings.NewReader(string(text)), r.line, func(int64) {}); err != nil {
			return
		}
		triples, err := r.finish()
		if err != nil {
			return
		}
		for _, x := range triples {
			if x.Relation < 0 || x.Relation > 2 && kind%3 != 1 || x.Head < 0 || x.Tail < 0 || r.n > 0 && int(x.Head) >= r.n {
				t.Fatalf("triple %v", x)
			}
		}
		if len(without(slices.Clone(triples), triples)) != 0 {
			t.Fatal("a set without itself is not empty")
		}
	})
}

// FuzzIDTable reads any line as a row of an id table.
func FuzzIDTable(f *testing.F) {
	f.Add("0\ta\tlabel\n1\tb")
	f.Add("1 b\n0 a")
	f.Add("id\tlabel\n0\ta\n1\tb")
	f.Add("a\t1\nb\t0")
	f.Fuzz(func(t *testing.T, text string) {
		lines := &idRows{}
		for line := range strings.Lines(text) {
			if lines.line([]byte(strings.TrimSuffix(line, "\n"))) != nil {
				return
			}
		}
		table, err := newIDTable("entity", lines.rows)
		if err != nil {
			return
		}
		for id, name := range table.names {
			if got, err := table.find([]byte(name)); err != nil || int(got) != id {
				t.Fatalf("%q is %d, %v, want %d", name, got, err, id)
			}
		}
		if names, err := table.build(); err == nil && names.Len() != len(lines.rows) {
			t.Fatalf("%d names of %d rows", names.Len(), len(lines.rows))
		}
	})
}

// FuzzKGIndex reads anything as a kgindex.json.
func FuzzKGIndex(f *testing.F) {
	f.Add([]byte(`{"e":{"a":0,"b":1},"r":{"+r":0,"-r":1}}`))
	f.Add([]byte(`{"e":{"0":0,"":0},"r":{"":0,"0":0}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		entities, relations, err := parseIndex(text)
		if err != nil {
			return
		}
		for _, table := range []*idTable{entities, relations} {
			if len(table.names) != len(table.ids) || table.agree(table) != nil {
				t.Fatalf("table %+v", table)
			}
		}
	})
}
