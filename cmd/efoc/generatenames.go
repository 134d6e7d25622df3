package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/lang"
)

// goName is a package-level name.
type goName struct{ folder, pkg, name string }

// clashes reports files that would be written twice, and names that a generated file
// declares and another Go file of its package declares too: such a package does not
// compile.
func clashes(outputs []generated) errorSet {
	var errs errorSet
	written := map[string]string{}
	var folders []string
	for _, out := range outputs {
		path := strings.ToLower(out.path) // Go rejects names that differ only in case
		if by, ok := written[path]; ok {
			errs = append(errs, usagef("%s and %s both generate %s: rename one of them", by, out.source, out.path))
		}
		written[path] = out.source
		if folder := filepath.Dir(out.path); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	declared := map[goName]string{} // by which file
	for _, folder := range folders {
		for _, path := range goFiles(folder) {
			if written[strings.ToLower(path)] != "" {
				continue
			}
			if code, err := os.ReadFile(path); err == nil {
				f := parseGo(path, code)
				for _, name := range f.declares {
					declared[goName{folder, f.pkg, name}] = path
				}
			}
		}
	}
	for _, out := range outputs {
		if !strings.HasSuffix(out.path, ".go") {
			continue
		}
		f, folder := parseGo(out.path, out.code), filepath.Dir(out.path)
		for _, name := range append(f.declares, f.imports...) {
			if by := declared[goName{folder, f.pkg, name}]; by != "" {
				errs = append(errs, out.clash(name, by))
				break // the others are likely to be of the same reason
			}
		}
		for _, name := range f.declares {
			declared[goName{folder, f.pkg, name}] = out.path
		}
	}
	return errs
}

// clash is the error for a name that another file declares, at the template that needs it
// or at the top of the file of templates.
func (g *generated) clash(name, by string) error {
	at, pos := g.file.Queries[0], lang.Pos{File: g.file.Queries[0].Pos.File, Line: 1, Col: 1}
	for _, q := range g.file.Queries {
		n := codegen.NewQueryNames(q.Name)
		if slices.Contains([]string{n.Type, n.Parameters, n.New, n.Plan, n.Run, n.Bind, n.Degrees, n.Why}, name) {
			at, pos = q, q.Pos
		}
	}
	return at.Errorf(pos, "rename one of them", "the generated %s needs the Go name %s, which %s declares", filepath.Base(g.path), name, by)
}

// goFiles returns the paths of the Go files in a folder.
func goFiles(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // there are none to clash with
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	return paths
}

// goFile is what a Go file adds to its package and to its own scope.
type goFile struct {
	pkg               string
	declares, imports []string
}

// parseGo finds the names of a Go file. One that does not parse has none: the Go compiler
// will say so.
func parseGo(path string, code []byte) goFile {
	var out goFile
	f, err := parser.ParseFile(token.NewFileSet(), path, code, parser.SkipObjectResolution)
	if err != nil {
		return out
	}
	out.pkg = f.Name.Name
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" {
				out.declares = append(out.declares, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				out.spec(s)
			}
		}
	}
	return out
}

// spec adds the names of a declaration.
func (g *goFile) spec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		g.declares = append(g.declares, s.Name.Name)
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.Name != "_" {
				g.declares = append(g.declares, name.Name)
			}
		}
	case *ast.ImportSpec:
		path, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if s.Name != nil {
			name = s.Name.Name
		}
		g.imports = append(g.imports, name)
	}
}
