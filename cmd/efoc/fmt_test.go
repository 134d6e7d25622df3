package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	unformatted = "// Package p.\npackage p\nquery Q y=r('a',y) and // first\n  s(\"b\",y)\n"
	canonical   = "// Package p.\npackage p\n\nquery Q y =\n    r(\"a\", y) & // first\n    s(\"b\", y)\n"
)

func TestFmt(t *testing.T) {
	dir := t.TempDir()
	bad := write(t, filepath.Join(dir, "bad.efo"), unformatted)
	good := write(t, filepath.Join(dir, "good.efo"), canonical)
	broken := write(t, filepath.Join(dir, "broken.efo"), "query Q y = r(x, y)\n")
	missing := filepath.Join(dir, "missing.efo")

	for _, c := range []struct {
		name, stdin    string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"standard output", "", []string{bad, good}, statusOK, canonical + canonical, ""},
		{"standard input", unformatted, nil, statusOK, canonical, ""},
		{"list", "", []string{"-l", good, bad}, statusOK, bad + "\n", ""},
		{"list input", unformatted, []string{"-l"}, statusOK, "<standard input>\n", ""},
		{"no diff", "", []string{"-d", good}, statusOK, "", ""},
		{"mistake", "", []string{broken}, statusUsage, "", "broken.efo:1:15: undefined variable x\n\tquery Q y"},
		{"mistake and difference", "", []string{"-d", "-l", broken, bad}, statusUsage, bad + "\n--- ", "undefined variable x"},
		{"missing", "", []string{missing}, statusUsage, "", "missing.efo"},
		{"write nowhere", unformatted, []string{"-w"}, statusUsage, "", "standard input cannot be written"},
		{"too long", strings.Repeat("// text\n", 1<<17+1), nil, statusUsage, "", "over the limit of 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := efocInput(t, c.stdin, append([]string{"fmt"}, c.args...)...)
			r.want(t, c.status, c.stdout, c.stderr)
			if c.status == statusOK && (r.stdout != c.stdout || r.stderr != "") {
				t.Errorf("got\n%s\n%s", r.stdout, r.stderr)
			}
		})
	}
}

func TestFmtDiff(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "p.efo"), strings.TrimSuffix(unformatted, "\n"))
	r := efoc(t, "fmt", "-d", path)
	want := "--- " + path + ".orig\n+++ " + path + `
@@ -1,4 +1,6 @@
 // Package p.
 package p
-query Q y=r('a',y) and // first
-  s("b",y)
\ No newline at end of file
+
+query Q y =
+    r("a", y) & // first
+    s("b", y)
`
	if r.stdout != want || r.status != statusFailure || r.stderr != "efoc: 1 file is not formatted\n" {
		t.Errorf("status %d, stderr %q, stdout\n%s\nwant\n%s", r.status, r.stderr, r.stdout, want)
	}
}

func TestFmtWrite(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "p.efo"), unformatted)
	broken := write(t, filepath.Join(dir, "broken.efo"), "query Q y = r(x, y)\n")
	efoc(t, "fmt", "-w", "-l", broken, path).want(t, statusUsage, path+"\n", "undefined variable x")
	for file, want := range map[string]string{path: canonical, broken: "query Q y = r(x, y)\n"} {
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", file, got, err, want)
		}
	}
	efoc(t, "fmt", "-d", "-l", path).want(t, statusOK, "", "")
}

// TestFmtCommitted formats the templates of the repository: they keep their meaning, and
// formatting the result changes nothing.
func TestFmtCommitted(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/downstream/*.efo")
	more, _ := filepath.Glob("../../testdata/downstream/*/*.efo")
	paths = append(append(paths, more...), "../../codegen/shapes/shapes.efo")
	if err != nil || len(paths) < 4 {
		t.Fatalf("found only %q, %v", paths, err)
	}
	for _, path := range paths {
		once := efoc(t, "fmt", path)
		if twice := efocInput(t, once.stdout, "fmt"); once.status != statusOK || twice.stdout != once.stdout {
			t.Errorf("%s: status %d, %s\nformatted twice:\n%s", path, once.status, once.stderr, twice.stdout)
		}
	}
}
