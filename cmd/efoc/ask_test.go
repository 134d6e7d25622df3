package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

const askTemplates = `
// Two roads from a town.
query TwoRoads(town entity, way relation) y =
    exists x. $way($town, x) & road(x, y)

query Twins y = twin("ash", y)
`

func TestAsk(t *testing.T) {
	model := towns(t)
	file := write(t, filepath.Join(t.TempDir(), "roads.efo"), askTemplates)
	for _, c := range []struct {
		args []string
		// first is the best answer, more another text of the output.
		first, more string
	}{
		{[]string{`road("ash", y)`}, "Birchwood", "known      follows from the graph"},
		{[]string{`road("Ashford", y)`}, "Birchwood", "birch"},
		{[]string{`exists x. road("ash", x) & road(x, y)`}, "Cedar Hill", "x  Birchwood 1.0000"},
		{[]string{`road^-1("cedar", y)`}, "Birchwood", "shape 1p"},
		{[]string{`road("dale", y)`}, "", "confirmed  predicted, and true by the facts held back"},
		{[]string{`road("ash", y) | twin("ash", y)`}, "", "L = 2,"},
		{[]string{`exists x. road("ash", x) & road(x, y) & y != "ash"`}, "Cedar Hill", "shape r1(s1,e1) & r2(e1,f) & f!=s2"},
		{[]string{`exists x. road("ash", x) & road(x, y) & y ≠ x`, "--why", "1"}, "Cedar Hill", "Birchwood"},
		{[]string{"--shape", "2p", "--set", "s1=ash", "--set", "r1=road", "--set", "$r2=road"}, "Cedar Hill", "shape 2p, semantics mixed, engine compiled, L = 3"},
		{[]string{"--benchmark", "(r1(s1,f))&(!(r2(s2,f)))", "--set", "s1=ash", "--set", "r1=road", "--set", "s2=cedar", "--set", "r2=road^-1"}, "", "shape 2in"},
		// road is relation 0: #0 and, backwards, #1.
		{[]string{"--benchmark", "(r1(s1,f))&(!(r2(s2,f)))", "--set", "s1=#0", "--set", "r1=#0", "--set", "s2=cedar", "--set", "r2=#1"}, "", "shape 2in"},
		{[]string{`"#0"("#0", y)`}, "Birchwood", "shape 1p"},
		{[]string{"--file", file, "--query", "TwoRoads", "--set", "town=Ashford", "--set", "way=road"}, "Cedar Hill", "shape 2p"},
		{[]string{"-f", file, "-q", "Twins"}, "Dale", "known"},
		{[]string{`road("ash", y)`, "--engine", "interpreted"}, "Birchwood", "engine interpreted"},
		{[]string{`road("ash", y)`, "--engine", "layers"}, "Birchwood", "engine layers"},
		{[]string{`road("ash", y)`, "--with", "layers=4"}, "Birchwood", "engine interpreted, L = 4"},
		{[]string{`exists x. road("ash", x) & road(x, y)`, "--sets", "0"}, "Cedar Hill", "shape 2p"},
	} {
		r := efoc(t, append([]string{"ask", "--model", model}, c.args...)...)
		r.want(t, statusOK, c.more, "")
		if line, _, _ := strings.Cut(strings.SplitN(r.stdout, "\n", 3)[1], "  0."); c.first != "" && !strings.Contains(line, c.first) {
			t.Errorf("ask %q: first answer is %q, want %s", c.args, line, c.first)
		}
		if r.stderr != "" {
			t.Errorf("ask %q: warnings %s", c.args, r.stderr)
		}
	}
}

// TestAskSemantics asks by truth degrees and by the mixture, with witnesses.
func TestAskSemantics(t *testing.T) {
	model := towns(t)
	const roads = `exists x. road("ash", x) & road(x, y)`
	for _, c := range []struct {
		args         []string
		status       int
		stdout, what string
	}{
		{[]string{"--semantics", "fit"}, statusOK, "degree", ""},
		{[]string{"--semantics", "fit"}, statusOK, "Cedar Hill  1.0000", ""},
		{[]string{"--semantics", "fit", "--with", "candidates=3"}, statusOK, "engine compiled, K = 3,", ""},
		{[]string{"--semantics", "mixed", "--with", "mixture=0.5"}, statusOK, "K = 8, g = 0.5,", ""},
		{[]string{"--why", "1"}, statusOK, "why Cedar Hill, by links that are true to the degree 1.0000 together: x = Birchwood\n  observed  1.0000  road(\"Ashford\", \"Birchwood\")\n  observed  1.0000  road(\"Birchwood\", \"Cedar Hill\")", ""},
		{[]string{"--why", "1", "--format", "json"}, statusOK, `"observed": true`, ""},
		{[]string{"--why=-1"}, statusUsage, "", "--why is -1, want 0 or more"},
		{[]string{"--semantics", "nsmp", "--with", "candidates=3"}, statusUsage, "", "add --semantics fit or mixed"},
		{[]string{"--semantics", "fit", "--with", "mixture=0.5"}, statusUsage, "", "add --semantics mixed"},
		{[]string{"--semantics", "fit", "--with", "candidates=0"}, statusUsage, "", "candidates is 0, want 1 to 2147483647"},
	} {
		efoc(t, append([]string{"ask", "--model", model, roads}, c.args...)...).want(t, c.status, c.stdout, c.what)
	}
}

func TestAskStdin(t *testing.T) {
	efocInput(t, "road(\"ash\", y)\n", "ask", "--model", towns(t), "-").want(t, statusOK, "Birchwood", "")
	efocInput(t, "", "ask", "--model", towns(t), "-").want(t, statusUsage, "", "expected a formula")
}

func TestAskModelFromEnvironment(t *testing.T) {
	model := towns(t)
	t.Setenv("EFOC_MODEL", model)
	efoc(t, "ask", `road("ash", y)`).want(t, statusOK, "Birchwood", "")
	efoc(t, "info").want(t, statusOK, "towns", "")
}

func TestAskJSON(t *testing.T) {
	r := efoc(t, "ask", "--model", towns(t), "--format", "json", "-k", "2", "--with", "alpha=7", `exists x. road("ash", x) & road(x, y)`)
	r.want(t, statusOK, "", "")
	var got struct {
		Query, Shape string
		ShapeName    string `json:"shape_name"`
		Layers       []int
		Engine       string
		Settings     struct{ Alpha float64 }
		Model        struct{ Name string }
		Variable     string
		Answers      []struct {
			Name, Label, Status string
			Score               float64
		}
		Sets []struct {
			Variable string
			Top      []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatalf("%v:\n%s", err, r.stdout)
	}
	switch {
	case got.ShapeName != "2p", got.Engine != "compiled", len(got.Layers) != 1, got.Layers[0] != 3, got.Settings.Alpha != 7,
		got.Model.Name != "towns", got.Variable != "y", len(got.Answers) != 2, got.Answers[0].Label != "Cedar Hill",
		got.Answers[0].Name != "cedar", got.Answers[0].Status != "known", got.Answers[0].Score <= got.Answers[1].Score,
		len(got.Sets) != 1, got.Sets[0].Variable != "x", got.Sets[0].Top[0].Name != "birch":
		t.Errorf("read %+v from\n%s", got, r.stdout)
	}
}

func TestAskTSV(t *testing.T) {
	r := efoc(t, "ask", "--model", towns(t), "--format", "tsv", "-k", "2", `road("ash", y)`)
	r.want(t, statusOK, "rank\tname\tlabel\tconfidence\tscore\tstatus\trange\n1\tbirch\tBirchwood\t\t0.", "")
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if len(lines) != 3 {
		t.Errorf("%d lines, want a header and 2 answers:\n%s", len(lines), r.stdout)
	}
	for _, line := range lines {
		if strings.Count(line, "\t") != 6 || strings.HasPrefix(line, "1") && !strings.HasSuffix(line, "\tknown\tin") {
			t.Errorf("line %q has not seven fields", line)
		}
	}
}

func TestAskWarning(t *testing.T) {
	r := efoc(t, "ask", "--model", towns(t), `road("ash", y) | twin("ash", y) & !twin("ash", y)`)
	r.want(t, statusOK, "Birchwood", "warning: ")
	if strings.Contains(r.stdout, "warning") {
		t.Errorf("warning is on stdout:\n%s", r.stdout)
	}
}

func TestAskErrors(t *testing.T) {
	model := towns(t)
	file := write(t, filepath.Join(t.TempDir(), "roads.efo"), askTemplates)
	bundle, err := os.ReadFile(model)
	require.NoError(t, err)
	short := write(t, filepath.Join(t.TempDir(), "short.efoc"), string(bundle[:len(bundle)-100]))
	foreign := write(t, filepath.Join(t.TempDir(), "foreign.efoc"), "hello")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		// Names.
		{[]string{`road("ashe", y)`}, statusUsage, `did you mean "ash"`},
		{[]string{`roads("ash", y)`}, statusUsage, `did you mean "road"?`},
		{[]string{"--shape", "1p", "--set", "s1=Ashfort", "--set", "r1=road"}, statusUsage, `parameter s1: unknown entity "Ashfort"; did you mean "Ashford"`},
		{[]string{"--shape", "1p", "--set", "s1=ash", "--set", "r1=roads"}, statusUsage, `parameter r1: unknown relation "roads"; did you mean "road"?`},
		// Formulas.
		{[]string{`road("ash", y`}, statusUsage, "\n\troad(\"ash\", y\n\t             ^\n"},
		{[]string{`road(ash, y)`}, statusUsage, "1:6: the formula has several free variables: ash, y\n\troad(ash, y)\n\t     ^\n\thint: did you mean \"ash\"?\n"},
		{[]string{"--engine", "layers", "--with", "layers=1", `exists x. road("ash", x) & road(x, y)`}, statusUsage, "choose 2 or more, or leave the number out for"},
		{[]string{`road("ash", "birch")`}, statusUsage, "no free variable"},
		{[]string{`road(x, y) & road("ash", x)`}, statusUsage, "several free variables"},
		{[]string{`!road("ash", y) & road("ash", y)`}, statusUsage, "can never hold"},
		{[]string{`road("ash", y) & y != y`}, statusUsage, "asks for y != y\n\troad(\"ash\", y) & y != y\n\t                 ^\n"},
		{[]string{`road("ash", y) & !(y != "birch")`}, statusUsage, "gives its answer away"},
		{[]string{`road("ash", y) & y != "birche"`}, statusUsage, `did you mean "birch"`},
		// Parameters.
		{[]string{"--shape", "1p"}, statusUsage, "parameters without a value: add --set s1=ENTITY --set r1=RELATION"},
		{[]string{"--shape", "1p", "--set", "s1"}, statusUsage, "want PARAMETER=NAME"},
		{[]string{"--shape", "1p", "--set", "s2=ash"}, statusUsage, "no parameter s2; there is s1"},
		{[]string{"--shape", "1p", "--set", "s1=ash", "--set", "s1=elm"}, statusUsage, "gives s1 twice"},
		{[]string{`road("ash", y)`, "--set", "s1=ash"}, statusUsage, "the query has no parameters"},
		// Templates.
		{[]string{"--file", file}, statusUsage, "several queries: choose with --query one of TwoRoads, Twins"},
		{[]string{"--file", file, "--query", "Twin"}, statusUsage, "has no query Twin; there is Twins"},
		{[]string{"--file", "missing.efo"}, statusFailure, "efoc: open missing.efo: no such file"},
		// Settings and engines.
		{[]string{`road("ash", y)`, "--with", "lambda=1.5"}, statusUsage, "lambda is 1.5, want 0 to 1"},
		{[]string{`road("ash", y)`, "--with", "lambda=NaN"}, statusUsage, "lambda is NaN"},
		{[]string{`road("ash", y)`, "--with", "epsilon=1e-46"}, statusUsage, "epsilon is 1e-46, want 1e-37 to 0.999"},
		{[]string{`road("ash", y)`, "--with", "alpha=1e300"}, statusUsage, "alpha is 1e+300, want 1e-06 to 1e+09"},
		{[]string{`road("ash", y)`, "--semantics", "fit", "--with", "temperature=1e60"}, statusUsage, "temperature is 1e+60, want 0.0001 to 10000"},
		{[]string{`road("ash", y)`, "--engine", "compiled", "--with", "layers=5"}, statusUsage, "there is no generated code"},
		{[]string{`exists x. road("ash", x) & road(x, y)`, "--with", "layers=1"}, statusUsage, "choose 2 or more"},
		// Models.
		{[]string{`road("ash", y)`, "--model", "missing.efoc"}, statusFailure, "efoc: open missing.efoc: no such file"},
		{[]string{`road("ash", y)`, "--model", short}, statusFailure, "damaged bundle"},
		{[]string{`road("ash", y)`, "--model", foreign}, statusFailure, "not an efoc bundle; make one with efoc import"},
		{[]string{`road("ash", y)`, "--model", t.TempDir()}, statusUsage, "is a folder: only answer, eval and serve"},
	} {
		r := efoc(t, append([]string{"ask", "--model", model}, c.args...)...)
		r.want(t, c.status, "", c.want)
		if r.stdout != "" {
			t.Errorf("ask %q printed to stdout: %s", c.args, r.stdout)
		}
	}
}

// TestAskUncalibrated checks that a model without calibration says so, and has no confidence
// to filter by.
func TestAskUncalibrated(t *testing.T) {
	model := towns(t)
	efoc(t, "ask", "-m", model, `road("ash", y)`).want(t, statusOK, "no confidence: the model is not calibrated", "")
	efoc(t, "ask", "-m", model, "--min-confidence", "0.5", `road("ash", y)`).want(t, statusUsage, "", "--min-confidence: the model is not calibrated")
	efoc(t, "ask", "-m", model, "--min-confidence", "2", `road("ash", y)`).want(t, statusUsage, "", "--min-confidence is 2, want a number from 0 to 1")
}
