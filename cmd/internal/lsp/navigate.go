package lsp

import (
	"context"
	"strings"

	"github.com/efoc/efoc/lang/ast"
)

// location is a range of a document.
type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

// references lists the places that name what stands at a position. Templates and names of the model are
// sought in all files of the package.
func (s *session) references(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}
	u := d.useAt(p.Position)
	if u == nil {
		return nil, nil
	}

	files := []*reading{d}
	own := u.Kind == ast.ParamUse || u.Kind == ast.VariableUse
	if !own {
		all := s.packageOf(d.document)
		for _, other := range all.documents {
			if !other.same(d.document) {
				files = append(files, other.read(all.used(other)))
			}
		}
	}

	list := []location{}
	for _, file := range files {
		for _, v := range file.uses() {
			same := v.Kind == u.Kind && v.Name == u.Name && v.Decl == u.Decl && (!own || v.Template == u.Template)
			if same && (v.Pos != v.Decl || p.Context.IncludeDeclaration) {
				list = append(list, location{file.uri, file.span(v.start, v.end)})
			}
		}
	}
	return list, nil
}

// symbol is an entry of a document's outline.
type symbol struct {
	Name      string `json:"name"`
	Detail    string `json:"detail"`
	Kind      int    `json:"kind"`
	Range     span   `json:"range"`
	Selection span   `json:"selectionRange"`
}

// Kinds of symbols, which editors show as icons.
const (
	symbolFunction = 12
	symbolConstant = 14
)

// symbols lists the templates and short names of a document. Each reaches to the last name in it.
func (s *session) symbols(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}

	list := []symbol{}
	for _, u := range d.uses() {
		declares := u.Pos == u.Decl
		end := len(d.text) - len(strings.TrimLeft(d.text[u.end:], "^-1)"))
		switch name := d.span(u.start, u.end); {
		case declares && u.Kind == ast.TemplateUse:
			start := strings.LastIndex(d.text[:u.start], "query")
			head, _, _ := strings.Cut(d.template(u.Pos).String(), " =\n")
			detail := strings.TrimSpace(strings.TrimPrefix(head, "query "+u.Name))
			list = append(list, symbol{u.Name, detail, symbolFunction, d.span(start, end), name})
		case declares && u.Kind == ast.AliasUse:
			start := strings.LastIndex(d.text[:u.start], "relation")
			list = append(list, symbol{u.Name, "relation", symbolConstant, d.span(start, end), name})
		case len(list) > 0:
			list[len(list)-1].Range.End = d.position(end)
		}
	}
	return list, nil
}
