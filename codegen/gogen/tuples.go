package gogen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
)

// part is a query that helps to answer a template with several answer variables.
type part struct {
	template
	compiler.Part
}

// parts compiles the parts of a template.
func (g *generator) parts(a *compiler.Analysis, q *template) error {
	for i, p := range a.PartsFor(g.file.Semantics) {
		c, err := g.file.CompilePart(p)
		if err != nil {
			return err
		}
		out := &part{template{Query: p.Source, QueryNames: codegen.NewQueryNames(fmt.Sprint(q.Name, "Part", i+1)), slots: p.Shape}, p}
		if out.shape, err = g.shapeOf(c, out.QueryNames); err != nil {
			return err
		}
		out.shape.users = append(out.shape.users, q.Type)
		q.parts = append(q.parts, out)
	}
	return nil
}

// tuples prints a template with several answer variables.
func (g *generator) tuples(q *template) {
	g.describe(q, "")
	g.out.Type().Id(q.Type).Struct(jen.Id("template").Qual(codegen.RuntimePath, "TupleTemplate").Types(jen.Id(q.Parameters)))
	g.params(q)
	g.tupleConstructor(q)
	g.reply(q)
	var free []string
	for _, v := range q.Variables() {
		free = append(free, v.Name)
	}
	g.answer(q, fmt.Sprintf("Answer ranks the entities that %s may be together.", strings.Join(free, ", ")))
	g.warning(q)
}

// tupleNames are the distinct names in a template, in the order of their first use.
type tupleNames struct {
	entities  []string
	relations []lang.Relation
}

// indexOf returns the index of an element, which it appends if it is new.
func indexOf[T comparable](list *[]T, x T) int {
	at := slices.Index(*list, x)
	if at < 0 {
		at, *list = len(*list), append(*list, x)
	}
	return at
}

// tupleConstructor prints the function that binds a template to a model.
func (g *generator) tupleConstructor(q *template) {
	doc := fmt.Sprintf("%s binds %s to a model: it resolves the query's names once, and reports all that the model lacks.", q.New, q.Type)
	g.newFunc(q.New, doc, jen.Op("*").Id(q.Type), func(b *jen.Group) {
		names := &tupleNames{}
		var list, bindings, entities, relations []jen.Code
		for _, p := range q.parts {
			bindings = append(bindings, g.partBindings(q, p, names))
		}
		g.newLookup(b, q)
		for _, name := range names.entities {
			entities = append(entities, jen.Id("names").Dot("Entity").Call(jen.Lit(name)))
		}
		for _, r := range names.relations {
			relations = append(relations, jen.Id("names").Dot("Relation").Call(jen.Lit(r.Name), jen.Lit(r.Inverse)))
		}
		if entities != nil {
			b.Id("entities").Op(":=").Index().Qual(codegen.ModelPath, "EntityID").Values(codegen.Lines(entities...)...)
		}
		if relations != nil {
			b.Id("relations").Op(":=").Index().Qual(codegen.ModelPath, "RelationID").Values(codegen.Lines(relations...)...)
		}
		b.If(jen.Err().Op(":=").Id("names").Dot("Err").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
		for i, p := range q.parts {
			plan := jen.Id(p.shape.variable)
			if g.options.Part == TypesOnly {
				plan = jen.Id(fmt.Sprint("plan", i+1))
				b.List(plan.Clone(), jen.Err()).Op(":=").Id("plans").Call(
					graphs(p.shape.Shape), jen.Qual(codegen.ModelPath, codegen.Semantics[p.shape.Semantics]), jen.Lit(p.shape.Layers))
				b.Add(failed())
			}
			role := jen.Qual(codegen.RuntimePath, "TupleRole").Values(codegen.Field("Variable", jen.Lit(p.Variable)), codegen.Field("Disjunct", jen.Lit(p.Disjunct)), codegen.Field("Own", jen.Lit(p.Own)))
			list = append(list, jen.Values(codegen.Lines(
				codegen.Field("TupleRole", role), codegen.Field("Plan", plan), codegen.Field("Names", g.queryNames(&p.template)))...))
		}
		var free []jen.Code
		for _, v := range q.Variables() {
			free = append(free, jen.Lit(v.Name))
		}
		b.List(jen.Id("q"), jen.Err()).Op(":=").Qual(codegen.RuntimePath, "BindTuples").Call(jen.Id("m"),
			jen.Index().String().Values(free...), jen.Qual(codegen.ModelPath, codegen.Semantics[g.file.Semantics]),
			jen.Index().Qual(codegen.RuntimePath, "TuplePlan").Values(codegen.Lines(list...)...))
		b.Add(failed())
		bind := jen.Func().Params(jen.Id("p").Id(q.Parameters)).Index().Qual(codegen.SCQPath, "Bindings").Block(
			jen.Return(jen.Index().Qual(codegen.SCQPath, "Bindings").Values(codegen.Lines(bindings...)...)))
		args := []jen.Code{jen.Id("q"), bind}
		for _, name := range q.Shown() {
			args = append(args, jen.Lit(name))
		}
		b.Return(jen.Op("&").Id(q.Type).Values(jen.Qual(codegen.RuntimePath, "NewTupleTemplate").Call(args...)), jen.Nil())
	})
}

// partBindings prints what fills the slots of a part: names, parameters, and values of variables before
// its own, which are its last parameters.
func (g *generator) partBindings(q *template, p *part, names *tupleNames) jen.Code {
	param := func(name string, relation bool) *jen.Statement {
		for i, x := range p.Source.Params {
			switch {
			case x.Name != name || (x.Kind == lang.RelationKind) != relation:
			case i >= len(q.Params):
				return jen.Qual(codegen.RuntimePath, "Given").Call(jen.Lit(i - len(q.Params)))
			default:
				return jen.Id("p").Dot(q.fields[i]).Dot("ID").Call()
			}
		}
		panic("internal error: gogen: unknown parameter " + name)
	}
	var constants, relations []jen.Code
	for _, t := range p.slots.Constants {
		if t.Kind == lang.Constant {
			constants = append(constants, jen.Id("entities").Index(jen.Lit(indexOf(&names.entities, t.Name))))
		} else {
			constants = append(constants, param(t.Name, false))
		}
	}
	for _, r := range p.slots.Relations {
		switch {
		case !r.Param:
			relations = append(relations, jen.Id("relations").Index(jen.Lit(indexOf(&names.relations, lang.Relation{Name: r.Name, Inverse: r.Inverse}))))
		case r.Inverse:
			relations = append(relations, param(r.Name, true).Dot("Inverse").Call())
		default:
			relations = append(relations, param(r.Name, true))
		}
	}
	return jen.Values(codegen.Lines(
		codegen.Field("Constants", jen.Index().Qual(codegen.ModelPath, "EntityID").Values(filled(constants)...)),
		codegen.Field("Relations", jen.Index().Qual(codegen.ModelPath, "RelationID").Values(filled(relations)...)),
	)...)
}
