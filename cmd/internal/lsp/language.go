package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/explain"
	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
)

// edit replaces a range of a text.
type edit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

// item is a possible completion.
type item struct {
	Label      string `json:"label"`
	Kind       int    `json:"kind"`
	Detail     string `json:"detail,omitempty"`
	SortText   string `json:"sortText"`
	FilterText string `json:"filterText"`
	TextEdit   edit   `json:"textEdit"`
}

// Kinds of completions, which editors show as icons.
const (
	kindFunction = 3
	kindVariable = 6
	kindKeyword  = 14
	kindConstant = 21
)

// maxFound bounds the entities, and the relations, of a completion.
const maxFound = 50

// complete offers completions at a position. The model finds incomplete and misspelt names, so the editor is told to
// ask again at each letter, without filtering.
func (s *session) complete(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}
	at := d.offset(p.Position)
	place := d.placeAt(at)
	items := []item{}
	add := func(kind int, word, detail, filter string) {
		items = append(items, item{word, kind, detail, fmt.Sprintf("%04d", len(items)), filter, edit{d.span(place.Start, place.End), word}})
	}
	for _, name := range place.Names {
		add(kindVariable, name, "", name)
	}
	typed := d.text[place.Start:at]
	find := func(kind string, icon int, written func(name string) string) {
		for _, f := range lookup.Find(s.Model, kind, place.Typed, maxFound) {
			detail := fmt.Sprintf("%s, %d facts", kind, f.Facts)
			if f.Label != f.Text {
				detail += ": " + f.Label
			}
			add(icon, written(f.Text), detail, typed)
		}
	}
	if place.Relations {
		find("relation", kindFunction, func(name string) string { return ast.Relation{Name: name}.String() })
		for _, a := range s.Model.Bundle().Manifest.Attributes {
			name := ast.Relation{Name: a.Name}.String()
			add(kindFunction, name, fmt.Sprintf("%s, %d values: %s(x) > …", a.Kind, a.Values, name), name)
		}
	}
	if place.Entities {
		find("entity", kindConstant, func(name string) string { return ast.Term{Kind: ast.Constant, Name: name}.String() })
	}
	for _, word := range place.Keywords {
		add(kindKeyword, word, "", word)
	}
	return map[string]any{"isIncomplete": true, "items": items}, nil
}

// hover describes an entity or relation, or the cost of the template at a position.
func (s *session) hover(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}
	u := d.useAt(p.Position)
	if u == nil {
		return nil, nil
	}
	var text string
	switch u.Kind {
	case ast.EntityUse:
		text = s.entity(u.Name)
	case ast.RelationUse:
		text = s.relation(u.Name)
	case ast.AliasUse:
		for _, a := range d.file.Aliases {
			if a.Name == u.Name {
				text = s.relation(a.Relation.Name)
			}
		}
	default:
		text = s.template(d, u)
	}
	if text == "" {
		return nil, nil
	}
	return map[string]any{"range": d.span(u.start, u.end), "contents": map[string]any{"kind": "markdown", "value": text}}, nil
}

// entity describes an entity; it returns nothing for an unknown name.
func (s *session) entity(name string) string {
	id, err := s.Model.Bundle().FindEntity(name)
	if err != nil {
		return ""
	}
	return s.describe("entity", s.Model.Bundle().Entities.Name(id))
}

// relation describes a relation; it returns nothing for an unknown name.
func (s *session) relation(name string) string {
	directed, err := s.Model.Bundle().FindRelation(name)
	if err != nil {
		return ""
	}
	return s.describe("relation", s.Model.Bundle().Relations.Name(directed/2))
}

// describe describes the entity or relation with exactly that name.
func (s *session) describe(kind, name string) string {
	for _, f := range lookup.Find(s.Model, kind, name, 1) {
		return fmt.Sprintf("```efo\n%s\n```\n%s %s, %d facts", f.Text, kind, f.Label, f.Facts)
	}
	return ""
}

// template shows the template that contains a name, its documentation, and its cost.
func (s *session) template(d *reading, u *use) string {
	shown := d.template(u.Template)
	if shown == nil {
		return ""
	}

	q := *shown
	q.Doc = ""
	text := "```efo\n" + (&lang.File{Queries: []*lang.Query{&q}}).String() + "```\n"
	if shown.Doc != "" {
		text += shown.Doc + "\n\n"
	}
	if !slices.Contains(d.file.Queries, shown) {
		return text
	}
	return text + s.cost(d.file, shown)
}

// cost describes the cost of a template: for a sentence, of each of its parts.
func (s *session) cost(f *lang.File, q *lang.Query) string {
	var lines []string
	reports, err := explain.Reports(stages.Analyze(q), f.Layers, s.semantics(f))
	if err != nil {
		return err.Error()
	}
	for _, r := range reports {
		lines = append(lines, r.Summary(explain.TableOf(s.Model.Bundle())))
	}
	return strings.Join(lines, "\n\n")
}

// location is a range of a document.
type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

// definition finds the declaration of an alias, a parameter or a variable.
func (s *session) definition(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}
	u := d.useAt(p.Position)
	if u == nil || !u.Decl.IsValid() {
		return nil, nil
	}
	at := u.Decl.Offset
	return location{d.uri, d.span(at, d.wordEnd(at))}, nil
}

// format formats a document without mistakes; it leaves others unchanged.
func (s *session) format(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}
	if len(d.mistakes) > 0 {
		return []edit{}, nil
	}
	formatted := d.file.String()
	if formatted == d.text {
		return []edit{}, nil
	}
	return []edit{{d.span(0, len(d.text)), formatted}}, nil
}
