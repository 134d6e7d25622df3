package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/creachadair/jrpc2"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
)

// prepareRename says what would be renamed.
func (s *session) prepareRename(_ context.Context, p *params) (any, error) {
	d, u, err := s.renamed(p)
	if err != nil {
		return nil, err
	}
	return map[string]any{"range": d.span(u.start, u.end), "placeholder": u.Name}, nil
}

// renamed returns the name at a position, which must be one that can be renamed.
func (s *session) renamed(p *params) (*reading, *use, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, nil, err
	}
	u := d.useAt(p.Position)
	switch {
	case u == nil || u.Kind == ast.EntityUse || u.Kind == ast.RelationUse:
		return nil, nil, jrpc2.Errorf(requestFailed, "templates, short names, parameters and variables can be renamed, and nothing else")
	case !u.Decl.IsValid():
		return nil, nil, jrpc2.Errorf(requestFailed, "%s is not declared", u.Name)
	}
	if q := d.template(u.Template); q != nil && !slices.Contains(d.file.Queries, q) {
		return nil, nil, jrpc2.Errorf(requestFailed, "correct the mistakes of the template %s first", q.Name)
	}
	return d, u, nil
}

// rename renames a variable, parameter or short name in its file, a template in all files of its
// package. It refuses a name with which one of them would have more mistakes, such as one that is taken,
// or would say something else.
func (s *session) rename(_ context.Context, p *params) (any, error) {
	d, u, err := s.renamed(p)
	if err != nil {
		return nil, err
	}
	name := p.NewName
	if u.Kind == ast.ParamUse {
		name = strings.TrimPrefix(name, "$")
	}
	if !ast.IsIdent(name) {
		return nil, jrpc2.Errorf(requestFailed, "%q is no name: want letters, digits and _, not a digit in front, and no keyword", name)
	}

	before := s.packageOf(d.document)
	files := []*document{d.document}
	if u.Kind == ast.TemplateUse {
		files = append(files, before.othersWith(d.document, u.Name, name)...)
	}

	changes := map[string][]edit{}
	changed := map[string]*document{}
	for _, file := range files {
		edits, text := file.read(before.used(file)).renamed(u, name)
		if edits != nil {
			changes[file.uri] = edits
			changed[file.uri] = newDocument(file.uri, 0, text)
		}
	}

	after := before.with(changed)
	for _, file := range files {
		now := cmp.Or(changed[file.uri], file)
		if why := unlike(file.read(before.used(file)), now.read(after.used(now)), u.Name, name); why != "" {
			return nil, jrpc2.Errorf(requestFailed, "%s cannot become %s: %s", u.Name, name, why)
		}
	}
	return map[string]any{"changes": changes}, nil
}

// renamed returns the edits by which what a use names gets another name in a document, nil if it does not
// occur there, and the text with them. A variable is renamed with all of its name in the template.
func (r *reading) renamed(u *use, name string) (edits []edit, after string) {
	done := 0
	for _, v := range r.uses() {
		own := u.Kind == ast.ParamUse || u.Kind == ast.VariableUse
		if v.Kind != u.Kind || v.Name != u.Name || own && v.Template != u.Template || !own && v.Decl != u.Decl {
			continue
		}
		edits = append(edits, edit{r.span(v.start, v.end), name})
		after += r.text[done:v.start] + name
		done = v.end
	}
	return edits, after + r.text[done:]
}

// unlike describes how a file got worse by replacing a name, or that its meaning has changed; it returns
// nothing if neither is the case.
func unlike(before, after *reading, old, name string) string {
	for _, e := range after.mistakes {
		known := slices.ContainsFunc(before.mistakes, func(b *lang.Error) bool { return b.Msg == e.Msg })
		if !known {
			return e.Msg
		}
	}

	same := func(was, is ast.Use) bool {
		named := is.Name == was.Name || was.Name == old && is.Name == name
		return named && is.Kind == was.Kind && is.Pos.Line == was.Pos.Line && is.Decl.File == was.Decl.File && is.Decl.Line == was.Decl.Line
	}
	if !slices.EqualFunc(before.file.Uses(), after.file.Uses(), same) {
		return fmt.Sprintf("%s already stands for something else in %s", name, before.name)
	}
	return ""
}
