package importer

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/testdata/require"
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

func TestSeparator(t *testing.T) {
	for _, c := range []struct {
		separator  Separator
		line, want string // fields between bars, or an error
	}{
		{"", "New York City", "New York City"},
		{"", "# note", "# note"},
		{"", "a\tb c\td", "a|b c|d"},
		{tabSeparator, "a\t\tb", "a||b"},
		{tabSeparator, "a\tb,c\t\"d\"", `a|b,c|"d"`},
		{spaceSeparator, "a b c", "a|b|c"},
		{spaceSeparator, " a  b\u00a0", "a|b"},
		{spaceSeparator, "New York\tin\tUSA", "a tab in a line"},
		{",", `"Paris, France",in,Europe`, "Paris, France|in|Europe"},
		{",", "a\tb,c,d", "a\tb|c|d"},
		{",", `the "big" one,in,b`, "column 5: bare"},
		{"|", "a||b", "a||b"},
		{";", `"a;b;c`, "quote"},
	} {
		parts, err := c.separator.Fields([]byte(c.line), nil)
		got := string(bytes.Join(parts, []byte("|")))
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("fields of %q, separated by %s: %q, want %q", c.line, c.separator, got, c.want)
		}
	}
	for s, valid := range map[Separator]bool{
		"": true, "tab": true, "space": true, ",": true, "·": true,
		" ": false, "\t": false, "a": false, "7": false, "\"": false, ",,": false, "\xff": false, "comma": false,
	} {
		if err := s.Check(); err == nil != valid {
			t.Errorf("separator %q: %v", string(s), err)
		}
	}
}

// TestMisread checks that a malformed triple is an error at its position, for every
// reader of triples by name, and never a fact.
func TestMisread(t *testing.T) {
	for _, c := range []struct {
		separator  Separator
		text, want string // facts, or an error
	}{
		{"", "New York City\n", `train.tsv:1: 1 field in "New York City", want head, relation and tail, separated by tabs (if blanks separate them, set separator=space)`},
		{"", "a\tr\tb\n# note about this\n", `train.tsv:2: 1 field in "# note about this"`},
		{"", "a\tr\tb\n\nb\tr\n", `train.tsv:3: 2 fields in "b\tr", want`},
		{"", "a,r,b\n", `(if "," separates them, set separator=,)`},
		{"", "a\tr\tb\tc\n", "train.tsv:1: 4 fields"},
		{"", "a\t\tb\n", "train.tsv:1: the name of the relation is empty"},
		{"", "a\tr\tb\na\tr\tb\n", "a r b"},
		{"", "head\trelation\ttail\na\tr\tb\n", "a r b"},
		{"", "#Subject\tPredicate\tObject\na\tr\tb\n", "a r b"},
		{"", "source\ttarget\trelation\na\tb\tr\n", "a r b"},
		{"", "h\tr\tt\na\tr\tb\n", `train.tsv: the first line, h r t, looks like the names of the columns, but other facts have the relation "r" too`},
		{"", "a\tr\tb\nhead\trelation\ttail\n", "a r b, head relation tail"},
		{spaceSeparator, "a r b\n", "a r b"},
		{spaceSeparator, "New York City\n", "New York City"}, // who says so gets it
		{spaceSeparator, "New York in USA\n", `train.tsv:1: 4 fields in "New York in USA", want head, relation and tail, separated by blanks`},
		{",", "head,relation,tail\n\"Paris, France\",in,Europe\n", "Paris, France in Europe"},
	} {
		facts, _, err := listed(t, writeFile(t, t.TempDir(), "train.tsv", c.text), Options{Separator: c.separator})
		if err != nil {
			facts = []string{err.Error()}
		}
		if got := strings.Join(facts, ", "); got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestNotes checks that skipped lines are reported.
func TestNotes(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"train.csv", "person,is,city\nada,lives in,rome\nbob,lives in,rome\n", "train.csv: the first line, person is city, was read as a fact: if it names the columns, set columns=person,is,city"},
		{"train.csv", "ada,knows,bob\nada,lives in,rome\nbob,lives in,rome\n", ""},
		{"train.tsv", "head\trelation\ttail\na\tr\tb\na\tr\tb\na\tr\tc\n", "train.tsv: the first line, head relation tail, was read as the names of the columns\ntrain.tsv: 1 repeated facts were left out"},
		{"train.nt", "# a comment\n<http://x.org/a> <http://x.org/r> <http://x.org/b> . # and another\n<http://x.org/a> <http://x.org/r> \"b\" .\n", "train.nt: 1 statements about literals were left out: 1 of http://x.org/r (literals=values reads numbers and dates, literals=keep makes all entities)"},
	} {
		dir := t.TempDir()
		writeFile(t, dir, c.file, c.text)
		var notes []string
		note := func(text string) { notes = append(notes, strings.TrimPrefix(text, dir+string(filepath.Separator))) }
		if _, err := ReadDataset(t.Context(), Options{Graph: dir, Note: note}, SplitFiles{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(notes, "\n"); got != c.want {
			t.Errorf("%s: notes are %q, want %q", c.file, got, c.want)
		}
		// Nobody need listen.
		if _, err := ReadDataset(t.Context(), Options{Graph: dir}, SplitFiles{}); err != nil {
			t.Error(err)
		}
	}
}

// TestColumnsAsFacts expects a table to be refused whose second column would make too many relations, unless the columns are
// stated.
func TestColumnsAsFacts(t *testing.T) {
	text := "airport,elevation,lat\n"
	for i := range 300 {
		text += fmt.Sprintf("a%d,%d,%d.5\n", i, i%150, i%90)
	}
	path := writeFile(t, t.TempDir(), "air.csv", text)
	_, err := ReadDataset(t.Context(), Options{Graph: path}, SplitFiles{})
	if want := "air.csv:1: the first line, airport elevation lat, names columns"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %s", err, want)
	}
	_, err = ReadDataset(t.Context(), Options{Graph: path, Columns: []string{"airport", "elevation", "lat"}}, SplitFiles{})
	require.NoError(t, err)
}

func TestKGIndexErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                              "its end is missing",
		`{"e":{},"r":{}}`:                "no entity",
		`{"e":{"a":0},"r":{"x":0}}`:      "even number",
		`{"e":{"a":-1},"r":{}}`:          "id -1 of \"a\"",
		`{"e":{"a":0,"b":0},"r":{}}`:     "id 0 is given to \"a\" and to \"b\"",
		`{"e":{"a":0},"r":{"x":"zero"}}`: "does not belong there",
		`{"e":{"":0,"a":0},"r":{}}`:      "the name of id 0 is empty",
	} {
		dir := t.TempDir()
		writeFile(t, dir, "kgindex.json", text)
		_, err := importRing(t, Options{Graph: dir, Checkpoints: []string{smallRing.checkpoint(t, t.TempDir())}})
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
		r := &graphSink{}
		switch kind % 3 {
		case 0:
			table, err := newIDTable("entity", []idRow{{0, "a", ""}, {1, "b", ""}, {2, "r", ""}})
			require.NoError(t, err)
			r.entities.names, r.relations.names = table, table
		case 1:
			r.entities.limit, r.relations.limit = 3, 3
		case 2:
			r.both, r.relations.limit = true, 6
		}
		file := factFile{form: &form{statements: statements{to: r}}, ctx: t.Context(), path: "fuzz", progress: func(int64) {}}
		if err := file.read(strings.NewReader(string(text))); err != nil {
			return
		}
		if err := r.finish(file.header); err != nil {
			return
		}
		triples := r.triples
		for _, x := range triples {
			if x.Relation < 0 || x.Relation > 2 && kind%3 != 1 || x.Head < 0 || x.Tail < 0 || r.entities.limit > 0 && int(x.Head) >= r.entities.limit {
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
		var rows []idRow
		var err error
		for n, line := range strings.Split(text, "\n") {
			rows, err = appendIDRow(rows, n+1, []byte(line))
			if err != nil {
				return
			}
		}
		table, err := newIDTable("entity", rows)
		if err != nil {
			return
		}
		for id, name := range table.names {
			if got, err := table.find([]byte(name)); err != nil || int(got) != id {
				t.Fatalf("%q is %d, %v, want %d", name, got, err, id)
			}
		}
		if names, err := names.New("entity", table.names, table.labels); err == nil && names.Len() != len(rows) {
			t.Fatalf("%d names of %d rows", names.Len(), len(rows))
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

// TestMakeRoom checks that a list of many triples gets room for about as many as there will be,
// without faith in what a file claims to have.
func TestMakeRoom(t *testing.T) {
	for _, c := range []struct {
		have        int
		share       float64
		least, most int
	}{
		{10, 0.5, 10, 10},
		{1 << 17, 0.5, 1 << 18, 1<<18 + 1<<14},
		{1 << 17, 1e-9, 1 << 19, 1<<19 + 1<<15},
		{1 << 17, 0, 1 << 19, 1<<19 + 1<<15},
		{1 << 17, 1, 1<<17 + 1, 1<<17 + 1<<13},
		{1 << 17, 1.1, 1<<17 + 1, 1<<17 + 1<<13},
	} {
		r := &graphSink{share: func() float64 { return c.share }, triples: slices.Clip(make([]graph.Triple, c.have))}
		r.makeRoom()
		list := r.triples
		if len(list) != c.have || cap(list) < c.least || cap(list) > c.most {
			t.Errorf("after %v of a file, %d triples have room for %d, want %d to %d", c.share, len(list), cap(list), c.least, c.most)
		}
	}
}
