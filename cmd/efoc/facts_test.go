package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// worldCopy copies the world's model and returns its path.
func worldCopy(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("world", "world.efoc"))
	require.NoError(t, err)
	return write(t, filepath.Join(t.TempDir(), "world.efoc"), string(text))
}

// TestFactsLocked changes a model that another program writes.
func TestFactsLocked(t *testing.T) {
	model := worldCopy(t)
	release, err := facts.Lock(model)
	require.NoError(t, err)
	defer release()
	for _, command := range []string{"add", "remove"} {
		efocInput(t, "Brazil\tborders\tPeru\n", command, model, "-").want(t, statusFailure, "", "is being written by another program: it is locked; wait for it; or if it is efoc serve, send it facts")
	}
}

// lettersModel writes a model of entities a, b and c and a relation r, whose names begin in
// some way, and one fact.
func lettersModel(t *testing.T, path, begin string) string {
	t.Helper()
	entities := must(names.New("entity", []string{begin + "a", begin + "b", begin + "c"}, nil))
	relations := must(names.New("relation", []string{begin + "r"}, nil))
	p := model.Predictor{Rank: 1, RelationTable: []float32{1, 0, 1, 0}, EntityTable: must(table.Make(make([]float32, 6), 2, table.Float32, ""))}
	g := must(graph.New(3, 1, []graph.Triple{{Head: 1, Tail: 2}}))
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
		refused := efoc(t, append([]string{"add", path, bad}, c.flags...)...)
		refused.want(t, statusUsage, "", bad+c.place+`unknown entity "`+begin+`x"`)
		refused.want(t, statusUsage, "", "(the change adds no new names); pass --new if it is new\n")
		efoc(t, append([]string{"add", "--new", path, bad}, c.flags...)...).want(t, statusOK, "; new: "+begin+"x", "")
	}
	efoc(t, "add", filepath.Join(dir, "f.tsv.efoc"), write(t, filepath.Join(dir, "f.hdt"), "$HDT")).want(t, statusFailure, "", "HDT, which efoc does not read")
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
