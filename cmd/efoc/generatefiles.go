package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
)

// goName is a package-level name.
type goName struct{ folder, pkg, name string }

// clashes reports files that would be written twice, and names that a generated file
// declares and another Go file of its package declares too: such a package does not
// compile.
func clashes(outputs []generated) errorSet {
	var errs errorSet
	written := map[string]string{}  // by which template
	declared := map[goName]string{} // by which file
	folders := map[string]bool{}
	for _, out := range outputs {
		path := strings.ToLower(out.path) // Go rejects names that differ only in case
		if by, ok := written[path]; ok {
			errs = append(errs, usagef("%s and %s both generate %s: rename one of them", by, out.source, out.path))
		}
		written[path] = out.source
		folders[filepath.Dir(out.path)] = true
	}
	declare := func(folder, path string, f goFile) {
		for _, name := range f.declares {
			declared[goName{folder, f.pkg, name}] = path
		}
	}
	for folder := range folders {
		names, _ := fs.Glob(os.DirFS(folder), "*.go") // in no folder there are none to clash with
		for _, name := range names {
			path := filepath.Join(folder, name)
			if code, err := os.ReadFile(path); err == nil && written[strings.ToLower(path)] == "" {
				declare(folder, path, parseGo(path, code))
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
		declare(folder, out.path, f)
	}
	return errs
}

// clash is the error for a name that another file declares, at the template that needs it
// or at the top of the file of templates.
func (g *generated) clash(name, by string) error {
	at, pos := g.file.Queries[0], lang.Pos{File: g.file.Queries[0].Pos.File, Line: 1, Col: 1}
	for _, q := range g.file.Queries {
		if slices.Contains(codegen.NewQueryNames(q.Name).All(), name) {
			at, pos = q, q.Pos
		}
	}
	return at.Errorf(pos, "rename one of them", "the generated %s needs the Go name %s, which %s declares", filepath.Base(g.path), name, by)
}

// goFile is what a Go file adds to its package and to its own scope.
type goFile struct {
	pkg               string
	declares, imports []string
}

// parseGo finds the names of a Go file. One that does not parse has none: the Go compiler
// will say so.
func parseGo(file string, code []byte) (g goFile) {
	f, err := parser.ParseFile(token.NewFileSet(), file, code, parser.SkipObjectResolution)
	if err != nil {
		return g
	}
	g.pkg = f.Name.Name
	declare := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.Name != "_" {
				g.declares = append(g.declares, name.Name)
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" {
				declare(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					declare(s.Name)
				case *ast.ValueSpec:
					declare(s.Names...)
				}
			}
		}
	}
	for _, s := range f.Imports {
		name, _ := strconv.Unquote(s.Path.Value) // it was parsed
		if name = path.Base(name); s.Name != nil {
			name = s.Name.Name
		}
		g.imports = append(g.imports, name)
	}
	return g
}

// kernels returns the CUDA files of one file of templates.
func (c *generateCmd) kernels(path, name string, f *compiler.File) ([]generated, error) {
	files, err := cugen.File(f, cugen.Options{Source: filepath.Base(path), Package: name})
	if err != nil {
		return nil, located(path, err)
	}
	var outputs []generated
	for _, file := range files {
		outputs = append(outputs, generated{source: "--cuda " + path, file: f.Source, path: filepath.Join(filepath.Dir(path), file.Name), code: file.Code})
	}
	return outputs, nil
}
