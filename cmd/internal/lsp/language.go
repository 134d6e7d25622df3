package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"github.com/efoc/efoc/cmd/internal/explain"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
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

// maxFound is how many entities, and how many relations, are offered at once.
const maxFound = 50

// complete offers what may stand at a position. The model finds names that are half typed or misspelt,
// so the editor is told to ask again at each letter, and not to filter what was found.
func (s *session) complete(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}
	at := d.offset(p.Position)
	place := lang.PlaceAt(d.text, at)
	items := []item{}
	add := func(kind int, word, detail, filter string) {
		items = append(items, item{word, kind, detail, fmt.Sprintf("%04d", len(items)), filter, edit{d.span(place.Start, place.End), word}})
	}
	for _, name := range place.Names {
		add(kindVariable, name, "", name)
	}
	if place.Templates {
		d.parse()
		for _, other := range d.siblings {
			f, _ := other.parse()
			for _, q := range f.Queries {
				add(kindFunction, q.Name, "template of "+other.name(), q.Name)
			}
		}
	}
	typed := d.text[place.Start:at]
	find := func(kind string, icon int, written func(name string) string) {
		for _, f := range server.Find(s.Model, kind, place.Typed, maxFound) {
			detail := fmt.Sprintf("%s, %d facts", kind, f.Facts)
			if f.Label != f.Text {
				detail += ": " + f.Label
			}
			add(icon, written(f.Text), detail, typed)
		}
	}
	if place.Relations {
		find("relation", kindFunction, func(name string) string { return lang.Relation{Name: name}.String() })
	}
	if place.Entities {
		find("entity", kindConstant, func(name string) string { return lang.Term{Kind: lang.Constant, Name: name}.String() })
	}
	for _, word := range place.Keywords {
		add(kindKeyword, word, "", word)
	}
	return map[string]any{"isIncomplete": true, "items": items}, nil
}

// hover describes an entity or relation, or says what the template at a position costs.
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
	case lang.EntityUse:
		text = s.describe("entity", u.Name, s.Model.FindEntity)
	case lang.RelationUse:
		text = s.describe("relation", u.Name, s.Model.FindRelation)
	case lang.AliasUse:
		for _, a := range d.file().Aliases {
			if a.Name == u.Name {
				text = s.describe("relation", a.Relation.Name, s.Model.FindRelation)
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

// describe describes a name of the model; it returns nothing if that is not known.
func (s *session) describe(kind, name string, find func(string) (int32, error)) string {
	id, err := find(name)
	if err != nil {
		return ""
	}
	for _, f := range server.Find(s.Model, kind, name, 1) {
		if f.ID == id {
			return fmt.Sprintf("```efo\n%s\n```\n%s %s, %d facts", f.Text, kind, f.Label, f.Facts)
		}
	}
	return ""
}

// template shows a template, its documentation, and what it costs: that which is used at a name, or in
// which the name stands.
func (s *session) template(d *document, u *use) string {
	owner, shown := d, u.Query
	if u.Kind == lang.TemplateUse {
		owner = d.declaring(u.Decl)
		for _, other := range owner.uses() {
			if other.Kind == u.Kind && other.Pos == u.Decl {
				shown = other.Query
			}
		}
	}
	f := owner.file()
	q := *shown
	q.Doc = ""
	text := "```efo\n" + lang.Format(&lang.File{Queries: []*lang.Query{&q}}) + "```\n"
	if shown.Doc != "" {
		text += shown.Doc + "\n\n"
	}
	if !slices.Contains(f.Queries, shown) {
		return text
	}
	r, err := explain.New(compiler.Analyze(shown), f.Layers, s.semantics(f))
	if err != nil {
		return text + err.Error()
	}
	r.Cost.Table = explain.TableOf(s.Model.Model)
	return text + r.Summary()
}

// definition finds where a template, alias, parameter or variable is declared.
func (s *session) definition(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}
	u := d.useAt(p.Position)
	if u == nil || !u.Decl.IsValid() {
		return nil, nil
	}
	owner, at := d.declaring(u.Decl), u.Decl.Offset
	return map[string]any{"uri": owner.uri, "range": owner.span(at, owner.wordEnd(at))}, nil
}

// format formats a document without mistakes; others show them, and stay as they are.
func (s *session) format(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}
	f, mistakes := d.parse()
	formatted := ""
	if len(mistakes) == 0 {
		formatted = lang.Format(f)
	}
	if len(mistakes) > 0 || formatted == d.text {
		return []edit{}, nil
	}
	return []edit{{d.span(0, len(d.text)), formatted}}, nil
}

// prepareRename says what would be renamed.
func (s *session) prepareRename(_ context.Context, p *params) (any, error) {
	d, u, err := s.renamed(p)
	if err != nil {
		return nil, err
	}
	return map[string]any{"range": d.span(u.start, u.end), "placeholder": u.Name}, nil
}

// renamed returns the name at a position, which must be one that can be renamed.
func (s *session) renamed(p *params) (*document, *use, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, nil, err
	}
	u := d.useAt(p.Position)
	switch {
	case u == nil || u.Kind == lang.EntityUse || u.Kind == lang.RelationUse:
		return nil, nil, jrpc2.Errorf(requestFailed, "templates, short names, parameters and variables can be renamed, and nothing else")
	case !u.Decl.IsValid():
		return nil, nil, jrpc2.Errorf(requestFailed, "%s is not declared", u.Name)
	case u.Query != nil && !slices.Contains(d.file().Queries, u.Query):
		return nil, nil, jrpc2.Errorf(requestFailed, "correct the mistakes of the template %s first", u.Query.Name)
	}
	return d, u, nil
}

// rename renames a variable, parameter or short name in its file, a template in all files of its
// package. It refuses a name with which one of them would have more mistakes, such as one that is taken.
func (s *session) rename(_ context.Context, p *params) (any, error) {
	d, u, err := s.renamed(p)
	if err != nil {
		return nil, err
	}
	name := p.NewName
	if u.Kind == lang.ParamUse {
		name = strings.TrimPrefix(name, "$")
	}
	if !lang.IsIdent(name) {
		return nil, jrpc2.Errorf(requestFailed, "%q is no name: want letters, digits and _, not a digit in front, and no keyword", name)
	}
	files := []*document{d}
	if u.Kind == lang.TemplateUse {
		files = append(files, d.siblings...)
	}
	changes := map[string][]edit{}
	for _, file := range files {
		edits, after := file.renamed(u, name)
		if edits == nil {
			continue
		}
		_, before := file.parse()
		_, mistakes := s.newDocument(file.uri, 0, after).parse()
		for _, e := range mistakes {
			known := slices.ContainsFunc(before, func(old *lang.Error) bool { return old.Msg == e.Msg })
			unknown := len(files) > 1 && u.Decl.File != file.name() // until its own file is changed, too
			if !known && !unknown {
				return nil, jrpc2.Errorf(requestFailed, "%s cannot become %s: %s", u.Name, name, e.Msg)
			}
		}
		changes[file.uri] = edits
	}
	return map[string]any{"changes": changes}, nil
}

// renamed returns the edits by which what a use names gets another name in a document, nil if it does not
// occur there, and the text with them. A variable is renamed with all of its name in the template.
func (d *document) renamed(u *use, name string) (edits []edit, after string) {
	done := 0
	for _, v := range d.uses() {
		own := u.Kind == lang.ParamUse || u.Kind == lang.VariableUse
		if v.Kind != u.Kind || v.Name != u.Name || own && v.Query != u.Query || !own && v.Decl != u.Decl {
			continue
		}
		edits = append(edits, edit{d.span(v.start, v.end), name})
		after += d.text[done:v.start] + name
		done = v.end
	}
	return edits, after + d.text[done:]
}
