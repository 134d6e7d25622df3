package queryset_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/testdata/require"
)

// write writes a file and returns its path.
func write(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// show sums up a set: group:first entity,… of each query.
func show(set *queryset.Set) string {
	var groups []string
	for _, g := range set.Groups {
		var ids []string
		for _, q := range g.Queries {
			ids = append(ids, string(rune('0'+q.Args[0])))
		}
		groups = append(groups, g.Name+":"+strings.Join(ids, ","))
	}
	return strings.Join(groups, " ")
}

const some = `{"type": "2p", "s1": 4, "r1": 2, "r2": 3, "easy": [2, 1, 2], "hard": []}

{"type": "1p", "r1": 1, "s1": 0, "note": "other fields are left alone"}
{"type": "2p", "s1": 5, "r1": 2, "r2": 3}
{"formula": "r9(s7,e1)&r4(e1,f1)", "s7": 6, "r9": 2, "r4": 3}
{"type": "9x", "formula": "r1(s1,f)&r2(f,e1)&r3(s2,e1)", "s1": 7, "s2": 1, "r1": 2, "r2": 3, "r3": 4}
`

func TestJSONLines(t *testing.T) {
	path := write(t, t.TempDir()+"/q.jsonl", some)
	for _, c := range []struct {
		o    queryset.Options
		want string
	}{
		{queryset.Options{}, "1p:0 2p:4,5,6 9x:7"},
		{queryset.Options{Limit: 2}, "1p:0 2p:4,5 9x:7"},
		{queryset.Options{Shapes: []string{"9x", "2p"}, Limit: 1}, "2p:4 9x:7"},
	} {
		set := open(t, path, c.o)
		if got := show(set); got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
		if q := set.Groups[0].Queries[0]; set.Groups[0].Name == "2p" && (len(q.Easy) != 2 || q.Easy[0] != 1) {
			t.Errorf("easy answers are %v, want each once and in order", q.Easy)
		}
	}
	set := open(t, path, queryset.Options{})
	for _, name := range []string{"copy.jsonl", "copy.jsonl.zst", "copy.jsonl.gz"} {
		out := packed(t, filepath.Join(t.TempDir(), name), written(set))
		same(t, open(t, out, queryset.Options{}), set)
	}
}

// written returns the lines of a set.
func written(set *queryset.Set) (lines []byte) {
	for _, g := range set.Groups {
		write := g.LineWriter()
		for _, q := range g.Queries {
			lines = write(lines, q)
		}
	}
	return lines
}

// packed writes a file, compressed as its name says, and returns its path.
func packed(t *testing.T, path string, text []byte) string {
	t.Helper()
	switch filepath.Ext(path) {
	case ".gz":
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write(text)
		require.NoError(t, errors.Join(err, w.Close()))
		text = b.Bytes()
	case ".zst":
		w, err := zstd.NewWriter(nil)
		require.NoError(t, err)
		text = w.EncodeAll(text, nil)
	}
	return write(t, path, string(text))
}

// TestRefused checks that formulas that cannot be answered leave the others of their file
// alone, in both formats that have formulas.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	lines := write(t, dir+"/q.jsonl", some+`{"formula": "r1(s1,f)&!r1(s1,f)", "s1": 1, "r1": 2}
{"formula": "r1(s1,f1)&r2(f1,f2)", "s1": 1, "r1": 2, "r2": 2}
{"formula": "r1(s1,f)&!r1(s1,f)", "s1": 3, "r1": 2}
`)
	set := open(t, lines, queryset.Options{})
	if got, want := show(set), "1p:0 2p:4,5,6 9x:7"; got != want {
		t.Errorf("the sound queries are %s, want %s", got, want)
	}
	both := lines + `:7: formula "r1(s1,f)&!r1(s1,f)": column 11: the query can never hold: it asks for both r1(s1, f) and !r1(s1, f) (2 queries are left out)`
	several := lines + `:8: formula "r1(s1,f1)&r2(f1,f2)": column 17: the query has 2 free variables, want one; quantify the others with exists`
	if len(set.Refused) != 2 || !strings.Contains(set.Refused[0].Error(), strings.ReplaceAll(both, "r1(s1, f)", "$r1($s1, f)")) ||
		!strings.HasPrefix(set.Refused[1].Error(), several) || !strings.HasSuffix(set.Refused[1].Error(), "\n\tr1(s1,f1)&r2(f1,f2)\n\t                ^") {
		t.Errorf("refused are\n%v\nwant\n%s\nand\n%s…", set.Refused, both, several)
	}
	fit := write(t, dir+"/test-qaa.json", `{"(r1(s1,f1))&(r2(f1,f2))": [[{"s1":1,"r1":2,"r2":3},{},{}], [1]], "(r1(s1,f))": [[{"s1":1,"r1":2},{"f":[]},{"f":[4]}]]}`)
	set = open(t, fit, queryset.Options{})
	if len(set.Groups) != 1 || set.Groups[0].Name != "1p" || len(set.Groups[0].Queries) != 1 || len(set.Refused) != 1 || set.Refused[0].Queries != 2 {
		t.Errorf("groups %s, refused %v", show(set), set.Refused)
	}
}

func TestOpenErrors(t *testing.T) {
	const p1 = `{"type":"1p","s1":0,"r1":0}`
	for _, c := range []struct {
		file, text string
		o          queryset.Options
		want       string
	}{
		{"q.jsonl", "", queryset.Options{}, "q.jsonl has no queries"},
		{"q.jsonl", "\n  \n", queryset.Options{}, "q.jsonl has no queries"},
		{"q.jsonl", p1, queryset.Options{Shapes: []string{"3p"}}, "q.jsonl has no queries of shape 3p; did you mean 1p?"},
		{"q.jsonl", p1, queryset.Options{Split: "tests"}, `unknown split "tests"`},
		{"q.jsonl", "{}\nnonsense", queryset.Options{}, "q.jsonl:1: no field type"},
		{"q.jsonl", p1 + "\n[1]", queryset.Options{}, "q.jsonl:2: json"},
		{"q.jsonl", `{"type":"1q"}`, queryset.Options{}, `q.jsonl:1: unknown shape "1q"`},
		{"q.jsonl", `{"type":"1p","s1":0}`, queryset.Options{}, "q.jsonl:1: a query of shape 1p needs field r1"},
		{"q.jsonl", `{"type":"1p","s1":-1,"r1":0}`, queryset.Options{}, "q.jsonl:1: field s1 is -1, want an id"},
		{"q.jsonl", `{"type":"1p","s1":"x","r1":0}`, queryset.Options{}, "field s1 is \"x\""},
		{"q.jsonl", `{"type":"1p","s1":4294967296,"r1":0}`, queryset.Options{}, "field s1 is 4294967296"},
		{"q.jsonl", `{"type":"1p","s1":0,"r1":0,"hard":[-1]}`, queryset.Options{}, "field hard holds -1"},
		{"q.jsonl", `{"type":"1p","s1":0,"r1":0,"easy":["a"]}`, queryset.Options{}, "field easy"},
		{"q.jsonl", `{"type":"1p","s1":0,"r1":0,"split":"dev"}`, queryset.Options{}, `q.jsonl:1: field split is "dev", want train, valid, test`},
		{"q.jsonl", `{"type":7}`, queryset.Options{}, "q.jsonl:1: field type is 7"},
		{"q.jsonl", `{"type":"2p","formula":"r1(s1,f)"}`, queryset.Options{}, "type is 2p, but formula is 1p"},
		{"q.jsonl", `{"formula":"r1(s1,g)"}`, queryset.Options{}, `formula "r1(s1,g)": column 7: g is not an argument`},
		{"q.jsonl.gz", "\x1f\x8bxxxxxxxxxxxxxx", queryset.Options{}, "gzip"},
		{"q.jsonl.zst", "\x28\xb5\x2f\xfdxxxxxxxxxxxxxxx", queryset.Options{}, "q.jsonl.zst"},
		{"test-qaa.json", `[]`, queryset.Options{}, "want {"},
		{"test-qaa.json", `{"r1(s1,f)": {}}`, queryset.Options{}, "want ["},
		{"test-qaa.json", `{"r1(s1,f)": [[{"s1":1,"r1":2},{"f":[]},{"f":[]}]`, queryset.Options{}, "ends within the queries"},
		{"test-qaa.json", `{"r1(s1,f)": [[{"s1":1,"r1":2},{"f":[]}]]}`, queryset.Options{}, "query 1 of 1p: 2 parts, want slots, easy and hard"},
		{"test-qaa.json", `{"r1(s1,f)": [[{"s1":1},{"f":[]},{"f":[]}]]}`, queryset.Options{}, "needs field r1"},
		{"test-qaa.json", `{"r1(s1,f)": [[{"s1":-1,"r1":0},{"f":[]},{"f":[]}]]}`, queryset.Options{}, "slot s1 is -1"},
		{"test-qaa.json", `{"r1(s1,f)": [[{"s1":1,"r1":2},{"f1":[[1,2]]},{"f":[]}]]}`, queryset.Options{}, "answer [1 2] of f1"},
		{"test-qaa.json", `{"r1(s1,f)": [[{"s1":1,"r1":2},{"f1_f2":[[1,2]]},{"f":[]}]]}`, queryset.Options{}, `answers for "f1_f2", want f or f1`},
		{"test-qaa.json", `{"(r1(s1,f1))&(r2(f1,f2))": []}`, queryset.Options{}, "the query has 2 free variables, want one"},
		{"q.csv", "", queryset.Options{}, "want a file that ends in .jsonl"},
		{"test-queries.pkl", "\x80\x03}.", queryset.Options{}, "has no queries"},
	} {
		dir := t.TempDir()
		for _, name := range []string{"test-easy-answers.pkl", "test-hard-answers.pkl"} {
			write(t, filepath.Join(dir, name), "\x80\x03}.")
		}
		_, _, err := queryset.Open(context.Background(), write(t, filepath.Join(dir, c.file), c.text), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error is %v, want %s", c.file, c.text, err, c.want)
		}
	}
}

// TestFolderErrors checks folders that lack what they should have.
func TestFolderErrors(t *testing.T) {
	dir := t.TempDir()
	fails := func(want string) {
		t.Helper()
		if _, _, err := queryset.Open(context.Background(), dir, queryset.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
	fails("looked for test-queries.pkl with its answers (BetaE), test-qaa.json and test_type*_qaa.json (FIT, LMPNN)")
	write(t, dir+"/valid-qaa.json", "{}")
	fails("it has queries of valid")
	write(t, dir+"/test-queries.pkl", "\x80\x03}X\x01\x00\x00\x00eX\x01\x00\x00\x00r\x85\x86](K\x05K\x06\x85\x86es.")
	fails("test-easy-answers.pkl is missing")
	write(t, dir+"/test-easy-answers.pkl", "\x80\x03}K\x05K\x06\x85\x86](K\x09X\x01\x00\x00\x00xes.")
	fails("the answers of (5,(6,)) are a list, want a set of ids")
	write(t, dir+"/test-easy-answers.pkl", "\x80\x03}K\x05K\x06\x85\x86](K\x09K\x08es.")
	write(t, dir+"/test-hard-answers.pkl", "\x80\x03}.")
	set, warnings, err := queryset.Open(context.Background(), dir, queryset.Options{})
	if err != nil || len(warnings) != 1 || warnings[0].Queries != 1 || show(set) != "1p:5" {
		t.Fatalf("got %v, warnings %v", err, warnings)
	}
	if q := set.Groups[0].Queries[0]; len(q.Easy) != 2 || q.Easy[0] != 8 || len(q.Hard) != 0 {
		t.Errorf("query is %+v", q)
	}
}

// TestFITReadings checks which files say which reading of pni they have.
func TestFITReadings(t *testing.T) {
	const text = `{"((r1(s1,e1))&(!(r2(e1,f1))))&(r3(s2,f1))": [[{"s1":1,"s2":2,"r1":3,"r2":4,"r3":5},{"f1":[[1]]},{"f1":[]}]]}`
	for file, want := range map[string]string{
		"test_type0011_real_EFO1_qaa.json": "pni-universal",
		"test_type0014_real_EFO1_qaa.json": "pni",
		"test-qaa.json":                    "pni",
	} {
		set, warnings, err := queryset.Open(context.Background(), write(t, filepath.Join(t.TempDir(), file), text), queryset.Options{})
		if err != nil || set.Groups[0].Name != want || len(warnings) > 0 != (file == "test-qaa.json") {
			t.Errorf("%s: %v, %v, want %s", file, err, warnings, want)
		}
	}
}

// TestCancel checks that reading stops.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := queryset.Open(ctx, write(t, t.TempDir()+"/q.jsonl", some), queryset.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

// TestSplits checks that a line says its split, a folder that of its queries, and an old
// line none.
func TestSplits(t *testing.T) {
	splits := func(set *queryset.Set) string {
		var list []string
		for _, g := range set.Groups {
			for _, q := range g.Queries {
				list = append(list, q.Split)
			}
		}
		return strings.Join(list, " ")
	}
	path := write(t, filepath.Join(t.TempDir(), "q.jsonl"), `{"type":"1p","split":"valid","s1":0,"r1":0,"hard":[1]}
{"type":"1p","s1":1,"r1":0,"hard":[1]}
{"type":"2p","split":"test","s1":1,"r1":0,"r2":0,"hard":[1]}
`)
	set := open(t, path, queryset.Options{})
	if got := splits(set); got != "valid  test" {
		t.Errorf("splits are %q", got)
	}
	out := write(t, filepath.Join(t.TempDir(), "out.jsonl"), string(written(set)))
	if got := splits(open(t, out, queryset.Options{})); got != "valid  test" {
		t.Errorf("written and read, they are %q", got)
	}
	folder := t.TempDir()
	write(t, filepath.Join(folder, "train-qaa.json"), `{"(r1(s1,f1))": [[{"s1": 1, "r1": 2}, {"f1": [[3]]}, {"f1": []}]]}`)
	if got := splits(open(t, folder, queryset.Options{Split: "train"})); got != "train" {
		t.Errorf("of a folder they are %q", got)
	}
}
