package gogen

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// Packages that generated code imports.
const (
	queryPath = "github.com/efoc/efoc/runtime/query"
	modelPath = "github.com/efoc/efoc/runtime/model"
	scqPath   = "github.com/efoc/efoc/runtime/scq"
	fitPath   = "github.com/efoc/efoc/runtime/fit"
)

// Options say how a file is generated.
type Options struct {
	// Source is the base name of the .efo file, for the header and the name of the
	// list of plans, so that several files can share a package.
	Source string
	// Package is the Go package of the generated file.
	Package string
}

// Output is a generated file.
type Output struct {
	Code []byte
	// Warnings are what the user should know about the templates; the comments of
	// their types say so too.
	Warnings []lang.Warning
}

// File generates the Go code of a checked file.
func File(f *lang.File, o Options) (*Output, error) {
	if !codegen.IsPackageName(o.Package) {
		return nil, fmt.Errorf("%q cannot be a Go package name: choose another with --package", o.Package)
	}
	if len(f.Queries) == 0 {
		return nil, fmt.Errorf("%s has no query to generate code for", o.Source)
	}
	names, err := codegen.NewFileNames(o.Source)
	if err != nil {
		first := f.Queries[0]
		return nil, first.Errorf(lang.Pos{File: first.Pos.File, Line: 1, Col: 1}, "", "%s", err)
	}
	semantics, err := model.ParseSemantics(f.Semantics)
	if err != nil {
		return nil, err
	}
	g := &generator{
		options:   o,
		file:      f,
		semantics: semantics,
		names:     names,
		out:       jen.NewFile(o.Package),
		shapes:    map[string]*shape{},
		degrees:   map[string]*shape{},
	}
	queries, err := g.compile(f)
	if err != nil {
		return nil, err
	}
	g.header(f)
	for _, q := range queries {
		g.query(q)
	}
	g.plans()
	var b bytes.Buffer
	if err := g.out.Render(&b); err != nil {
		return nil, fmt.Errorf("internal error: printing code for %s: %w", o.Source, err)
	}
	code, err := stable(b.Bytes())
	if err != nil {
		return nil, err
	}
	out := &Output{Code: code}
	for _, q := range queries {
		out.Warnings = append(out.Warnings, q.warnings...)
	}
	return out, nil
}

// stable formats code until that changes nothing more. Once is not enough where
// gofmt sets a line of a comment apart: the next time it is a heading.
func stable(code []byte) ([]byte, error) {
	for range 4 {
		next, err := format.Source(code)
		if err != nil {
			return nil, fmt.Errorf("internal error: formatting: %w", err)
		}
		if bytes.Equal(next, code) {
			break
		}
		code = next
	}
	return code, nil
}

// generator prints one file.
type generator struct {
	options   Options
	file      *lang.File
	semantics model.Semantics
	names     codegen.FileNames
	out       *jen.File
	shapes    map[string]*shape
	order     []*shape          // in order of first use
	degrees   map[string]*shape // the plans that explain answers, by the shape's text
}

// shape is a compiled shape and the names of its plan.
type shape struct {
	*compiler.Compiled
	variable string   // of the plan
	run      string   // of the function
	bind     string   // of the function that runs at binding, if there is one
	users    []string // the templates that share it
	degrees  *shape   // explains its answers; nil if it does so itself
	first    bool     // the first one with these degrees, which prints them
}

// template is a template and what the compiler made of it.
type template struct {
	*lang.Query
	codegen.QueryNames
	fields   []string // exported names of the parameters
	shape    *shape
	slots    *lower.Shape // the shape with this query's names
	warnings []lang.Warning
}

// compile compiles every template; templates of one shape share it.
func (g *generator) compile(f *lang.File) ([]*template, error) {
	var queries []*template
	taken := codegen.Claims{}
	taken.Claim(g.names.Plans, "the list of plans")
	taken.Claim(g.names.DevicePlans, "the list of plans for a device")
	var errs lang.ErrorList
	for _, q := range f.Queries {
		a, err := compiler.Analyze(q)
		if err != nil {
			return nil, err
		}
		out := &template{Query: q, QueryNames: codegen.NewQueryNames(q.Name), slots: a.Shape, warnings: a.Warnings}
		if out.shape, err = g.shape(a, out.QueryNames); err != nil {
			return nil, err
		}
		out.shape.users = append(out.shape.users, out.Type)
		for _, name := range []string{out.Type, out.Parameters, out.New} {
			if by := taken.Claim(name, "query "+q.Name); by != "" {
				errs = append(errs, clash(q, q.Pos, "query", q.Name, name, by))
			}
		}
		fields := codegen.Claims{}
		for _, p := range q.Params {
			field := codegen.Exported(p.Name)
			if by := fields.Claim(field, "parameter "+p.Name); by != "" {
				errs = append(errs, clash(q, p.Pos, "parameter", p.Name, field, by))
			}
			out.fields = append(out.fields, field)
		}
		queries = append(queries, out)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return queries, nil
}

func clash(q *lang.Query, pos lang.Pos, kind, name, identifier, by string) *lang.Error {
	return q.Errorf(pos, "rename one of them", "%s %q needs the Go name %s, which %s has already", kind, name, identifier, by)
}

// fixedSlots says which slots a query fills with names of its own.
func fixedSlots(s *lower.Shape) pass.Fixed {
	var f pass.Fixed
	for _, t := range s.Constants {
		f.Constants = append(f.Constants, t.Kind == lang.Constant)
	}
	for _, r := range s.Relations {
		f.Relations = append(f.Relations, !r.Param)
	}
	return f
}

// shape returns the compiled shape, which is named after the first template that has it.
// Templates of one shape share it, except for those whose own names let a pass over the
// table be made at binding: they share it with templates that name the same slots.
func (g *generator) shape(a *compiler.Analysis, names codegen.QueryNames) (*shape, error) {
	fixed := fixedSlots(a.Shape)
	c, err := a.Compile(compiler.CompileOptions{Layers: g.file.Layers, Semantics: g.semantics, Fixed: &fixed})
	if err != nil {
		return nil, err
	}
	key := a.Shape.Key
	if c.Bind != nil {
		key += fmt.Sprint(fixed)
	}
	if sh, ok := g.shapes[key]; ok {
		return sh, nil
	}
	if c.Plan.Relations == 0 {
		return nil, errors.New("internal error: shape without relations")
	}
	sh := &shape{Compiled: c, variable: names.Plan, run: names.Run}
	if c.Bind != nil {
		sh.bind = names.Bind
	}
	if c.Semantics == model.NSMP {
		if err := g.explain(sh, names); err != nil {
			return nil, err
		}
	}
	g.shapes[key] = sh
	g.order = append(g.order, sh)
	return sh, nil
}

// explain gives a shape the plan for truth degrees that explains its answers.
func (g *generator) explain(sh *shape, names codegen.QueryNames) error {
	key := sh.Shape.Key
	if sh.degrees = g.degrees[key]; sh.degrees != nil {
		return nil
	}
	c, err := compiler.Compile(sh.Shape, compiler.CompileOptions{Semantics: model.FIT})
	if err != nil {
		return err
	}
	sh.degrees, sh.first = &shape{Compiled: c, variable: names.Degrees, run: names.Why}, true
	g.degrees[key] = sh.degrees
	return nil
}

// header prints what stands above the templates.
func (g *generator) header(f *lang.File) {
	g.out.HeaderComment("Code generated by efoc from " + strings.Map(printable, g.options.Source) + ". DO NOT EDIT.")
	if f.Package == "" || f.Package == g.options.Package { // the comment is of that package
		for _, line := range commentLines(f.Doc) {
			g.out.PackageComment(line)
		}
	}
	for path, name := range map[string]string{queryPath: "query", modelPath: "model", scqPath: "scq", fitPath: "fit"} {
		g.out.ImportName(path, name)
	}
}
