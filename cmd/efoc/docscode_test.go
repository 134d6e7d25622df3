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

	"github.com/efoc/efoc/testdata/require"
)

// TestDocumentedCode compiles the Go of the documentation: declarations as they are, statements
// as the body of a function that has a context, a model and a cache, and imports what they name,
// such as atlas, the package of testdata/downstream. Lines of … or ... stand for code left out.
// A block that does not compile by itself has a comment before it, <!-- fragment: REASON -->.
func TestDocumentedCode(t *testing.T) {
	if testing.Short() {
		t.Skip("loads packages: left out by -short")
	}
	imports := loadPackages(t)
	checked := 0
	check := func(at, text string) {
		checked++
		for _, err := range typeErrors(imports, text) {
			t.Errorf("%s: %v\n%s", at, err, text)
		}
	}
	for _, p := range documentation(t) {
		for _, b := range p.Blocks {
			if b.Language == "go" && b.Mark["fragment"] == "" {
				check(fmt.Sprintf("%s:%d", b.File, b.Line), b.Text)
			}
		}
	}
	files, _ := filepath.Glob("help/*.txt")
	for _, file := range files {
		// A snippet of the help is indented, and assigns something.
		for _, snippet := range regexp.MustCompile(`(?m)(^    .*\n|^\n)+`).FindAllString(readText(t, file)+"\n", -1) {
			if strings.Contains(snippet, ":=") {
				check(file, snippet)
			}
		}
	}
	if checked < 6 {
		t.Errorf("only %d snippets were found", checked)
	}
}

// exports finds the packages that snippets may name, as the compiler exports them.
type exports struct {
	types.Importer
	paths map[string]string // by the name that a snippet gives them
}

func loadPackages(t *testing.T) exports {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", ".", "fmt", "context", "log"}
	e := exports{paths: map[string]string{"atlas": "example.com/atlas", "fmt": "fmt", "log": "log"}}
	for _, path := range []string{"runtime", "runtime/model", "compiler", "runtime/device/nvidia"} {
		args = append(args, module+"/"+path)
		e.paths[filepath.Base(path)] = module + "/" + path
	}
	list := exec.Command("go", args...)
	list.Dir = filepath.Join(root(), "testdata", "downstream")
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		if files[path] = file; strings.HasSuffix(path, "/"+"downstream") {
			e.paths["atlas"] = path
		}
	}
	e.Importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	return e
}

// typeErrors compiles a snippet and returns its mistakes. Variables that are not used, and
// values that nothing takes, are none: the reader's code goes on.
func typeErrors(known exports, text string) (errs []error) {
	text = regexp.MustCompile(`(?m)^\s*(\.\.\.|…)\s*$`).ReplaceAllString(text, "")
	source := text
	if !regexp.MustCompile(`(?m)^package `).MatchString(text) {
		source = "package p\n"
		for name, path := range known.paths {
			if name == "runtime" || name == "compiler" || regexp.MustCompile(`\b`+name+`\.[A-Z]`).MatchString(text) {
				source += fmt.Sprintf("import %s %q\n", name, path)
			}
		}
		source += "import \"context\"\nfunc _(ctx context.Context, m *runtime.Model, cache compiler.Cache) {{\n" + text + "}}\n"
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
