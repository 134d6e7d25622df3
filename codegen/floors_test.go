package codegen_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// floors lists the files of packages, the lowest first: a file uses only what files on lower floors
// declare. Files on one floor do not use one another.
var floors = map[string][]string{
	"cmd/efoc": {
		"app regularities servelimits systemd_linux version",
		"health print systemd trainoptions",
		"errors",
		"flags generatefiles holdout journal servelisten servetokens",
		"files model",
		"connect evalinput evalown export help info lsp missing newmodel query shards",
		"answer asksparql bench calibrate eval explain facts fmt generate sample serve",
		"ask import mcp train",
		"main",
	},
	"runtime": {
		"aliases errors model rowparts status",
		"group lookup options query row",
		"check name question reply",
		"bind rowoptions rowreport run witness",
		"answer batch count rows verdict",
		"kinds",
	},
	"runtime/internal/fuzzy": {
		"norm set slab",
		"arena",
		"algebra best maximum",
	},
	"runtime/internal/atoms": {
		"budget key",
		"regularities",
		"cache coarse",
		"cachesweep maker request",
		"bound calibrate heads row",
		"fetch scoreterms",
	},
	"runtime/fit": {
		"logarithm names parts value",
		"mixture work",
		"branch combine exact mix others push",
		"candidates leaf rows step",
		"contest machine tracer",
		"finish make ops pending trace",
	},
	"runtime/internal/judge": {
		"scale status",
		"judge",
		"filter follow rows",
		"confidence",
		"claim count observe rank",
	},
	"runtime/internal/search": {
		"parts prefix",
		"search",
		"known",
		"run",
	},
}

// mostFloors bounds the floors of a package, commandFloors the ones of the command, whose verbs stand on three more.
const (
	mostFloors    = 6
	commandFloors = 9
)

// TestFloors checks that the files of packages use only files on lower floors. What a file uses are
// functions, methods, types, fields, constants and variables that another file of the package declares.
func TestFloors(t *testing.T) {
	var paths []string
	for dir := range floors {
		paths = append(paths, module+"/"+dir)
	}
	for _, p := range listed(t, paths) {
		dir := strings.TrimPrefix(p.ImportPath, module+"/")
		most := mostFloors
		if dir == "cmd/efoc" {
			most = commandFloors
		}
		if len(floors[dir]) > most {
			t.Errorf("%s has %d floors, want at most %d", dir, len(floors[dir]), most)
		}
		floor := map[string]int{"doc.go": 1}
		for i, files := range floors[dir] {
			for _, f := range strings.Fields(files) {
				floor[f+".go"] = i + 1
			}
		}
		uses := usesOf(t, p)
		here := map[string]bool{"doc.go": true}
		for from, to := range uses {
			here[forLinux(from)] = true
			own := floor[forLinux(from)]
			if own == 0 {
				t.Errorf("%s/%s is on no floor", dir, from)
			}
			for file, name := range to {
				if other := floor[forLinux(file)]; other >= own {
					t.Errorf("%s/%s, on floor %d, uses %s of %s, on floor %d", dir, from, own, name, file, other)
				}
			}
		}
		for f := range floor {
			if !here[f] {
				t.Errorf("%s has no file %s", dir, f)
			}
		}
	}
}

// forLinux returns the file that stands on Linux in place of one for other systems.
func forLinux(file string) string { return strings.Replace(file, "_other.go", "_linux.go", 1) }

// listedPackage is a package with its types.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
	exports                 map[string]string // of it and of what it imports
}

// listed returns packages, and where the compiler has left the types of what they import.
func listed(t *testing.T, paths []string) (list []listedPackage) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}, paths...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	exports := map[string]string{}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for dec.More() {
		p := listedPackage{exports: exports}
		require.NoError(t, dec.Decode(&p))
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			list = append(list, p)
		}
	}
	return list
}

// usesOf returns, for each file of a package, the other files that it uses, and a name of each that it uses.
func usesOf(t *testing.T, p listedPackage) map[string]map[string]string {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, 0)
		require.NoError(t, err)
		files = append(files, f)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) }
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", open)}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := conf.Check(p.ImportPath, set, files, &info)
	require.NoError(t, err)
	base := func(at token.Pos) string { return path.Base(filepath.ToSlash(set.Position(at).Filename)) }
	uses := map[string]map[string]string{}
	for _, f := range files {
		uses[base(f.Pos())] = map[string]string{}
	}
	ids := slices.SortedFunc(maps.Keys(info.Uses), func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	for _, id := range ids {
		o := info.Uses[id]
		if o.Pkg() != pkg || !shared(o, pkg) {
			continue
		}
		from := base(id.Pos())
		to := base(o.Pos())
		if from != to && uses[from][to] == "" {
			uses[from][to] = o.Name()
		}
	}
	return uses
}

// shared reports whether all files of a package may use an object: whether it is no local one.
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
