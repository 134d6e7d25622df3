package importer

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// listed are the facts of a file by the names of things, sorted.
func listed(t *testing.T, path string, o Options) (facts, notes []string, err error) {
	t.Helper()
	o.Graph = path
	o.Note = func(text string) { notes = append(notes, strings.TrimPrefix(text, path)) }
	d, err := ReadDataset(t.Context(), o, SplitFiles{})
	if err != nil {
		return nil, notes, err
	}
	for _, x := range d.Train {
		facts = append(facts, d.Entities.Name(int32(x.Head))+" "+d.Relations.Name(x.Relation)+" "+d.Entities.Name(int32(x.Tail)))
	}
	slices.Sort(facts)
	return facts, notes, nil
}

// people are the facts that the files of people are about.
const people = "Ada knows Bob, Ada likes Éva, Bob knows Éva"

// bzipped are the facts as TSV, by bzip2.
const bzipped = "QlpoOTFBWSZTWdPFrKEAAATFxAAwMAA2LYmAACAIACAAISiBoGQFNMjExMR62WQpKiUYggubd2SZsg5xemTxc+LuSKcKEhp4tZQg"

// TestFormats reads the same facts in all formats, from files and folders.
func TestFormats(t *testing.T) {
	packed, err := base64.StdEncoding.DecodeString(bzipped)
	require.NoError(t, err)
	// IRIs are absolute in N-Triples.
	nt := func(text string) string { return strings.ReplaceAll(text, "<", "<x:") }
	plain := func(facts []string) string { return strings.ReplaceAll(strings.Join(facts, ", "), "x:", "") }
	csv := "weight,subject,predicate,object\n1,Ada,knows,Bob\n2,Bob,knows,Éva\n\"3\nor 4\",Ada,likes,Éva\n"
	for _, c := range []struct {
		file, text string
		o          Options
	}{
		{file: "a.nt", text: nt("<Ada> <knows> <Bob> .\n<Bob> <knows> <\\u00C9va> .\n<Ada> <likes> <Éva> .\n")},
		{file: "a.nq", text: nt("<Ada> <knows> <Bob> <g> .\n<Bob> <knows> <Éva> .\n<Ada> <likes> <Éva> _:h .\n")},
		{file: "a.trig", text: "<Ada> <knows> <Bob> .\n<g> { <Bob> <knows> <\\u00c9va> }\nGRAPH _:h { <Ada> <likes> <Éva> . } {}"},
		{file: "a.jsonld", text: `{"@context": {"@vocab": ""}, "@id": "Ada", "knows": {"@id": "Bob", "knows": {"@id": "Éva"}}, "likes": {"@id": "Éva"}}`},
		{file: "a.jsonld", text: `[{"@id": "x:Ada", "x:knows": [{"@id": "x:Bob"}], "x:likes": {"@id": "x:Éva"}}, {"@id": "x:g", "@graph": {"@id": "x:Bob", "x:knows": {"@id": "x:Éva"}}}]`},
		{file: "a.ttl", text: "<Ada> <knows> <Bob>; <likes> <Éva> .\n<Bob> <knows> <\\u00c9va> ."},
		{file: "a.csv", text: csv},
		{file: "a.CSV", text: "Ada,knows,Bob\nBob,knows,Éva\nAda,likes,\"Éva\"\n"},
		{file: "a.csv", text: "to;x;from;\"is\"\nBob;;Ada;knows\nÉva;;Bob;knows\nÉva;;Ada;likes\n", o: Options{Separator: ";", Columns: []string{"from", "is", "to"}}},
		{file: "a.csv", text: "from;type;to\nAda;knows;Bob\nBob;knows;Éva\nAda;likes;Éva\n", o: Options{Separator: ";"}},
		{file: "a.tsv", text: "a\tb\tc\td\nBob\tknows\t1\tAda\nÉva\tknows\t\tBob\nÉva\tlikes\t\tAda\n", o: Options{Columns: []string{"d", "b", "a"}}},
		{file: "a.tsv.bz2", text: string(packed)},
		{file: "a", text: string(packed)}, // by its first bytes
	} {
		got, _, err := listed(t, writeFile(t, t.TempDir(), c.file, c.text), c.o)
		if err != nil || plain(got) != people {
			t.Errorf("%s %q: %s, %v", c.file, c.text, got, err)
		}
		if _, end, ok := strings.Cut(strings.ToLower(c.file), "."); ok {
			folder := filepath.Dir(writeFile(t, t.TempDir(), "train."+end, c.text))
			got, _, err := listed(t, folder, c.o)
			if err != nil || plain(got) != people {
				t.Errorf("train.%s in a folder: %s, %v", end, got, err)
			}
		}
		if strings.HasPrefix(c.text, "BZh") {
			continue
		}
		for end, pack := range map[string]func(testing.TB, string) string{".gz": gzipped, ".zst": zstandard} {
			got, _, err := listed(t, writeFile(t, t.TempDir(), c.file+end, pack(t, c.text)), c.o)
			if err != nil || plain(got) != people {
				t.Errorf("%s: %s, %v", c.file+end, got, err)
			}
		}
	}
}

// TestFormatErrors checks that the faults of a file are told with their lines.
func TestFormatErrors(t *testing.T) {
	for _, c := range []struct {
		file, text, want string
		o                Options
	}{
		{file: "a.ttl", text: "<a> <b> <c> .\n<a> <b> . \n", want: "a.ttl:2: found '.', want an object"},
		{file: "a.ttl", text: "<a> <b> \"c\" .\n", want: "a.ttl: no triples"},
		{file: "a.ttl", text: "<a> <b> <c\u0085> .\n", want: `a.ttl:1: the entity "c\u0085" has a control character`},
		{file: "a.tsv", text: "a\tb\tc\na\tb\tc\u0001\n", want: `a.tsv:2: the entity "c\x01" has a control character`},
		{file: "a.nq", text: "<a> <b> <c> <d> <e> .\n", want: "a.nq:1: found '<', want '.' at the end of a statement"},
		{file: "a.nq", text: "<x:a> <x:b> <x:c>\n", want: "a.nq:2: found the end of the file, want a graph, or '.' at the end of a statement"},
		{file: "a.ttl", text: "<x:a> <x:b> <x:c> <x:d> .\n", want: "a.ttl:1: found '<', want '.' at the end of a statement"},
		{file: "a.nt", text: "# x\n<x:a> <x:b> .\n", want: "a.nt:2: found '.', want an object"},
		{file: "a.nt", text: "\x28\xb5\x2f\xfd\x00\x88\x00\x00", want: "a.nt:1: "},
		{file: "a.nt", text: "\x28\xb5\x2f\xfd\x04\xff" + strings.Repeat("\x00", 15), want: "a.nt:1: "},
		{file: "a.hdt", text: "$HDT", want: "a.hdt is HDT, which efoc does not read: convert it with hdt2rdf"},
		{file: "a.obo", text: "[Term]", want: "a.obo is OBO, which efoc does not read: convert it to Turtle, such as with robot convert"},
		{file: "a.parquet", text: "PAR1", want: `duckdb -c "COPY (FROM 'x.parquet') TO 'x.csv'"`},
		{file: "a.jsonl.gz", text: "{}", want: "jq -r '[.subject,.predicate,.object] | @tsv'"},
		{file: "a.rdf.gz", text: "<rdf/>", want: "a.rdf.gz is RDF/XML"},
		{file: "a.csv", text: "w,x,y,z\n1,2,3,4\n", want: `a.csv:1: the columns are "w", "x", "y", "z", none with a usual name for heads (if a line has several facts, set edge=COLUMN -RELATION-> COLUMN for each): set columns=HEAD,RELATION,TAIL`},
		{file: "a.csv", text: "head;relation;tail\na;b;c\n", want: `a.csv:1: no comma in "head;relation;tail" (if ";" separates the columns, set separator=;)`},
		{file: "a.csv", text: "\"head\";\"relation\";\"tail\"\na;b;c\n", want: `a.csv:1: no comma in "\"head\";\"relation\";\"tail\"" (if ";" separates the columns, set separator=;)`},
		{file: "a.csv", text: "head,source,relation,tail\n1,2,3,4\n", want: `a.csv:1: column "head" and column "source" may both hold the heads: set columns=HEAD,RELATION,TAIL`},
		{file: "a.csv", text: "x,head,relation,tail\n1,2,3,4\n\"\n\",2,3\n", want: "a.csv:3: 3 fields, but there are 4 columns"},
		{file: "a.csv", text: "head,relation,tail\na,b,c\na,\"b\"x,c\n", want: "a.csv:3: column 5: extraneous or missing"},
		{file: "a.csv", text: "head,relation,tail\na,b,\xff\n", want: "a.csv:2: not valid UTF-8"},
		{file: "a.csv", text: "head,relation,tail\na,b,\"" + strings.Repeat("x\n", maxRecord/2+1<<20), want: "a.csv:2: a record of more than 16777216 bytes"},
		{file: "a.csv", text: "a,b,c\n", o: Options{Columns: []string{"a", "b"}}, want: `columns ["a" "b"], want three names`},
		{file: "a.tsv", text: "knows\tAda\tBob\nx y\tz\tw\n", o: Options{Columns: []string{"Ada", "knows", "w"}}, want: `a.tsv:1: there is no column "w" among "knows", "Ada", "Bob"`},
		{file: "a.ttl.bz2", text: "BZh9garbage and more of it", want: "a.ttl.bz2:1: bzip2 data invalid"},
	} {
		_, _, err := listed(t, writeFile(t, t.TempDir(), c.file, c.text), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q: error is %v, want %s", c.file, c.text, err, c.want)
		}
	}
}

// TestTruncated cuts a compressed file anywhere: the error says so, not that a line has too few fields.
func TestTruncated(t *testing.T) {
	text := ""
	for i := range 2000 {
		text += fmt.Sprintf("%x\tknows\t%x\n", i*i*7919, i*104729)
	}
	packed := gzipped(t, text)
	for size := 20; size < len(packed); size += 997 {
		_, _, err := listed(t, writeFile(t, t.TempDir(), "a.tsv.gz", packed[:size]), Options{})
		if err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
			t.Errorf("%d of %d bytes: %v", size, len(packed), err)
		}
	}
}

// TestLiterals leaves literals out, or makes entities of them.
func TestLiterals(t *testing.T) {
	turtle := "@prefix ex: <http://x/> .\nex:a ex:p 1, 'b'@en, 'b', '''c\n''', ex:b .\n"
	lines := "<http://x/a> <http://x/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n<http://x/a> <http://x/p> \"b\"@en .\n" +
		"<http://x/a> <http://x/p> \"b\"^^<http://www.w3.org/2001/XMLSchema#string> .\n<http://x/a> <http://x/p> \"c\\n\" .\n<http://x/a> <http://x/p> <http://x/b> <g:g> .\n"
	want := []string{
		`http://x/a http://x/p "1"^^<http://www.w3.org/2001/XMLSchema#integer>`, `http://x/a http://x/p "b"`,
		`http://x/a http://x/p "b"@en`, `http://x/a http://x/p "c\n"`, "http://x/a http://x/p http://x/b",
	}
	relation := map[string]string{"a.ttl": "ex:p", "a.nq": "http://x/p"}
	for file, text := range map[string]string{"a.ttl": turtle, "a.nq": lines} {
		path := writeFile(t, t.TempDir(), file, text)
		got, _, err := listed(t, path, Options{Literals: keepLiterals})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", file, got, err, want)
		}
		got, notes, err := listed(t, path, Options{})
		if err != nil || !slices.Equal(got, want[4:]) || notes[0] != ": 4 statements about literals were left out: 4 of "+relation[file]+" (literals=values reads numbers and dates, literals=keep makes all entities)" {
			t.Errorf("%s: %q, %q, %v", file, got, notes, err)
		}
	}
}

// TestPrefixes shows people the names that a document declares prefixes for, and finds
// things by both.
func TestPrefixes(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "train.ttl", "@prefix ex: <http://x/> .\n@prefix exa: <http://x/a/> .\n@prefix again: <http://x/> .\n"+
		"ex:1 ex:p <http://x/a/b/c>, <http://y>, _:n, [ ex:p 'one' ], [ ex:p ex:2 ] .\n_:n ex:p ex:2 .\n@prefix ex: <http://z/> .\nex:1 ex:p 'eins' .")
	writeFile(t, dir, "valid.ttl", "[] <http://x/p> <http://x/1> .")
	d, err := ReadDataset(t.Context(), Options{Graph: dir, Literals: keepLiterals}, SplitFiles{})
	require.NoError(t, err)
	for name, want := range map[string]string{
		"http://x/1": "ex:1", "http://x/a/b/c": "exa:b/c", "http://y": "http://y", "_:n": "_:n", "_:#1": "_:#1", `"one"`: "one", "http://z/1": "http://z/1",
	} {
		id, err := d.Entities.Find(name)
		if err != nil || d.Entities.Label(id) != want {
			t.Errorf("%s: %v, want the label %s", name, err, want)
			continue
		}
		if again, err := d.Entities.Find(want); err != nil || again != id {
			t.Errorf("%s: %d, %v, want %d", want, again, err, id)
		}
	}
	if d.Relations.Label(0) != "ex:p" || d.Relations.Name(0) != "http://x/p" {
		t.Errorf("relation %s, %s", d.Relations.Label(0), d.Relations.Name(0))
	}
	// The blank node of the other file is another one.
	if len(d.Valid) != 1 || d.Entities.Name(int32(d.Valid[0].Head)) != "_:#3" {
		t.Errorf("validation facts are %v", d.Valid)
	}
	if filepath.Base(d.Sources[0].File) != "train.ttl" {
		t.Errorf("sources are %v", d.Sources)
	}
}
