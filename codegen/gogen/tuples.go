package gogen

import (
	"fmt"
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
	names := newTupleNames(q)
	g.tupleConstructor(q, names)
	g.tupleResults(q)
	var free []string
	for _, v := range q.Variables() {
		free = append(free, v.Name)
	}
	g.prose(fmt.Sprintf("Answer ranks the entities that %s may be together.", strings.Join(free, ", ")))
	g.out.Func().Params(jen.Id("q").Op("*").Id(q.Type)).Id("Answer").Params(ctx(), jen.Id("p").Id(q.Parameters), options()).
		Params(jen.Op("*").Id(q.TupleRows), jen.Error()).Block(
		jen.List(jen.Id("r"), jen.Err()).Op(":=").Id("q").Dot("template").Dot("Answer").Call(jen.Id("ctx"), jen.Id("p"), jen.Id("o")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Return(jen.Id(q.Rows).Call(jen.Id("r")), jen.Nil()))
	g.warning(q)
}

// tupleNames are the distinct names in a template.
type tupleNames struct {
	entities  []string
	relations []lang.Relation
}

func newTupleNames(q *template) *tupleNames {
	n := &tupleNames{}
	for _, p := range q.parts {
		for _, t := range p.slots.Constants {
			if t.Kind == lang.Constant {
				n.entity(t.Name)
			}
		}
		for _, r := range p.slots.Relations {
			if !r.Param {
				n.relation(r)
			}
		}
	}
	return n
}

// entity returns the index of a name, adding a new one.
func (n *tupleNames) entity(name string) int {
	for i, known := range n.entities {
		if known == name {
			return i
		}
	}
	n.entities = append(n.entities, name)
	return len(n.entities) - 1
}

// relation returns the index of a directed relation, adding a new one.
func (n *tupleNames) relation(r lang.Relation) int {
	for i, known := range n.relations {
		if known.Name == r.Name && known.Inverse == r.Inverse {
			return i
		}
	}
	n.relations = append(n.relations, r)
	return len(n.relations) - 1
}

// tupleConstructor prints the function that binds a template to a model.
func (g *generator) tupleConstructor(q *template, names *tupleNames) {
	g.prose(fmt.Sprintf("%s binds %s to a model: it resolves the query's names once, and reports all that the model lacks.", q.New, q.Type))
	params := []jen.Code{jen.Id("m").Op("*").Qual(codegen.RuntimePath, "Model")}
	if g.options.Part == TypesOnly {
		g.prose("The plans of its parts come from plans, such as compiler.Plans(nil), which compiles them now.")
		params = append(params, jen.Id("plans").Qual(codegen.PlanPath, "Plans"))
	}
	fail := jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
	g.out.Func().Id(q.New).Params(params...).Params(jen.Op("*").Id(q.Type), jen.Error()).BlockFunc(func(b *jen.Group) {
		b.Id("names").Op(":=").Qual(codegen.PlanPath, "NewLookup").Call(jen.Id("m").Dot("Model"), jen.Lit(q.Name))
		var entities, relations []jen.Code
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
		var list, bindings []jen.Code
		for i, p := range q.parts {
			plan := jen.Id(p.shape.variable)
			if g.options.Part == TypesOnly {
				plan = jen.Id(fmt.Sprint("plan", i+1))
				b.List(plan.Clone(), jen.Err()).Op(":=").Id("plans").Call(
					graphs(p.shape.Shape), jen.Qual(codegen.ModelPath, codegen.Semantics[p.shape.Semantics]), jen.Lit(p.shape.Layers))
				b.Add(fail.Clone())
			}
			role := jen.Qual(codegen.RuntimePath, "TupleRole").Values(codegen.Field("Variable", jen.Lit(p.Variable)), codegen.Field("Disjunct", jen.Lit(p.Disjunct)), codegen.Field("Own", jen.Lit(p.Own)))
			list = append(list, jen.Values(codegen.Lines(
				codegen.Field("TupleRole", role), codegen.Field("Plan", plan), codegen.Field("Names", g.queryNames(&p.template)))...))
			bindings = append(bindings, g.partBindings(q, p, names))
		}
		var free, shown []jen.Code
		for _, v := range q.Variables() {
			free = append(free, jen.Lit(v.Name))
		}
		for _, name := range q.Shown() {
			shown = append(shown, jen.Lit(name))
		}
		b.List(jen.Id("q"), jen.Err()).Op(":=").Qual(codegen.RuntimePath, "BindTuples").Call(jen.Id("m"),
			jen.Index().String().Values(free...), jen.Qual(codegen.ModelPath, codegen.Semantics[g.file.Semantics]),
			jen.Index().Qual(codegen.RuntimePath, "TuplePlan").Values(codegen.Lines(list...)...))
		b.Add(fail.Clone())
		bind := jen.Func().Params(jen.Id("p").Id(q.Parameters)).Index().Qual(codegen.SCQPath, "Bindings").Block(
			jen.Return(jen.Index().Qual(codegen.SCQPath, "Bindings").Values(codegen.Lines(bindings...)...)))
		b.Return(jen.Op("&").Id(q.Type).Values(jen.Qual(codegen.RuntimePath, "NewTupleTemplate").Call(append([]jen.Code{jen.Id("q"), bind}, shown...)...)), jen.Nil())
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
			constants = append(constants, jen.Id("entities").Index(jen.Lit(names.entity(t.Name))))
		} else {
			constants = append(constants, param(t.Name, false))
		}
	}
	for _, r := range p.slots.Relations {
		switch {
		case !r.Param:
			relations = append(relations, jen.Id("relations").Index(jen.Lit(names.relation(r))))
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

// tupleResults prints the result of a template with several answer variables: a struct with a field
// for each of them, and for each variable to show.
func (g *generator) tupleResults(q *template) {
	g.prose(fmt.Sprintf("%s are the answers of %s.", q.TupleRows, q.Type))
	g.out.Type().Id(q.TupleRows).Struct(
		jen.Op("*").Qual(codegen.RuntimePath, "TupleAnswers"),
		jen.Comment("Rows are the rows, best first, with the values of variables as fields."),
		jen.Id("Rows").Index().Id(q.TupleRow).Tag(map[string]string{"json": "-"}),
	)
	g.prose(fmt.Sprintf("%s is a row of %s with the variables' values.", q.TupleRow, q.Type))
	fields := []jen.Code{jen.Qual(codegen.RuntimePath, "Row")}
	for _, v := range append(q.Variables(), q.Show...) {
		fields = append(fields, jen.Id(codegen.Exported(v.Name)).Qual(codegen.RuntimePath, "WitnessEntity").Comment(v.Name))
	}
	g.out.Type().Id(q.TupleRow).Struct(fields...)
	g.prose(fmt.Sprintf("%s puts the values of variables into fields.", q.Rows))
	g.out.Func().Id(q.Rows).Params(jen.Id("r").Op("*").Qual(codegen.RuntimePath, "TupleAnswers")).Op("*").Id(q.TupleRows).BlockFunc(func(b *jen.Group) {
		b.Id("rows").Op(":=").Make(jen.Index().Id(q.TupleRow), jen.Len(jen.Id("r").Dot("Rows")))
		b.For(jen.List(jen.Id("i"), jen.Id("x")).Op(":=").Range().Id("r").Dot("Rows")).BlockFunc(func(b *jen.Group) {
			row := jen.Id("rows").Index(jen.Id("i"))
			b.Add(row.Clone()).Dot("Row").Op("=").Id("x")
			for i, v := range q.Variables() {
				b.Add(row.Clone()).Dot(codegen.Exported(v.Name)).Op("=").Id("x").Dot("Values").Index(jen.Lit(i)).Dot("WitnessEntity")
			}
			for _, name := range q.Shown() {
				b.Add(row.Clone()).Dot(codegen.Exported(name)).Op("=").Id("x").Dot("Value").Call(jen.Lit(name))
			}
		})
		b.Return(jen.Op("&").Id(q.TupleRows).Values(jen.Id("r"), jen.Id("rows")))
	})
}
