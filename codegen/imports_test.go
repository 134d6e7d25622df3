package codegen_test

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

const module = "github.com/efoc/efoc"

// mayImport lists the packages of the module that each folder may import, so that imports point one way.
// Sub-folders inherit the rule of the longest matching prefix.
var mayImport = map[string][]string{
	"client":                        {},
	"kernels":                       {"kernels"},
	"lang":                          {"lang/ast", "lang/internal", "lang/limits", "lang/nearest", "runtime/kind"},
	"lang/ast":                      {"lang/internal"},
	"lang/benchmark":                {"lang", "runtime/kind"},
	"lang/completion":               {"lang/ast", "lang/internal", "runtime/kind"},
	"lang/internal":                 {},
	"runtime/kind":                  {},
	"lang/limits":                   {},
	"lang/nearest":                  {},
	"lang/sparql":                   {"lang", "runtime/kind"},
	"runtime/atomicfile":            {},
	"runtime/memory":                {},
	"runtime/pause":                 {},
	"runtime/regularfile":           {},
	"runtime/internal":              {},
	"runtime/internal/mapfile":      {"runtime/regularfile"},
	"runtime/internal/collective":   {"runtime/internal/collective"},
	"runtime/internal/exchange":     {"kernels/reuse", "runtime/internal/collective", "runtime/model", "runtime/internal/top"},
	"runtime/internal/drive":        {"runtime/internal/collective", "runtime/pause", "runtime/internal/pool", "runtime/internal/exchange"},
	"runtime/model":                 {"kernels", "runtime/atomicfile", "runtime/memory", "runtime/regularfile", "runtime/internal", "runtime/model"},
	"runtime/model/graph":           {"runtime/internal"},
	"runtime/model/names":           {"runtime/internal", "runtime/internal/offsets", "runtime/model/safetensors"},
	"runtime/internal/offsets":      {"runtime/internal/grow", "runtime/model/safetensors"},
	"runtime/model/table":           {"kernels", "runtime/internal", "runtime/model/graph", "runtime/model/safetensors"},
	"runtime/model/values":          {"runtime/model/graph", "runtime/model/names", "runtime/model/safetensors"},
	"runtime/model/newrow":          {"kernels", "runtime/pause", "runtime/model"},
	"runtime/model/exact":           {"kernels/reuse", "runtime/pause", "runtime/model", "runtime/scq"},
	"runtime/internal/moments":      {"kernels", "runtime/internal", "runtime/model"},
	"runtime/scq":                   {"runtime/model"},
	"runtime/internal/rows":         {"kernels", "runtime/model"},
	"runtime/internal/run":          {"runtime/internal/collective", "runtime/device", "runtime/internal", "runtime/model", "runtime/pause", "runtime/plan", "runtime/internal/top", "runtime/scq"},
	"runtime/internal/judge":        {"runtime/fit", "runtime/internal/run", "runtime/model", "runtime/plan", "runtime/internal/top", "runtime/scq"},
	"runtime/internal/search":       {"runtime/fit", "runtime/pause", "runtime/internal/run", "runtime/model", "runtime/plan", "runtime/scq"},
	"runtime/internal/link":         {"runtime/plan"},
	"runtime/internal/explain":      {"runtime/fit", "runtime/pause", "runtime/internal/run", "runtime/model", "runtime/plan", "runtime/scq"},
	"runtime/internal/sweep":        {"kernels", "runtime/internal/pool", "runtime/model", "runtime/internal/rows"},
	"runtime/internal/top":          {"kernels", "runtime/model"},
	"runtime/internal/fuzzy":        {"kernels", "runtime/model", "runtime/internal/top"},
	"runtime/internal/atoms":        {"kernels", "runtime/internal/drive", "runtime/internal/fuzzy", "runtime/model", "runtime/internal/exchange", "runtime/internal/sweep", "runtime/internal/pool", "runtime/internal/rows"},
	"runtime/fit":                   {"kernels", "runtime/internal/collective", "runtime/internal/drive", "runtime/internal", "runtime/model", "runtime/internal/sweep", "runtime/internal/top", "runtime/internal/rows", "runtime/scq"},
	"runtime/device":                {"kernels/cuda", "kernels/quant", "runtime/internal", "runtime/model", "runtime/internal/top", "runtime/scq", "runtime/device"},
	"runtime":                       {"kernels", "runtime"},
	"runtime/facts":                 {"runtime/atomicfile", "runtime/internal", "runtime/model", "runtime"},
	"runtime/internal/journal":      {"runtime/atomicfile", "runtime/internal/jsonfile", "runtime/regularfile"},
	"compiler":                      {"lang", "runtime", "compiler"},
	"compiler/ir":                   {},
	"compiler/lower":                {"lang", "runtime", "compiler/ir"},
	"compiler/pass":                 {"compiler/ir"},
	"compiler/alloc":                {"compiler/ir"},
	"compiler/stages":               {"lang", "compiler/internal", "compiler/ir", "compiler/lower", "compiler/pass", "runtime"},
	"compiler/internal/interpreted": {"compiler/ir", "compiler/alloc", "runtime"},
	"compiler/reference":            {"compiler/ir", "compiler/lower", "lang", "runtime"},
	"codegen":                       {"lang", "runtime", "compiler", "codegen"},
	"kernels/cuda":                  {"kernels/cuda"},
	"codegen/shapes":                {"runtime", "codegen/shapes"},
	"cmd":                           {"lang", "runtime", "kernels", "compiler", "codegen", "testdata", "cmd/internal", "cmd/efoc/world"},
	"cmd/efoc/world":                {"runtime"},
	"testdata/damage":               {},
	"testdata/emulate":              {"kernels/cuda"},
	"testdata/expected":             {"compiler", "runtime"},
	"testdata/long":                 {},
	"testdata/modeltest":            {"runtime/model", "testdata/require"},
	"testdata/plantest":             {"lang", "runtime"},
	"testdata/plantext":             {"compiler/ir"},
	"testdata/require":              {},
	"testdata/shared":               {},
}

// TestImports checks that imports point one way: kernels <- runtime <- generated
// plans, and lang <- compiler <- codegen <- cmd; and that the interpreter
// uses none of the kernels that it checks.
func TestImports(t *testing.T) {
	args := []string{"-json=ImportPath,Imports", module + "/..."}
	for pkg := range mayImport {
		if strings.HasPrefix(pkg, "testdata/") {
			args = append(args, module+"/"+pkg)
		}
	}
	out := goList(t, args...)
	packages := 0
	for dec := json.NewDecoder(strings.NewReader(out)); ; packages++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		checkImports(t, strings.TrimPrefix(p.ImportPath, module+"/"), p.Imports)
	}
	if packages < 10 {
		t.Errorf("go list named %d packages only", packages)
	}
}

// TestModules bounds the modules that go run ./cmd/efoc downloads.
func TestModules(t *testing.T) {
	const most = 31
	linked := strings.Fields(goList(t, "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", module+"/cmd/efoc"))
	slices.Sort(linked)
	linked = slices.DeleteFunc(slices.Compact(linked), func(path string) bool { return path == module })
	if len(linked) < 10 || len(linked) > most {
		t.Errorf("efoc links %d modules, want at most %d:\n%s", len(linked), most, strings.Join(linked, "\n"))
	}
}

// TestCommands checks that go install ./cmd/... installs only efoc, with and without a GPU, and that it links
// no test code, fonts or plots.
func TestCommands(t *testing.T) {
	for _, tags := range []string{"", "cuda"} {
		programs := goList(t, "-tags", tags, "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, module+"/cmd/...")
		if want := module + "/cmd/efoc"; strings.TrimSpace(programs) != want {
			t.Errorf("tags %q: the programs below cmd are %q, want %s alone", tags, strings.Fields(programs), want)
		}
		linked := strings.Fields(goList(t, "-tags", tags, "-deps", module+"/cmd/efoc"))
		for _, p := range linked {
			for _, only := range []string{"testing", "golang.org/x/image", "gonum.org/v1/plot", "git.sr.ht/", "github.com/go-fonts/", "github.com/chromedp/", "github.com/getkin/"} {
				if strings.HasPrefix(p, only) {
					t.Errorf("tags %q: efoc links %s", tags, p)
				}
			}
		}
		if !slices.Contains(linked, module+"/compiler") {
			t.Errorf("tags %q: go list -deps names %d packages, without the compiler", tags, len(linked))
		}
	}
}

// TestLibrary lists the modules required by a program that imports the packages for users: the group "library"
// of go.mod.
func TestLibrary(t *testing.T) {
	want := []string{
		"github.com/agext/levenshtein",
		"github.com/alecthomas/participle/v2",
		"github.com/edsrzf/mmap-go",
		"github.com/go-json-experiment/json",
		"github.com/klauspost/compress",
		"github.com/natefinch/atomic",
		"github.com/rivo/uniseg",
		"golang.org/x/sys",
		"golang.org/x/text",
	}
	packages := []string{"-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", module + "/codegen/shapes"}
	for _, p := range forUsers {
		packages = append(packages, module+"/"+p)
	}
	linked := strings.Fields(goList(t, packages...))
	slices.Sort(linked)
	linked = slices.DeleteFunc(slices.Compact(linked), func(path string) bool { return path == module })
	if !slices.Equal(linked, want) {
		t.Errorf("the library links\n%q, want\n%q", linked, want)
	}

	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, group, _ := strings.Cut(string(text), "\n// library\nrequire (\n")
	group, _, _ = strings.Cut(group, ")")
	var required []string
	for line := range strings.Lines(group) {
		required = append(required, strings.Fields(line)[0])
	}
	if !slices.Equal(required, want) {
		t.Errorf("go.mod has in the group of the library\n%q, want\n%q", required, want)
	}
}

// forUsers are the packages for programs and generated code.
var forUsers = []string{"compiler", "lang", "runtime", "runtime/device", "runtime/device/nvidia", "runtime/facts", "runtime/model", "runtime/model/graph", "runtime/model/names", "runtime/model/table", "runtime/model/values", "runtime/plan"}

// forGenerated are the packages that generated code imports.
var forGenerated = []string{"runtime", "runtime/device", "runtime/plan"}

// TestUsers checks that programs that use efoc, including generated code and the programs in the documents,
// import only packages for users and for generated code.
func TestUsers(t *testing.T) {
	imports := strings.Fields(goListIn(t, "../testdata/downstream", "-f", `{{join .Imports "\n"}}`, "./..."))
	pages, err := filepath.Glob("../cmd/efoc/docs/*.md")
	require.NoError(t, err)
	quoted := regexp.MustCompile(`(?m)^\s*"(` + module + `/[a-z0-9/]+)"$`)
	documented := 0
	for _, page := range append(pages, "../README.md", "../codegen/README.md", "../compiler/README.md", "../lang/README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, found := range quoted.FindAllSubmatch(text, -1) {
			imports = append(imports, string(found[1]))
			documented++
		}
	}

	for _, p := range imports {
		if own, ok := strings.CutPrefix(p, module+"/"); ok && !slices.Contains(forUsers, own) {
			t.Errorf("a program imports %s", own)
		}
	}
	if !slices.Contains(imports, module+"/runtime") || documented < 5 {
		t.Errorf("the programs import %d packages, without runtime, or %d in documents", len(imports), documented)
	}
}

// TestGenerated checks that generated code imports only the packages of efoc intended for it.
func TestGenerated(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"../testdata/downstream/*_efo.go", "../testdata/downstream/*/*_efo.go", "shapes/*_efo.go", "shapes/*/*_efo.go"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		paths = append(paths, found...)
	}
	if len(paths) < 8 {
		t.Errorf("found %d generated files only", len(paths))
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imp := range file.Imports {
			own, ok := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), module+"/")
			if ok && !slices.Contains(forGenerated, own) {
				t.Errorf("%s imports %s", path, own)
			}
		}
	}
}

// goList returns the output of go list.
func goList(t *testing.T, args ...string) string {
	t.Helper()
	return goListIn(t, ".", args...)
}

// goListIn is goList in a folder.
func goListIn(t *testing.T, folder string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	list := exec.Command("go", append([]string{"list"}, args...)...)
	list.Dir = folder
	out, err := list.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	return string(out)
}

func checkImports(t *testing.T, pkg string, imports []string) {
	t.Helper()
	rule := pkg
	for mayImport[rule] == nil {
		if rule = path.Dir(rule); rule == "." {
			t.Errorf("package %s: no rule says what it may import", pkg)
			return
		}
	}
	for _, imp := range imports {
		own, ok := strings.CutPrefix(imp, module+"/")
		if !ok {
			continue
		}
		allowed := false
		for _, a := range mayImport[rule] {
			allowed = allowed || own == a || strings.HasPrefix(own, a+"/")
		}
		if !allowed {
			t.Errorf("package %s imports %s", pkg, own)
		}
	}
}

// TestGeneratedLinks checks that generated plans link only code that answers queries: nothing that imports
// data, trains, or compiles formulas.
func TestGeneratedLinks(t *testing.T) {
	linked := strings.Fields(goList(t, "-deps", module+"/codegen/shapes"))
	if !slices.Contains(linked, module+"/runtime/plan") {
		t.Fatalf("go list -deps names %d packages, without the runtime", len(linked))
	}
	for _, p := range linked {
		for _, other := range []string{"lang", "compiler", "codegen/gogen", "runtime/model/importer", "runtime/model/train"} {
			if p == module+"/"+other || strings.HasPrefix(p, module+"/"+other+"/") {
				t.Errorf("generated plans link %s", p)
			}
		}
	}
}
