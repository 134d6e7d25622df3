package runtime

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

var update = flag.Bool("update", false, "write testdata/api.txt anew")

// TestAPI compares what the packages for programs export with a list, so that no name comes or goes
// unseen.
func TestAPI(t *testing.T) {
	const golden = "testdata/api.txt"
	var b strings.Builder
	for _, folder := range []string{".", "plan", "../compiler", "../lang"} {
		list(t, &b, folder)
	}
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	if b.String() != string(want) {
		t.Errorf("the packages export other names than %s has; go test -run API -update lists them anew:\n%s", golden, b.String())
	}
}

// list lists what a package exports: each type with its functions and methods.
func list(t *testing.T, b *strings.Builder, folder string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		require.NoError(t, err)
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(files, parsed, "")
	require.NoError(t, err)
	fmt.Fprintf(b, "package %s\n", p.Name)
	line := func(what string, names []string) {
		if slices.Sort(names); len(names) > 0 {
			fmt.Fprintf(b, "%s: %s\n", what, strings.Join(names, " "))
		}
	}
	values := func(list []*doc.Value) (names []string) {
		for _, v := range list {
			names = append(names, v.Names...)
		}
		return slices.DeleteFunc(names, func(n string) bool { return !token.IsExported(n) })
	}
	functions := func(list []*doc.Func) (names []string) {
		for _, f := range list {
			names = append(names, f.Name)
		}
		return names
	}
	line("const", values(p.Consts))
	line("var", values(p.Vars))
	line("func", functions(p.Funcs))
	for _, x := range p.Types {
		fmt.Fprintf(b, "type %s\n", x.Name)
		line("\tconst", values(x.Consts))
		line("\tfunc", functions(x.Funcs))
		line("\tmethods", functions(x.Methods))
	}
}
