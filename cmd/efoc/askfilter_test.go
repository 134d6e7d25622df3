package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestAskFilter asks for answers of some statuses. The roads lead from Ashford to Birchwood, to
// Cedar Hill, to Dale; that from Dale to Elmstead is held back.
func TestAskFilter(t *testing.T) {
	model := towns(t)
	for _, c := range []struct {
		args []string
		want []string // names, in any order
	}{
		{[]string{`road("dale", y)`, "--status", "confirmed"}, []string{"elm"}},
		{[]string{`road("dale", y)`, "--status", "known"}, nil},
		{[]string{`road("dale", y)`, "--status", "predicted"}, []string{"ash", "birch", "cedar", "dale"}},
		{[]string{`road("dale", y)`, "--status", "predicted,confirmed"}, []string{"ash", "birch", "cedar", "dale", "elm"}},
		{[]string{`road("dale", y)`, "--status", "known", "--status", "confirmed"}, []string{"elm"}},
		{[]string{`road("ash", y)`, "--status", "known"}, []string{"birch"}},
		{[]string{`road("ash", y)`, "--in-range"}, []string{"birch", "cedar", "dale"}},
		{[]string{`road("ash", y)`, "--in-range", "--status", "predicted"}, []string{"cedar", "dale"}},
		{[]string{`road("ash", y)`, "--status", "known", "--offset", "1"}, nil},
		{[]string{`road("ash", y)`, "--status", "known", "--semantics", "fit"}, []string{"birch"}},
	} {
		r := efoc(t, append([]string{"ask", "--model", model, "--format", "tsv"}, c.args...)...)
		r.want(t, statusOK, "", "")
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(r.stdout), "\n")[1:] {
			got = append(got, strings.Split(line, "\t")[1])
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("ask %q: %v, want %v", c.args, got, c.want)
		}
	}
	all := strings.Split(efoc(t, "ask", "--model", model, "--format", "tsv", `road("ash", y)`).stdout, "\n")
	part := strings.Split(efoc(t, "ask", "--model", model, "--format", "tsv", `road("ash", y)`, "-k", "2", "--offset", "2").stdout, "\n")
	if len(part) != 4 || part[1] != all[3] || part[2] != all[4] {
		t.Errorf("answers 3 and 4 are %q, of %q", part, all)
	}
	efoc(t, "ask", "--model", model, `road("ash", y)`).want(t, statusOK, "predicted, out of range", "")
	efoc(t, "ask", "--model", model, `road("ash", y)`, "--status", "knwon").want(t, statusUsage, "", `--status is "knwon", want known, predicted, confirmed`)
	efoc(t, "ask", "--model", model, `road("ash", y)`, "--offset=-1").want(t, statusUsage, "", "--offset is -1")
	dir := townFolder(t)
	require.NoError(t, os.Remove(filepath.Join(dir, "heldout.tsv")))
	whole := filepath.Join(t.TempDir(), "whole.efoc")
	efoc(t, "import", dir, "-c", filepath.Join(dir, "model.safetensors"), "-o", whole, "--skip-check").want(t, statusOK, "", "")
	efoc(t, "ask", "--model", whole, `road("ash", y)`, "--status", "confirmed").want(t, statusUsage, "", "no answer can be confirmed")
}

// TestAskShow shows the towns that roads lead through.
func TestAskShow(t *testing.T) {
	model := towns(t)
	two := `exists x, z. road("ash", x) & road(x, z) & road(z, y)`
	r := efoc(t, "ask", "--model", model, two, "-k", "1", "--format", "tsv", "--show", "z,x")
	r.want(t, statusOK, "status\trange\tz\tz_label\tx\tx_label\n1\tdale\tDale\t", "")
	r.want(t, statusOK, "\tknown\tin\tcedar\tCedar Hill\tbirch\tBirchwood\n", "")
	r = efoc(t, "ask", "--model", model, two, "-k", "1", "--show", "x", "--show", "z")
	r.want(t, statusOK, "name  x          z\n", "")
	r.want(t, statusOK, "dale  Birchwood  Cedar Hill\n", "")
	efoc(t, "ask", "--model", model, two, "-k", "1", "--format", "json", "--show", "x").want(t, statusOK, `"variable": "x",`, "")
	either := `twin("ash", y) | exists x. road("ash", x) & road(x, y)`
	efoc(t, "ask", "--model", model, either, "--status", "known", "--show", "x", "--semantics", "fit").want(t, statusOK, "Dale        1.0000  known   dale   –\n", "")
	file := write(t, filepath.Join(t.TempDir(), "two.efo"), "query Two y show x =\n    "+two+"\n")
	fromFile, fromFlag := efoc(t, "ask", "--model", model, "--file", file, "--format", "tsv"), efoc(t, "ask", "--model", model, two, "--show", "x", "--format", "tsv")
	if fromFile.stdout != fromFlag.stdout || !strings.Contains(fromFile.stdout, "\tx") {
		t.Errorf("the template shows %s%s, the flag %s", fromFile.stdout, fromFile.stderr, fromFlag.stdout)
	}
	efoc(t, "ask", "--model", model, two, "--show", "y").want(t, statusUsage, "", `--show: variable "y" is the free one`)
	efoc(t, "ask", "--model", model, two, "--show", "w").want(t, statusUsage, "", `the query has x, z under exists`)
}

// TestAskType asks for the towns that a road leads from to another, which stand for a type.
func TestAskType(t *testing.T) {
	dir := townFolder(t)
	model, typed := towns(t), filepath.Join(t.TempDir(), "typed.efoc")
	embeddings := filepath.Join(dir, "model.safetensors")
	efoc(t, "import", dir, "-c", embeddings, "-o", typed, "--skip-check", "--type-relation", "road").want(t, statusOK, "", "")
	efoc(t, "info", "--model", typed).want(t, statusOK, "types", "")
	for _, args := range [][]string{
		{"--model", model, "--type", "road=cedar"}, {"--model", model, "--type", "road = Cedar Hill"},
		{"--model", typed, "--type", "Cedar Hill"}, {"--model", typed, "--type", "road=cedar"},
	} {
		r := efoc(t, append([]string{"ask", `twin("ash", y)`, "--format", "tsv"}, args...)...)
		if lines := strings.Split(r.stdout, "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "1\tbirch\t") {
			t.Errorf("%q: %s%s, want Birchwood alone", args, r.stdout, r.stderr)
		}
	}
	efoc(t, "ask", "--model", typed, `twin("ash", y)`, "--type", "twin^-1=ash").want(t, statusOK, "1  Dale", "")
	for _, c := range []struct{ model, kind string }{
		{model, "road(cedar)"}, {model, `"road"("Cedar Hill")`}, {typed, `"Cedar Hill"`}, {typed, "cedar"}, {typed, "road(cedar)"},
	} {
		file := write(t, filepath.Join(dir, "q.efo"), "query Q(e entity) y: "+c.kind+" = twin($e, y)\n")
		for _, args := range [][]string{{"y: " + c.kind + ` & twin("ash", y)`}, {"--file", file, "--set", "e=ash"}} {
			r := efoc(t, append([]string{"ask", "--model", c.model, "--format", "tsv"}, args...)...)
			if lines := strings.Split(r.stdout, "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "1\tbirch\t") {
				t.Errorf("%q: %s%s, want Birchwood alone", args, r.stdout, r.stderr)
			}
		}
	}
	for question, want := range map[string]string{
		`twin("ash", y) & y: cedr`:       "1:21: unknown entity \"cedr\"\n\ttwin(\"ash\", y) & y: cedr\n\t                    ^\n\thint: did you mean \"cedar\"",
		`twin("ash", y) & y: Metropolis`: "hint: a type is an entity that a relation leads to",
		`twin("ash", y) & y: cedar`:      "1:21: the model names no relation of types",
	} {
		efoc(t, "ask", "--model", model, question).want(t, statusUsage, "", want)
	}
	for _, c := range []struct{ model, kind, want string }{
		{model, "cedar", "want RELATION=ENTITY"}, {model, "roads=cedar", `did you mean "road"`},
		{model, "road=cedr", `did you mean "cedar"`}, {typed, "cedr", `did you mean "cedar"`},
	} {
		efoc(t, "ask", "--model", c.model, `twin("ash", y)`, "--type", c.kind).want(t, statusUsage, "", c.want)
	}
	efoc(t, "import", dir, "-c", embeddings, "-o", typed, "--skip-check", "--type-relation", "roads").want(t, statusUsage, "", `did you mean "road"`)
	efoc(t, "train", dir, "-o", typed, "--type-relation", "raod").want(t, statusUsage, "", `--type-relation: unknown relation "raod"`)
}
