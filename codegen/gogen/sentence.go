package gogen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/efoc/efoc/codegen"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
)

// claims compiles the parts of a sentence.
func (g *generator) claims(a *compiler.Analysis, q *template) error {
	for i, part := range a.Claims {
		p := &template{Query: part.Source, QueryNames: q.QueryNames.Part(i), slots: part.Shape, aliases: q.aliases, at: q.Query.Parts.Parts[i].At}
		var err error
		if p.shape, err = g.shape(part, p.QueryNames); err != nil {
			return err
		}
		if !slices.Contains(p.shape.users, q.Type) {
			p.shape.users = append(p.shape.users, q.Type)
		}
		q.claims = append(q.claims, p)
	}
	return nil
}

// sentence prints a sentence: its type, parameters, constructor and method, and the functions that
// make its claims.
func (g *generator) sentence(q *template) {
	g.describe(q, "")
	g.out.Type().Id(q.Type).Struct(jen.Id("template").Qual(codegen.RuntimePath, "Sentence").Types(jen.Id(q.Parameters)))
	g.params(q)
	g.newFunc(q.New, fmt.Sprintf("%s binds %s to a model: it resolves the sentence's names once, and reports those that the model lacks.", q.New, q.Type),
		jen.Op("*").Id(q.Type), func(b *jen.Group) {
			args := []jen.Code{jen.Index().Index().Int().Add(codegen.Literal(q.Parts.Disjuncts, codegen.Fields{}))}
			for i, p := range q.claims {
				claim, from := fmt.Sprintf("claim%d", i+1), []jen.Code{jen.Id("m")}
				if g.options.Part == TypesOnly {
					from = append(from, jen.Id("plans"))
				}
				b.List(jen.Id(claim), jen.Err()).Op(":=").Id(p.Claim).Call(from...)
				b.Add(failed())
				args = append(args, jen.Id(claim))
			}
			b.Return(jen.Op("&").Id(q.Type).Values(jen.Qual(codegen.RuntimePath, "NewSentence").Call(args...)), jen.Nil())
		})
	for _, p := range q.claims {
		g.claim(p)
	}
	g.method(q, "Decide", "Decide says whether the sentence is known, or predicted and with what confidence, with its best witness.",
		"p", jen.Id(q.Parameters), runtimePointer("Verdict"), nil)
	g.warning(q)
}

// claim prints the function that makes a claim of a sentence.
func (g *generator) claim(p *template) {
	claim := jen.Op("*").Qual(codegen.RuntimePath, "ClaimOf").Types(jen.Id(p.Parameters))
	doc := fmt.Sprintf("%s binds a claim of %s, of shape %s: %s", p.Claim, p.Type, p.shape.Shape.Key, p.Normal)
	if p.at != nil {
		doc += fmt.Sprintf(" with %s = %s", p.Free, p.at)
	}
	g.newFunc(p.Claim, doc+".", claim, func(b *jen.Group) {
		args := []jen.Code{g.bound(b, p), g.bind(p)}
		entity := func(id *jen.Statement) jen.Code {
			return jen.Func().Params(jen.Id("p").Id(p.Parameters)).Qual(codegen.ModelPath, "EntityID").Block(jen.Return(id))
		}
		switch {
		case p.at == nil:
			args = append(args, jen.Lit(""), jen.Nil())
		case p.at.Kind == lang.Parameter:
			args = append(args, jen.Lit(p.atField), entity(jen.Id("p").Dot(p.atField).Dot("ID").Call()))
		default:
			args = append(args, jen.Lit(""), entity(jen.Id("entity")))
		}
		b.Return(jen.Qual(codegen.RuntimePath, "NewClaim").Call(args...), jen.Nil())
	})
}
