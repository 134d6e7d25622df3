package lsp

import (
	"context"
	"slices"
	"unicode/utf16"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
)

// signature shows the parameters of the template or relation among whose arguments a position is.
func (s *session) signature(_ context.Context, p *params) (any, error) {
	d, err := s.document(p)
	if err != nil {
		return nil, err
	}
	place := d.placeAt(d.offset(p.Position))
	if place.Callee.Name == "" {
		return nil, nil
	}

	names, documentation := s.takes(d, place.Callee)
	if names == nil {
		return nil, nil
	}
	label := place.Callee.String()
	parameters := []any{}
	for i, name := range names {
		label += [...]string{"(", ", "}[min(i, 1)]
		start := units(label)
		label += name
		parameters = append(parameters, map[string]any{"label": []int{start, units(label)}})
	}
	shown := map[string]any{"label": label + ")", "parameters": parameters, "documentation": map[string]any{"kind": "markdown", "value": documentation}}
	return map[string]any{"signatures": []any{shown}, "activeSignature": 0, "activeParameter": place.Argument}, nil
}

// units returns the length of a text in UTF-16 code units.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

// takes returns the parameters of a template or relation, as a document names it, and its description. There are
// none if neither the package nor the model has it.
func (s *session) takes(d *reading, callee ast.Relation) (parameters []string, description string) {
	bare := !callee.Param && !callee.Quoted
	name := callee.Name
	inverse := callee.Inverse
	for _, a := range d.file.Aliases {
		if bare && a.Name == name {
			name = a.Relation.Name
			inverse = inverse != a.Relation.Inverse
			bare = false
		}
	}

	if q := s.templateNamed(d, name); q != nil && bare {
		for _, x := range q.Params {
			parameters = append(parameters, x.Name+" "+x.Kind.String())
		}
		for _, v := range q.Variables() {
			parameters = append(parameters, v.Name)
		}
		return parameters, q.Doc
	}

	if !callee.Param {
		description = s.relation(name)
		if description == "" {
			return nil, ""
		}
	}
	if inverse {
		return []string{"tail", "head"}, description
	}
	return []string{"head", "tail"}, description
}

// templateNamed returns the template of a name in a document or its package, nil if there is none without
// mistakes.
func (s *session) templateNamed(d *reading, name string) *lang.Query {
	queries := d.file.Queries
	for _, other := range s.packageOf(d.document).declaring[name] {
		if !other.same(d.document) {
			queries = append(slices.Clip(queries), other.outline().file.Queries...)
		}
	}
	for _, q := range queries {
		if q.Name == name {
			return q
		}
	}
	return nil
}
