package gogen

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Output is a generated file.
type Output struct {
	Code []byte
	// Warnings are about the templates; the comments of their types repeat them.
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
		out:     codegen.NewGoFile(o.Package, o.Header()),
		shapes:  map[*stages.Compiled]*shape{},
		graphs:  map[string]string{},
	}
	queries, err := g.compile()
	if err != nil {
		return nil, err
	}
	g.header(f.Source)
	codegen.Pin(g.out, codegen.PlanPath, plan.ABI)
	if !o.PlansOnly {
		for _, q := range queries {
			g.query(q)
		}
	}
	if err := g.plans(); err != nil {
		return nil, err
	}
	out := &Output{}
	out.Code, err = codegen.RenderGo(g.out)
	if err != nil {
		return nil, err
	}
	for _, q := range queries {
		out.Warnings = append(out.Warnings, q.Warnings...)
	}
	return out, nil
}

// compile compiles every template; templates of the same shape share the result.
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
	return queries, nil
}

// claim claims the names of a template's declarations and struct fields.
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
			break // the others fail for the same reason
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

// compileParts compiles the parts of a template. A shape is named after its first part.
func (g *generator) compileParts(q *template) error {
	for i, part := range q.analysis.PartsFor(g.file.Semantics) {
		c, err := g.file.Compile(part)
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

// explain sets the shape that explains sh's answers by truth degrees.
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

// shapeOf returns the shape of a compiled plan, named after its first user.
func (g *generator) shapeOf(c *stages.Compiled, names codegen.QueryNames) *shape {
	if sh, ok := g.shapes[c]; ok {
		return sh
	}
	sh := &shape{Compiled: c, variable: names.Plan, run: names.Run, small: names.Small, disjuncts: names.Disjuncts, local: newLocalNames(c.Shape)}
	g.shapes[c] = sh
	g.order = append(g.order, sh)
	return sh
}

// header prints everything above the templates.
func (g *generator) header(f *lang.File) {
	if f.Package == "" || f.Package == g.options.Package { // the comment documents that package
		for _, line := range commentLines(f.Doc) {
			g.out.PackageComment(line)
		}
	}
}
