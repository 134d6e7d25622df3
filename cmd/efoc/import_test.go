package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestImport(t *testing.T) {
	dir := townFolder(t)
	out := filepath.Join(t.TempDir(), "named.efoc")
	efoc(t, "import", dir, "-c", filepath.Join(dir, "model.safetensors"), "-o", out, "--skip-check",
		"--name", "five towns", "--description", "roads", "--with", "lambda=0.5", "--with", "alpha=9", "--with", "epsilon=1e-9", "--with", "layers=4").
		want(t, statusOK, "wrote "+out+": five towns, 5 entities", "")
	efoc(t, "info", out).want(t, statusOK, "settings     lambda 0.5, alpha 9, weight 0.5, epsilon 1e-09, layers 4\n", "")
	// The model's number of layers is that of its answers.
	efoc(t, "ask", "--model", out, `road("ash", y)`).want(t, statusOK, "L = 4", "")
	efoc(t, "ask", "--model", out, "--with", "layers=0", `road("ash", y)`).want(t, statusOK, "L = 2", "")
}

// TestImportLayout states the layout, and lets it be found out.
func TestImportLayout(t *testing.T) {
	dir := townFolder(t)
	checkpoint, out := filepath.Join(dir, "model.safetensors"), filepath.Join(t.TempDir(), "out.efoc")
	efoc(t, "import", dir, "-c", checkpoint, "-o", out, "--skip-check", "--layout", "interleaved", "--inverse", "offset").want(t, statusOK, "wrote "+out, "")
	efoc(t, "import", dir, "-c", checkpoint, "-o", out, "--skip-check", "--inverse", "none").
		want(t, statusFailure, "", "has 4 rows for 2 relations, which cannot be read as halves (real, then imaginary), no inverse rows")
	efoc(t, "import", dir, "-c", checkpoint, "-o", out, "--layout", "diagonal").want(t, statusUsage, "", "--layout")
	efoc(t, "import", dir, "-c", checkpoint, "-o", out, "--inverse", "up").want(t, statusUsage, "", "--inverse")
	// These embeddings are noise.
	efoc(t, "import", dir, "-c", checkpoint, "-o", out).want(t, statusFailure, "", "prefer observed triples to random ones in only")
	efoc(t, "import", dir, "-c", checkpoint, "-o", out, "--row-names", "missing.tsv,none").want(t, statusFailure, "", "missing.tsv")
}

// TestImportTable stores the embeddings in all ways: by default as int8 codes with float32
// beside them.
func TestImportTable(t *testing.T) {
	dir := townFolder(t)
	out := filepath.Join(t.TempDir(), "half.efoc")
	for _, c := range []struct{ flags, want string }{
		{"", "table      int8, 340 bytes; float32 beside it, 160 bytes; rows are off by 0."},
		{"--table float32", "table      float32, 160 bytes\n"},
		{"--table int8", "table      int8, 340 bytes; float32 beside it, 160 bytes; rows are off by 0."},
		{"--table int8+bfloat16", "table      int8, 340 bytes; bfloat16 beside it, 80 bytes; rows are off by 0."},
		{"--table int8+float16", "table      int8, 340 bytes; float16 beside it, 80 bytes; rows are off by 0."},
		{"--table int8+none", "table      int8, 340 bytes; nothing exact beside it; rows are off by "},
	} {
		efoc(t, append([]string{"import", dir, "-c", filepath.Join(dir, "model.safetensors"), "-o", out, "--skip-check"}, strings.Fields(c.flags)...)...).want(t, statusOK, "wrote "+out, "")
		efoc(t, "info", out).want(t, statusOK, c.want, "")
		efoc(t, "ask", "--model", out, `road("ash", y)`).want(t, statusOK, "L = 2", "")
		explained := efoc(t, "explain", "--model", out, `road("ash", y)`)
		explained.want(t, statusOK, "a pass over the model's entity table reads ", "")
		if coded := strings.Contains(explained.stdout, "codes miss a score by at most "); coded != strings.HasPrefix(c.want, "table      int") {
			t.Errorf("%q: that codes miss scores is stated: %v\n%s", c.flags, coded, explained.stdout)
		}
	}
	for flags, want := range map[string]string{"--table int3": `unknown table type "int3"`, "--table int4": "use int8", "--table bfloat16": "use int8+bfloat16", "--table int8+int4": `unknown type "int4" beside codes`, "--table float32+none": "a table of float32 is exact itself"} {
		efoc(t, append([]string{"import", dir, "-c", filepath.Join(dir, "model.safetensors"), "-o", out}, strings.Fields(flags)...)...).want(t, statusUsage, "", want)
	}
}

func TestImportErrors(t *testing.T) {
	dir := townFolder(t)
	checkpoint := filepath.Join(dir, "model.safetensors")
	out := filepath.Join(t.TempDir(), "out.efoc")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"missing", "-c", checkpoint}, "missing"},
		{[]string{dir, "-c", "missing.pt"}, "missing.pt"},
		{[]string{dir, "-c", filepath.Join(dir, "train.tsv")}, "train.tsv"},
		{[]string{dir, "-c", checkpoint, "--heldout", "missing.tsv"}, "missing.tsv"},
		{[]string{dir, "-c", checkpoint, "--tensors", "a,b"}, `no tensors named "a" and "b"`},
	} {
		r := efoc(t, append([]string{"import", "-o", out}, c.args...)...)
		r.want(t, statusFailure, "", c.want)
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("import %q left a file behind", c.args)
		}
	}
}

func TestBarWithoutTerminal(t *testing.T) {
	var b bytes.Buffer
	bar := newBar(&b)
	bar.show("read graph", 1, 0)
	bar.clear()
	if b.Len() > 0 {
		t.Errorf("progress was written to no terminal: %q", b.String())
	}
}
