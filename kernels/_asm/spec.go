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

// families lists the kernels by file, in the order in which they are generated.
var families = map[string][]string{
	"dot":    {"DotRows", "DotRows2", "DotRows4"},
	"axpy":   {"AxpyRows", "AxpyRows2", "AxpyAt"},
	"exp":    {"ExpSum", "ExpMax"},
	"vector": {"Max", "SumAbove", "IndexAbove", "ScaleAbove", "ScaleClip", "Add", "Mul", "MaxOf", "Lerp", "Scale", "ScaleAdd", "AddConst"},
	"gemm":   {"GemmNT"},
	"train":  {"Gemm", "ExpShifts", "AdagradN3"},
	"int8":   {"DotRowsI8", "DotRows2I8", "DotRows4I8", "DotRowsI16", "DotRows2I16", "DotRows4I16", "AxpyAtI8", "SumRowsI8", "SumRows2I8", "WidenI8", "WidenBF16", "WidenF16"},
}

// order is the order of the families in package simd.
var order = []string{"dot", "axpy", "exp", "vector", "gemm", "train", "int8"}

// kernel is what package ref says about a kernel.
type kernel struct {
	name   string
	doc    []string // lines, without the slashes
	decl   *ast.FuncDecl
	source *token.FileSet
}

// readFuncs reads the exported functions of the Go files that match pattern.
func readFuncs(pattern string) (map[string]kernel, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
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
