package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAskSPARQL(t *testing.T) {
	file := func(text string) string { return write(t, filepath.Join(t.TempDir(), "q.rq"), text) }
	answer := func(stdin string, args ...string) string {
		t.Helper()
		r := efocInput(t, stdin, append([]string{"ask"}, args...)...)
		if r.status != statusOK {
			t.Fatalf("%v: status %d: %s", args, r.status, r.stderr)
		}
		return r.stdout
	}
	neighbours := file("PREFIX e: <urn:efoc:>\nSELECT ?y { e:France e:borders/e:capital ?y } LIMIT 4 OFFSET 1")
	formula := answer("", "-k", "4", "--offset", "1", "--format", "tsv", `exists x. borders("France", x) & capital(x, y)`)
	if got := answer("", "--sparql", neighbours, "--format", "tsv"); got != formula {
		t.Errorf("SPARQL:\n%s\nthe formula:\n%s", got, formula)
	}
	if got := answer("", "--sparql", neighbours, "--format", "sparql-csv"); !strings.HasPrefix(got, "y,y_label,y_confidence,y_status\r\nurn:efoc:") {
		t.Errorf("as CSV:\n%s", got)
	}
	hostile := townFolder(t)
	write(t, filepath.Join(hostile, "entities.tsv"), "0\tash\tAshford\n1\t=birch\t=1+cmd|x\n2\tcedar\tCedar Hill\n3\tdale\tDale\n4\telm\tElmstead\n")
	write(t, filepath.Join(hostile, "train.tsv"), "ash\troad\t=birch\n")
	model := filepath.Join(t.TempDir(), "hostile.efoc")
	efoc(t, "import", hostile, "-c", filepath.Join(hostile, "model.safetensors"), "-o", model, "--skip-check").want(t, statusOK, "wrote", "")
	question := []string{"-m", model, "--sparql", file("SELECT ?y { :ash :road ?y FILTER(?y_status = \"known\") }")}
	if got := answer("", append(question, "--format", "sparql-csv")...); !strings.Contains(got, ",'=1+cmd|x,") {
		t.Errorf("a spreadsheet would run the label:\n%s", got)
	}
	if got := answer("", append(question, "--format", "sparql-tsv")...); !strings.Contains(got, "\t\"=1+cmd|x\"\t") {
		t.Errorf("the label is another:\n%s", got)
	}
	if got := answer("ASK { :France :capital :Paris }", "--sparql", "-"); got != "yes\n" {
		t.Errorf("ASK: %q, want yes", got)
	}
	if got := answer("ASK { :France :capital :Rome }", "--sparql", "-"); got != "no\n" {
		t.Errorf("ASK: %q, want no", got)
	}
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"--sparql", file("SELECT ?y { OPTIONAL { ?y :capital :Rome } }")}, "1:13: OPTIONAL is outside"},
		{[]string{"--sparql", file("SELECT ?y { :Frence :borders ?y }")}, `did you mean "France"`},
		{[]string{"--sparql", neighbours, "--status", "known"}, "FILTER(?y_status"},
		{[]string{"--sparql", filepath.Join(t.TempDir(), "none.rq")}, "no such file"},
		{[]string{"--format", "sparql-json", `borders("France", y)`}, "give one with --sparql"},
		{[]string{"--sparql", neighbours, `borders("France", y)`}, "several queries given"},
	} {
		r := efoc(t, append([]string{"ask"}, x.args...)...)
		if r.status == statusOK || !strings.Contains(r.stderr, x.want) {
			t.Errorf("%v: status %d, without %q: %s", x.args, r.status, x.want, r.stderr)
		}
	}
}
