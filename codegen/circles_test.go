package codegen_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// mostInCircle bounds the number of files of a package in a cycle of uses.
const mostInCircle = 4

// circles lists the packages that may have a larger cycle, with reasons.
var circles = map[string]string{
	"cmd/internal/calibrate": "one calibration has a method for each of its steps",
	"cmd/internal/eval":      "one run has a method for each table of its report",
	"lang":                   "the grammar recurses, and so do checks, normal forms and expansion",
	"runtime/plan":           "Workspace and Sweep are one executor, a method for each op",
}

// TestCircles checks that cycles among the files of a package are small. A file uses another if it names a
// function, method, type, field, constant or variable that the other declares.
func TestCircles(t *testing.T) {
	require.NoError(t, filepath.WalkDir("..", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if dir != ".." && strings.ContainsAny(d.Name()[:1], "._") {
			return filepath.SkipDir
		}
		pkg, err := build.ImportDir(dir, 0)
		if err != nil {
			return nil // no Go files for this system
		}
		largest := largestCircle(usesOf(t, dir, pkg.GoFiles))
		name := path.Clean(strings.TrimPrefix(filepath.ToSlash(dir), "../"))
		switch why := circles[name]; {
		case len(largest) > mostInCircle && why == "":
			t.Errorf("%s: these files use one another in a circle: %s", name, strings.Join(largest, ", "))
		case len(largest) <= mostInCircle && why != "":
			t.Errorf("%s has no circle of more than %d files any more", name, mostInCircle)
		}
		return nil
	}))
}

// usesOf returns, for each file of a package, the other files that it uses. Other packages are treated as
// empty: declarations of this package resolve without them, except for methods of values that they return.
func usesOf(t *testing.T, dir string, names []string) map[string][]string {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: emptyPackages{}, Error: func(error) {}}
	pkg, _ := conf.Check(dir, set, files, &info)

	uses := map[string][]string{}
	for id, o := range info.Uses {
		if o.Pkg() != pkg || !shared(o, pkg) {
			continue
		}
		from := filepath.Base(set.Position(id.Pos()).Filename)
		to := filepath.Base(set.Position(o.Pos()).Filename)
		if !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// shared reports whether an object is visible in all files of a package, i.e. not local.
func shared(o types.Object, pkg *types.Package) bool {
	switch o := o.(type) {
	case *types.Func:
		return true
	case *types.Var:
		if o.IsField() {
			return true
		}
	}
	return o.Parent() == pkg.Scope()
}

// emptyPackages imports packages that declare nothing.
type emptyPackages struct{}

func (emptyPackages) Import(of string) (*types.Package, error) {
	if of == "unsafe" {
		return types.Unsafe, nil
	}
	p := types.NewPackage(of, path.Base(of))
	p.MarkComplete()
	return p, nil
}

// largestCircle returns the largest strongly connected component of a graph.
func largestCircle(next map[string][]string) (largest []string) {
	reached := map[string]map[string]bool{}
	for from := range next {
		reached[from] = map[string]bool{}
		reach(next, from, reached[from])
	}
	for from := range next {
		var circle []string
		for to := range reached[from] {
			if reached[to][from] {
				circle = append(circle, to)
			}
		}
		if len(circle) > len(largest) {
			largest = circle
		}
	}
	slices.Sort(largest)
	return largest
}

// reach adds all nodes reachable from a node.
func reach(next map[string][]string, from string, seen map[string]bool) {
	for _, to := range next[from] {
		if !seen[to] {
			seen[to] = true
			reach(next, to, seen)
		}
	}
}
