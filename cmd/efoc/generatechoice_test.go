package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerateWarnings checks that a likely mistake is shown once, at its position, and
// stays to be read in the code.
func TestGenerateWarnings(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "roads.efo"),
		"package towns\n\nquery Twice(a, b entity) y =\n    road($a, y) & !road($a, y) | twin($b, y) & road($a, y)\n")
	const place = "roads.efo:4:20: warning: disjunct 1 of 2 can never hold and is left out"
	for _, args := range [][]string{{}, {"--cuda"}, {"--cuda", "--check"}, {"--check"}} {
		r := efoc(t, append([]string{"generate", file}, args...)...)
		r.want(t, statusOK, "", place)
		r.want(t, statusOK, "", "\n\t    road($a, y) & !road($a, y) | twin($b, y) & road($a, y)\n\t                   ^\n")
		if n := strings.Count(r.stderr, "warning: "); n != 1 {
			t.Errorf("generate %q shows %d warnings:\n%s", args, n, r.stderr)
		}
	}
	code := readText(t, filepath.Join(dir, "roads_efo.go"))
	if want := "\n// Warning: disjunct 1 of 2 can never hold and is left out: it asks for both "; !strings.Contains(code, want) {
		t.Errorf("the code lacks %q:\n%.1500s", want, code)
	}
}

// TestGenerateChoices checks that code is as its file of templates asks for, and that
// --check needs no other word for it.
func TestGenerateChoices(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GOPACKAGE", "chosen")
	file := write(t, filepath.Join(dir, "roads.efo"), "semantics mixed\nlayers 4"+askTemplates)
	efoc(t, "generate", file).want(t, statusOK, "", "wrote ")
	code := readText(t, filepath.Join(dir, "roads_efo.go"))
	for _, want := range []string{"package chosen\n", "model.Mixed,\n", " 4,\n"} {
		if !strings.Contains(code, want) {
			t.Errorf("the code lacks %q:\n%.2000s", want, code)
		}
	}
	t.Setenv("GOPACKAGE", "") // as where go generate does not run the check
	efoc(t, "generate", "--check", file).want(t, statusOK, "", "is up to date")
	write(t, file, "semantics fit\nlayers 4"+askTemplates)
	efoc(t, "generate", "--check", file).want(t, statusFailure, "", "roads_efo.go is out of date: run efoc generate "+file+"\n")
}

// TestGenerateCheckCUDA checks that kernels which are there are checked without being
// asked for.
func TestGenerateCheckCUDA(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "roads.efo"), "package towns\n"+askTemplates)
	efoc(t, "generate", "--cuda", file).want(t, statusOK, "", "wrote ")
	kernels := filepath.Join(dir, "roads_1p.cu")
	write(t, kernels, readText(t, kernels)+"\n")
	efoc(t, "generate", "--check", file).want(t, statusFailure, "", "roads_1p.cu is out of date: run efoc generate --cuda "+file)
}

// TestGenerateParts checks that --check takes a file for what it was generated as: types,
// plans, or both, with benchmarks where there are any. A file of one kind becomes one of
// another when it is generated again.
func TestGenerateParts(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "roads.efo"), "package towns\n"+askTemplates)
	path, bench := filepath.Join(dir, "roads_efo.go"), filepath.Join(dir, "roads_efo_test.go")
	for _, flag := range []string{"--types-only", "--plans-only", "--bench"} {
		efoc(t, "generate", flag, file).want(t, statusOK, "", "wrote ")
		efoc(t, "generate", "--check", file).want(t, statusOK, "", "roads_efo.go is up to date")
		code := readText(t, path)
		if types, plans := strings.Contains(code, "\nfunc New"), strings.Contains(code, "\nvar RoadsPlans"); types != (flag != "--plans-only") || plans != (flag != "--types-only") {
			t.Errorf("generate %s: types %v, plans %v", flag, types, plans)
		}
	}
	write(t, bench, readText(t, bench)+"\n")
	efoc(t, "generate", "--check", file).want(t, statusFailure, "", "roads_efo_test.go is out of date: run efoc generate --bench "+file)
	for _, flags := range [][]string{{"--types-only", "--plans-only"}, {"--types-only", "--cuda"}, {"--plans-only", "--bench"}} {
		efoc(t, append([]string{"generate", file}, flags...)...).want(t, statusUsage, "", flags[0])
	}
}

// TestGenerateModel checks names against a model, as efoc ask does.
func TestGenerateModel(t *testing.T) {
	model, dir := towns(t), t.TempDir()
	good := write(t, filepath.Join(dir, "good.efo"), "package towns\n"+askTemplates)
	efoc(t, "generate", "--model", model, good).want(t, statusOK, "", "wrote ")
	bad := write(t, filepath.Join(dir, "bad.efo"), "package towns\nquery A y = rod(\"ash\", y)\nquery B y = road(\"Ashfort\", y)\n")
	r := efoc(t, "generate", "--model", model, good, bad)
	for _, want := range []string{
		"bad.efo:2:13: unknown relation \"rod\"\n\tquery A y = rod(\"ash\", y)\n\t            ^\n\thint: did you mean \"road\"?\n",
		"bad.efo:3:18: unknown entity \"Ashfort\"\n\tquery B y = road(\"Ashfort\", y)\n\t                 ^\n\thint: did you mean \"Ashford\"?\n",
	} {
		r.want(t, statusUsage, "", want)
	}
	if _, err := os.Stat(filepath.Join(dir, "bad_efo.go")); err == nil {
		t.Error("code was written in spite of unknown names")
	}
	efoc(t, "generate", bad).want(t, statusOK, "", "wrote ")
	efoc(t, "generate", "--model", filepath.Join(dir, "none.efoc"), good).want(t, statusFailure, "", "none.efoc")
}

// TestFileChoices checks that efoc ask and efoc explain answer a template as the code
// that is generated of it does, unless a flag says otherwise.
func TestFileChoices(t *testing.T) {
	model := towns(t)
	file := write(t, filepath.Join(t.TempDir(), "roads.efo"), "semantics mixed\nlayers 4"+askTemplates)
	ask := []string{"ask", "--model", model, "--file", file, "--query", "Twins", "--format", "json"}
	efoc(t, ask...).want(t, statusOK, `"semantics": "mixed"`, "")
	efoc(t, ask...).want(t, statusOK, `"layers": 4`, "")
	r := efoc(t, append(ask, "--semantics", "nsmp", "--with", "layers=2")...)
	r.want(t, statusOK, `"layers": 2`, "")
	if strings.Contains(r.stdout, `"mixed"`) {
		t.Errorf("the flag is not heard:\n%s", r.stdout)
	}
	efoc(t, "explain", "--file", file, "--query", "Twins").want(t, statusOK, "L = 4 layers", "")
	efoc(t, "explain", "--file", file, "--query", "Twins", "--semantics", "nsmp", "--with", "layers=2").want(t, statusOK, "L = 2 layers", "")
}
