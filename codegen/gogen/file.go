package gogen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Options say how a file is generated.
type Options struct {
	// Version is the release of efoc that generates the file, empty for another build.
	Version string
	// Source is the base name of the .efo file, for the header and the name of the
	// list of plans, so that several files can share a package.
	Source string
	// Package is the Go package of the generated file.
	Package string
	// Section says what of the file is generated.
	Section Section
	// Types are the types of the parameters, nil if no model gives any.
	Types *ParamTypes
	// Bench asks for benchmarks of the templates too, where there are both types and plans.
	Bench bool
}

// Section is what of a file is generated.
type Section int

// The parts.
const (
	// Everything is the types of the templates and the plans of their shapes.
	Everything Section = iota
	// TypesOnly leaves out the plans: constructors take a plan.Plans.
	TypesOnly
	// PlansOnly leaves out the types.
	PlansOnly
)

// String returns the flag that asks for the part, "" for Everything.
func (p Section) String() string { return [...]string{"", "--types-only", "--plans-only"}[p] }

// Header returns the first line of a file that a version of efoc generates from a source.
func (p Section) Header(version, source string) string {
	if flag := p.String(); flag != "" {
		source += " with " + flag
	}
	return codegen.Header(version, source)
}

// Output is a generated file.
type Output struct {
	Code []byte
	// Bench is the file of benchmarks, nil unless Options.Bench asks for it.
	Bench []byte
	// Warnings are what the user should know about the templates; the comments of
	// their types say so too.
	Warnings []lang.Warning
}

// File generates the Go code of a file.
func File(f *stages.File, o Options) (*Output, error) {
	if !codegen.IsPackageName(o.Package) {
		return nil, fmt.Errorf("%q cannot be a Go package name: choose another", o.Package)
	}
	if len(f.Templates) == 0 {
		return nil, fmt.Errorf("%s has no query to generate code for", o.Source)
	}
	names, err := codegen.NewFileNames(o.Source)
	if err != nil {
		first := f.Templates[0].Source
		return nil, first.Errorf(ast.Pos{File: first.Pos.File, Line: 1, Col: 1}, "", "%s", err)
	}
	g := &generator{
		options: o,
		file:    f,
		names:   names,
		out:     codegen.NewGoFile(o.Package, o.Section.Header(o.Version, o.Source)),
		shapes:  map[*stages.Compiled]*shape{},
		graphs:  map[string]string{},
	}
	queries, err := g.compile()
	if err != nil {
		return nil, err
	}
	g.header(f.Source)
	codegen.Pin(g.out, codegen.PlanPath, plan.ABI)
	if o.Section != PlansOnly {
		g.typesOfParams()
		for _, q := range queries {
			g.query(q)
		}
	}
	if o.Section != TypesOnly {
		if err := g.plans(); err != nil {
			return nil, err
		}
	}
	out := &Output{}
	out.Code, err = codegen.RenderGo(g.out)
	if err != nil {
		return nil, err
	}
	if o.Bench && o.Section == Everything {
		out.Bench, err = g.benchmarks(queries)
		if err != nil {
			return nil, err
		}
	}
	for _, q := range queries {
		out.Warnings = append(out.Warnings, q.Warnings...)
	}
	return out, nil
}

// generator prints one file.
type generator struct {
	options   Options
	file      *stages.File
	names     codegen.FileNames
	out       *jen.File
	shapes    map[*stages.Compiled]*shape
	order     []*shape          // in order of first use
	types     map[string]string // the Go types of parameters, by the types' names
	typeOrder []string
	graphs    map[string]string // the variables that hold the query graphs printed so far, by the shape's text
}

// shape is a compiled shape and the names of its plan.
type shape struct {
	*stages.Compiled
	variable  string // of the plan
	disjuncts string // the variable that holds its query graphs
	local     *localNames
	run       string   // of the function
	small     string   // of the function for small tables
	bind      string   // of the function that runs at binding, if there is one
	users     []string // the templates that share it, none if it explains the answers of others
	degrees   *shape   // explains its answers; nil if it does so itself
}

// template is a template and what the compiler made of it.
type template struct {
	*lang.Query
	codegen.QueryNames
	analysis *stages.Analysis
	spec     *plan.Spec
	fields   []string // exported names of the parameters
	shapes   []*shape // of the parts
}

// compile compiles every template; templates of one shape share it.
func (g *generator) compile() ([]*template, error) {
	var queries []*template
	taken := codegen.Claims{}
	taken.Claim(g.names.Plans, "the list of plans")
	taken.Claim(g.names.DevicePlans, "the list of plans for a device")
	var errs lang.ErrorList
	for _, a := range g.file.Templates {
		q := &template{Query: a.Source, QueryNames: codegen.NewQueryNames(a.Source.Name), analysis: a}
		if err := g.compileParts(q); err != nil {
			return nil, err
		}
		errs = append(errs, q.claim(taken)...)
		q.spec = g.specOf(q)
		queries = append(queries, q)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	g.nameTypes(taken)
	return queries, nil
}

// claim takes the names of the declarations of a template, and of the fields of its structs.
func (q *template) claim(taken codegen.Claims) (errs lang.ErrorList) {
	claim := func(names codegen.Claims, identifier string, pos ast.Pos, kind, name string) bool {
		by := names.Claim(identifier, kind+" "+name)
		if by != "" {
			errs = append(errs, q.Errorf(pos, "rename one of them", "%s %q needs the Go name %s, which %s has already", kind, name, identifier, by))
		}
		return by == ""
	}

	declared := []string{q.Type, q.Parameters, q.New}
	if q.hasRows() {
		declared = append(declared, q.Reply, q.Row)
	}
	for _, name := range declared {
		if !claim(taken, name, q.Pos, "query", q.Name) {
			break // the others have the same reason
		}
	}
	fields := codegen.Claims{}
	for _, p := range q.Params {
		field := codegen.Exported(p.Name)
		claim(fields, field, p.Pos, "parameter", p.Name)
		q.fields = append(q.fields, field)
	}
	if q.hasRows() {
		columns := rowClaims()
		for _, v := range slices.Concat(q.Variables(), q.Show) {
			claim(columns, codegen.Exported(v.Name), v.Pos, "variable", v.Name)
		}
	}
	return errs
}

// compileParts compiles the parts of a template. A shape is named after the first part that has it. Parts of one
// shape share it, except for those whose own names let a sweep of the table be made at binding: they share it
// with parts that name the same slots.
func (g *generator) compileParts(q *template) error {
	for i, part := range q.analysis.PartsFor(g.file.Semantics) {
		c, err := g.file.Compile(part, true)
		if err != nil {
			return err
		}
		sh := g.shapeOf(c, q.QueryNames.Part(i))
		q.shapes = append(q.shapes, sh)
		if !slices.Contains(sh.users, q.Type) {
			sh.users = append(sh.users, q.Type)
		}
		if c.Semantics == model.NSMP && !part.Rows() {
			if err := g.explain(sh, part, q.QueryNames.Part(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// explain gives a shape the one that explains its answers by truth degrees.
func (g *generator) explain(sh *shape, part *stages.Part, names codegen.QueryNames) error {
	if sh.degrees != nil {
		return nil
	}
	c, err := g.file.CompileDegrees(part)
	if err != nil {
		return err
	}
	sh.degrees = g.shapes[c]
	if sh.degrees == nil {
		sh.degrees = &shape{Compiled: c, variable: names.Degrees, run: names.Why, disjuncts: names.Disjuncts, local: sh.local}
		g.shapes[c] = sh.degrees
		g.order = append(g.order, sh.degrees)
	}
	return nil
}

// shapeOf returns a compiled shape, which is named after the first that has it.
func (g *generator) shapeOf(c *stages.Compiled, names codegen.QueryNames) *shape {
	if sh, ok := g.shapes[c]; ok {
		return sh
	}
	sh := &shape{Compiled: c, variable: names.Plan, run: names.Run, small: names.Small, disjuncts: names.Disjuncts, local: newLocalNames(c.Shape)}
	if c.Bind != nil {
		sh.bind = names.Bind
	}
	g.shapes[c] = sh
	g.order = append(g.order, sh)
	return sh
}

// header prints what stands above the templates.
func (g *generator) header(f *lang.File) {
	if f.Package == "" || f.Package == g.options.Package { // the comment is of that package
		for _, line := range commentLines(f.Doc) {
			g.out.PackageComment(line)
		}
	}
}
