package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// worldCopy copies the world's model and returns its path.
func worldCopy(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "world", "world.efoc"))
	require.NoError(t, err)
	return write(t, filepath.Join(t.TempDir(), "world.efoc"), string(text))
}

// TestFacts adds a fact that the world holds back: what was confirmed is known. Then it is
// removed, after the model was compacted.
func TestFacts(t *testing.T) {
	model := worldCopy(t)
	ask := func(status string) {
		t.Helper()
		r := efoc(t, "ask", "-m", model, "--format", "tsv", "-k", "20", `borders("Brazil", y) & official_language(y, "Spanish")`)
		for line := range strings.Lines(r.stdout) {
			if strings.Contains(line, "Peru") {
				if !strings.Contains(line, status) {
					t.Errorf("Peru: %s, want %s", line, status)
				}
				return
			}
		}
		t.Errorf("Peru is not an answer:\n%s%s", r.stdout, r.stderr)
	}
	ask("confirmed")
	efocInput(t, "Brazil\tborders\tPeru\r\n\nPeru\tofficial_language\tSpanish\n", "add", model, "-").want(t, statusOK, "added ", "")
	ask("known")
	efocInput(t, "Brazil\tborders\tPeru\n", "add", model, "-").want(t, statusOK, "added 0 facts to "+model+", 1 was there already\n", "")
	file := write(t, filepath.Join(t.TempDir(), "facts.tsv"), "Brazil\tborders\tPeru\nBrazil\tborders\tPeruu\n")
	efoc(t, "remove", model, file).want(t, statusUsage, "", file+`:2: unknown entity "Peruu"; did you mean "Peru"`)
	ask("known")
	require.NoError(t, os.WriteFile(model+".journal", append(must(os.ReadFile(model+".journal")), "crc32c:0000"...), 0o644))
	efoc(t, "info", model).want(t, statusOK, "", "efoc: a crash left 11 bytes behind the last complete record of")
	efoc(t, "calibrate", model, "--graph", ".", "-o", model).want(t, statusUsage, "", "put them into it with efoc compact")
	efoc(t, "compact", model).want(t, statusOK, "with 1 change of its journal", "")
	efoc(t, "compact", model).want(t, statusOK, "has no facts in a journal", "")
	ask("known")
	efocInput(t, "Peru\tborders\tBrazil\nBrazil\tborders\tPeru\nBrazil\tborders\tFrance\n", "remove", model, "-").want(t, statusOK, "removed ", "")
	ask("predicted")
	release, err := facts.Lock(model)
	require.NoError(t, err)
	defer release()
	for _, command := range []string{"add", "remove"} {
		efocInput(t, "Brazil\tborders\tPeru\n", command, model, "-").want(t, statusFailure, "", "is being written by another program")
	}
}

// lettersModel writes a model of entities a, b and c and a relation r, whose names begin in
// some way, and one fact.
func lettersModel(t *testing.T, path, begin string) string {
	t.Helper()
	entities := must(model.NewNames("entity", []string{begin + "a", begin + "b", begin + "c"}, nil))
	relations := must(model.NewNames("relation", []string{begin + "r"}, nil))
	p := model.Predictor{Rank: 1, RelationTable: []float32{1, 0, 1, 0}, EntityTable: must(model.NewTable(make([]float32, 6), 2, model.Float32))}
	g := must(model.NewGraph(3, 1, []model.Triple{{Head: 1, Tail: 2}}))
	m := must(model.New(model.Manifest{Name: "letters", Settings: model.DefaultSettings(), Visible: "all"}, g, nil, p, entities, relations))
	defer m.Close()
	require.NoError(t, model.Save(t.Context(), path, m, nil))
	return path
}

// TestFactsFormats adds and removes a fact that is written in every format that import reads,
// and one of an unknown entity, which is refused with file and place.
func TestFactsFormats(t *testing.T) {
	dir := t.TempDir()
	packed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		must(w.Write([]byte(text)))
		w.Close()
		return b.String()
	}
	squeezed := func(text string) string { return string(must(zstd.NewWriter(nil)).EncodeAll([]byte(text), nil)) }
	columns := func(rows ...[3]string) string {
		type row struct {
			Who  string `parquet:"who"`
			Is   string `parquet:"is"`
			City string `parquet:"city"`
		}
		var b bytes.Buffer
		w := parquet.NewGenericWriter[row](&b)
		for _, r := range rows {
			must(w.Write([]row{{r[0], r[1], r[2]}}))
		}
		w.Close()
		return b.String()
	}
	const named = "--triples=columns=who,is,city"
	for _, c := range []struct {
		file, good, bad string // the bad ones have the fact of an unknown entity behind the good one
		place           string // of that
		flags           []string
	}{
		{"f.tsv", "a\tr\tb\n", "a\tr\tb\n\na\tr\tx\n", ":3: ", nil},
		{"f.tsv.gz", packed("a\tr\tb\n"), packed("a\tr\tb\na\tr\tx\n"), ":2: ", nil},
		{"f.txt", "a r b\n", "a r b\na r x\n", ":2: ", []string{"--triples=separator=space"}},
		{"f.csv", "head,relation,tail\na,r,b\n", "head,relation,tail\na,r,b\n\n\"a\",r,\"x\"\n", ":4: ", nil},
		{"f.csv.zst", squeezed("who,born,is,city\na,1,r,b\n"), squeezed("who,born,is,city\na,1,r,b\na,1,r,x\n"), ":3: ", []string{named}},
		{"f.parquet", columns([3]string{"a", "r", "b"}), columns([3]string{"a", "r", "b"}, [3]string{"a", "r", "x"}), ": row 2: ", []string{named}},
		{"f.ttl", "@prefix x: <http://x/> .\nx:a x:r x:b .\n", "@prefix x: <http://x/> .\nx:a x:r x:b ;\n  x:r \"1\" ,\n x:x .\n", ":4: ", nil},
		{"f.nt", "<http://x/a> <http://x/r> <http://x/b> .\n", "<http://x/a> <http://x/r> <http://x/b> .\n<http://x/a> <http://x/r> <http://x/x> .\n", ":2: ", nil},
		{"f.nq", "<http://x/a> <http://x/r> <http://x/b> <http://x/g> .\n", "# none\n<http://x/a> <http://x/r> <http://x/x> <http://x/g> .\n", ":2: ", nil},
	} {
		begin := ""
		if strings.Contains(c.good, "http://x/") {
			begin = "http://x/"
		}
		path := lettersModel(t, filepath.Join(dir, c.file+".efoc"), begin)
		good := write(t, filepath.Join(dir, c.file), c.good)
		efoc(t, append([]string{"add", path, good}, c.flags...)...).want(t, statusOK, "added 1 fact to "+path+"\n", "")
		efoc(t, append([]string{"remove", path, good}, c.flags...)...).want(t, statusOK, "removed 1 fact from "+path+"\n", "")
		bad := write(t, filepath.Join(dir, c.file), c.bad)
		efoc(t, append([]string{"add", path, bad}, c.flags...)...).want(t, statusUsage, "", bad+c.place+`unknown entity "`+begin+`x"`)
		efoc(t, append([]string{"add", "--new", path, bad}, c.flags...)...).want(t, statusOK, "; new: "+begin+"x", "")
	}
	efoc(t, "add", filepath.Join(dir, "f.tsv.efoc"), write(t, filepath.Join(dir, "f.hdt"), "$HDT")).want(t, statusFailure, "", "HDT, which efoc does not read")
}

// TestNewEntity adds a country that the world lacks, and asks for it and from it by each
// semantics, before and after the model is compacted.
func TestNewEntity(t *testing.T) {
	model := worldCopy(t)
	text := "Atlantis\tofficial_language\tPortuguese\nPortugal\tborders\tAtlantis\nAtlantis\tin_continent\tEurope\n"
	efocInput(t, text, "add", model, "-").want(t, statusUsage, "", `standard input:1: unknown entity "Atlantis"`)
	efocInput(t, text+"Atlantis\tlikes\tPortugal\n", "add", "--new", model, "-").want(t, statusUsage, "", `standard input:4: unknown relation "likes"`)
	efocInput(t, text+strings.Repeat("x", facts.MaxName+1)+"\tborders\tPortugal\n", "add", "--new", model, "-").want(t, statusUsage, "", "standard input:4: the model has no name of these 4097 bytes, and a new one has at most 4096")
	var many strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&many, "new %d\tborders\tPortugal\n", i)
	}
	efocInput(t, many.String(), "add", "--new", model, "-").want(t, statusUsage, "", "standard input:1001: more than 1000 new entities")
	efocInput(t, text, "add", "--new", model, "-").want(t, statusOK, "added 3 facts to "+model+"; new: Atlantis\n", "")
	for range 2 {
		for _, semantics := range []string{"nsmp", "fit", "mixed"} {
			for question, want := range map[string]string{
				`borders("Portugal", y) & official_language(y, "Portuguese")`: "Atlantis",
				`exists x. borders("Portugal", x) & official_language(x, y)`:  "Portuguese",
				`exists x. borders("Atlantis", x) & official_language(x, y)`:  "Portuguese",
				`in_continent("Atlantis", y) & !in_continent("Brazil", y)`:    "Europe",
			} {
				efoc(t, "ask", "-m", model, "-k", "5", "--semantics", semantics, question).want(t, statusOK, want, "")
			}
		}
		efoc(t, "info", model).want(t, statusOK, "2193", "")
		efoc(t, "compact", model).want(t, statusOK, model, "")
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestFactsErrors gives facts that cannot be read, and models that cannot be changed.
func TestFactsErrors(t *testing.T) {
	model := worldCopy(t)
	for _, c := range []struct{ stdin, want string }{
		{"Brazil\tborders\n", `standard input:1: 2 fields in "Brazil\tborders", want head, relation and tail, separated by tabs`},
		{"\n\n", "standard input: no triples"},
		{"\nBrazil\tborder\tPeru\n", `standard input:2: unknown relation "border"; did you mean "borders"`},
		{"\n" + strings.Repeat("x", 1<<20+1), "standard input:2: line is longer than"},
	} {
		if r := efocInput(t, c.stdin, "add", model, "-"); r.status == statusOK || !strings.Contains(r.stderr, c.want) {
			t.Errorf("status %d, %s, want %s", r.status, r.stderr, c.want)
		}
	}
	if _, err := os.Stat(model + ".journal"); err == nil {
		if text := must(os.ReadFile(model + ".journal")); strings.Count(string(text), "\n") > 1 {
			t.Errorf("what was refused is in the journal:\n%s", text)
		}
	}
	efoc(t, "add", model, "none.tsv").want(t, statusFailure, "", "none.tsv")
	efocInput(t, "a\tb\tc\n", "add", filepath.Join(t.TempDir(), "none.efoc"), "-").want(t, statusFailure, "", "none.efoc")
}
