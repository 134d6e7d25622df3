package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"strings"
)

// kernel is package ref's description of a kernel.
type kernel struct {
	name   string
	doc    []string // lines, without comment marks
	decl   *ast.FuncDecl
	source *token.FileSet
}

// readFuncs reads the exported functions of the Go files that match pattern.
func readFuncs(pattern string) (map[string]kernel, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no files match %s", pattern)
	}

	kernels := map[string]kernel{}
	set := token.NewFileSet()
	for _, path := range paths {
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
				doc := strings.Split(strings.TrimSpace(f.Doc.Text()), "\n")
				kernels[f.Name.Name] = kernel{f.Name.Name, doc, f, set}
			}
		}
	}
	return kernels, nil
}

// signature returns the type of k, from func on.
func (k kernel) signature() string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, k.source, k.decl.Type); err != nil {
		panic(err)
	}
	return b.String()
}

// args returns the names of the parameters of k.
func (k kernel) args() []string {
	var names []string
	for _, field := range k.decl.Type.Params.List {
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// comment returns the doc comment of k.
func (k kernel) comment() string {
	return fmt.Sprintf("// %s", strings.Join(k.doc, "\n// "))
}
