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
	"github.com/efoc/efoc/runtime/fit"
)

// Packages that generated code imports, the second one for other semantics alone.
const (
	runtimePath = "github.com/efoc/efoc/runtime"
	fitPath     = "github.com/efoc/efoc/runtime/fit"
)

// Options say how a file is generated.
type Options struct {
	// Source is the base name of the .efo file, for the header. The part before
	// the dot is a prefix of the names of plans, so that several files can share
	// a package.
	Source string
	// Package is the Go package of the generated file.
	Package string
	// Layers is L, 0 for D+1.
	Layers int
	// Semantics says what answers mean; empty means fit.NSMP.
	Semantics fit.Semantics
}

// File generates the Go code of a checked file.
func File(f *lang.File, o Options) ([]byte, error) {
	if !codegen.IsPackageName(o.Package) {
		return nil, fmt.Errorf("%q cannot be a Go package name: choose another with --package", o.Package)
	}
	if len(f.Queries) == 0 {
		return nil, fmt.Errorf("%s has no query to generate code for", o.Source)
	}
	g := &generator{
		options: o,
		prefix:  codegen.FilePrefix(o.Source),
		out:     jen.NewFile(o.Package),
		shapes:  map[string]*shape{},
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
	return stable(b.Bytes())
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
	options Options
	prefix  string
	out     *jen.File
	shapes  map[string]*shape
	order   []*shape // in order of first use
}

// shape is a compiled shape and the names of its plan.
type shape struct {
	*compiler.Compiled
	name     string   // such as 2p
	variable string   // of the plan
	run      string   // of the function
	bind     string   // of the function that runs at binding, if there is one
	users    []string // the templates that share it
}

// query is a template and what the compiler made of it.
type query struct {
	*lang.Query
	typeName string
	fields   []string // exported names of the parameters
	shape    *shape
	names    *lower.Shape // the shape with this query's names
}

// compile compiles every template; templates of one shape share it.
func (g *generator) compile(f *lang.File) ([]*query, error) {
	var queries []*query
	taken := newNames()
	taken.claim(g.plansVariable(), "the list of plans")
	var errs lang.ErrorList
	for _, q := range f.Queries {
		a, err := compiler.Analyze(q)
		if err != nil {
			return nil, err
		}
		names := a.Shape
		sh, err := g.shape(a, fixedSlots(names))
		if err != nil {
			return nil, err
		}
		out := &query{Query: q, typeName: codegen.Exported(q.Name), shape: sh, names: names}
		sh.users = append(sh.users, out.typeName)
		for _, name := range []string{out.typeName, out.typeName + "Params", "New" + out.typeName} {
			if by := taken.claim(name, "query "+q.Name); by != "" {
				errs = append(errs, clash(q.Pos, "query", q.Name, name, by))
			}
		}
		fields := newNames()
		for _, p := range q.Params {
			field := codegen.Exported(p.Name)
			if by := fields.claim(field, "parameter "+p.Name); by != "" {
				errs = append(errs, clash(p.Pos, "parameter", p.Name, field, by))
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

func clash(pos lang.Pos, kind, name, identifier, by string) *lang.Error {
	return &lang.Error{
		Pos:  pos,
		Msg:  fmt.Sprintf("%s %q needs the Go name %s, which %s has already", kind, name, identifier, by),
		Hint: "rename one of them",
	}
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

// shape returns the compiled shape. Templates of one shape share it, but for those
// whose own names let a pass over the table be made at binding: they share it with
// templates that name the same slots.
func (g *generator) shape(a *compiler.Analysis, fixed pass.Fixed) (*shape, error) {
	c, err := a.Compile(compiler.CompileOptions{Layers: g.options.Layers, Semantics: g.semantics(), Fixed: &fixed})
	if err != nil {
		return nil, err
	}
	key, suffix := a.Shape.Key, ""
	if c.Bind != nil {
		suffix = fixedText(fixed)
		key += " " + suffix
	}
	if sh, ok := g.shapes[key]; ok {
		return sh, nil
	}
	if c.Plan.Relations == 0 {
		return nil, errors.New("internal error: shape without relations")
	}
	name := codegen.ShapeName(a.Shape.Key, g.options.Layers) + suffix
	sh := &shape{
		Compiled: c, name: name,
		variable: g.lowerPrefix() + "Plan" + name,
		run:      "run" + codegen.Exported(g.prefix) + name,
	}
	if c.Bind != nil {
		sh.bind = "bind" + codegen.Exported(g.prefix) + name
	}
	g.shapes[key] = sh
	g.order = append(g.order, sh)
	return sh, nil
}

// fixedText names the fixed slots: S1R2.
func fixedText(f pass.Fixed) string {
	var b strings.Builder
	for i, fixed := range f.Constants {
		if fixed {
			fmt.Fprintf(&b, "S%d", i+1)
		}
	}
	for i, fixed := range f.Relations {
		if fixed {
			fmt.Fprintf(&b, "R%d", i+1)
		}
	}
	return b.String()
}

func (g *generator) plansVariable() string { return codegen.PlansName(g.options.Source) }

// lowerPrefix is the prefix as the start of an unexported name.
func (g *generator) lowerPrefix() string { return strings.ToLower(g.prefix[:1]) + g.prefix[1:] }

// header prints what stands above the templates.
func (g *generator) header(f *lang.File) {
	g.out.HeaderComment("Code generated by efoc from " + strings.Map(printable, g.options.Source) + ". DO NOT EDIT.")
	if f.Package == "" || f.Package == g.options.Package { // the comment is of that package
		for _, line := range commentLines(f.Doc) {
			g.out.PackageComment(line)
		}
	}
	g.out.ImportName("context", "context")
	g.out.ImportAlias(runtimePath, "rt")
}

// names keeps track of who claimed a Go name.
type names map[string]string

func newNames() names { return names{} }

// claim takes a name for an owner; it returns the earlier owner if there is one.
func (n names) claim(name, owner string) string {
	if by, ok := n[name]; ok {
		return by
	}
	n[name] = owner
	return ""
}
