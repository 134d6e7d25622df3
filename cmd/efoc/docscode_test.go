package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// TestDocumentedCode compiles the Go of the documentation: declarations as they are, statements
// behind their imports as the body of a function that has a context, a model and a cache. The package
// example.com/atlas is that of testdata/downstream. Lines of … or ... stand for code left out. Snippets of
// the help, which has no room for imports, have those that they need.
// A block that does not compile by itself has a comment before it, <!-- fragment: REASON -->.
func TestDocumentedCode(t *testing.T) {
	if testing.Short() {
		t.Skip("loads packages: left out by -short")
	}
	imports := loadPackages(t)
	checked := 0
	check := func(at, text string, help bool) {
		checked++
		for _, err := range typeErrors(imports, text, help) {
			t.Errorf("%s: %v\n%s", at, err, text)
		}
	}
	for _, p := range documentation(t) {
		for _, b := range p.Blocks {
			if b.Language == "go" && b.Mark["fragment"] == "" {
				check(fmt.Sprintf("%s:%d", b.File, b.Line), b.Text, false)
			}
		}
	}
	files, _ := filepath.Glob("help/*.txt")
	for _, file := range files {
		// A snippet of the help is indented, and assigns something.
		for _, snippet := range regexp.MustCompile(`(?m)(^    .*\n|^\n)+`).FindAllString(readText(t, file)+"\n", -1) {
			if strings.Contains(snippet, ":=") {
				check(file, snippet, true)
			}
		}
	}
	if checked < 6 {
		t.Errorf("only %d snippets were found", checked)
	}
}

// TestPin checks that generated code compiles with the version of the runtime that it is for, and with no other.
func TestPin(t *testing.T) {
	if testing.Short() {
		t.Skip("loads packages: left out by -short")
	}
	imports := loadPackages(t)
	for path, abi := range map[string]int{"runtime/plan": plan.ABI, "runtime/device": device.ABI} {
		for _, c := range []struct {
			abi  int
			want string
		}{{abi, "[]"}, {abi - 1, "undefined"}, {abi + 1, "undefined"}} {
			code := fmt.Sprintf("package p\n\nimport %q\n\nconst _ = %s.ABI%d\n", module+"/"+path, filepath.Base(path), c.abi)
			if got := fmt.Sprint(typeErrors(imports, code, false)); !strings.Contains(got, c.want) {
				t.Errorf("%s of version %d, code for version %d: %s", path, abi, c.abi, got)
			}
		}
	}
}

// exports finds the packages that snippets may import, as the compiler exports them.
type exports struct {
	types.Importer
	paths map[string]string // of those that the help names, by their names
}

func loadPackages(t *testing.T) exports {
	t.Helper()
	e := exports{paths: map[string]string{"atlas": "example.com/atlas", "fmt": "fmt", "log": "log"}}
	files := map[string]string{}
	list := func(dir string, packages ...string) {
		cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, packages...)...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
			files[path] = file
		}
	}
	packages := []string{"fmt", "context", "log", "net/http"}
	for _, path := range []string{"runtime", "runtime/model", "compiler", "runtime/device/nvidia"} {
		packages = append(packages, module+"/"+path)
		e.paths[filepath.Base(path)] = module + "/" + path
	}
	list(root(), packages...)
	list(filepath.Join(root(), "testdata", "downstream"), ".")
	e.Importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	return e
}

// typeErrors compiles a snippet and returns its mistakes. Variables that are not used, and
// values that nothing takes, are none: the reader's code goes on.
func typeErrors(known exports, text string, help bool) (errs []error) {
	text = regexp.MustCompile(`(?m)^\s*(\.\.\.|…)\s*$`).ReplaceAllString(text, "")
	source := text
	if !regexp.MustCompile(`(?m)^package `).MatchString(text) {
		imports := regexp.MustCompile(`\A(import (\([^)]*\)|"[^"]*")\n+)*`).FindString(text)
		source = "package p\n" + imports
		for name, path := range known.paths {
			if help && regexp.MustCompile(`\b`+name+`\.[A-Z]`).MatchString(text) {
				source += fmt.Sprintf("import %s %q\n", name, path)
			}
		}
		source += fmt.Sprintf("import (\ncontext_ %q\nruntime_ %q\ncompiler_ %q\n)\n", "context", module+"/runtime", module+"/compiler") +
			"func _(ctx context_.Context, m *runtime_.Model, cache compiler_.Cache) {{\n" + text[len(imports):] + "}}\n"
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "snippet.go", source, 0)
	if err != nil {
		return []error{err}
	}
	config := types.Config{
		Importer: known,
		Error: func(err error) {
			if soft := err.(types.Error); !soft.Soft {
				errs = append(errs, err)
			}
		},
	}
	_, _ = config.Check("p", files, []*ast.File{file}, nil)
	return errs
}
