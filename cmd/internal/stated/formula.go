// Package stated reads facts that users state as formulas: to add and remove, or to assume.
//
//	Parse   reads the facts in a formula               -> Formula
//	Assume  returns a model with facts assumed         -> runtime.Model
package stated

import (
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/values"
)

// Formula holds the facts in a formula.
type Formula struct {
	Facts []facts.Fact

	query  *lang.Query
	stated []ast.Fact
}

// Parse reads the facts and values in a formula. Errors have the name of the text before their positions.
func Parse(name, text string) (*Formula, error) {
	q, stated, err := lang.ParseFacts(name, text)
	if err != nil {
		return nil, err
	}
	f := &Formula{query: q, stated: stated}
	for _, s := range stated {
		if s.Value {
			kind := values.NumberKind
			if s.Quoted {
				kind = values.DateKind
			}
			s.Names[2] = kind.Literal(s.Names[2])
		}
		f.Facts = append(f.Facts, s.Names)
	}
	return f, nil
}

// Positive refuses negated facts, with a hint.
func (f *Formula) Positive(hint string) error {
	for _, s := range f.stated {
		if s.Negated {
			return lang.ErrorList{f.query.Errorf(s.Pos, hint, "this states that a fact is not true")}
		}
	}
	return nil
}

// Check refuses values of relations in a model, which would become entities.
func (f *Formula) Check(m *model.Model) error {
	for i, s := range f.stated {
		_, unknown := m.FindRelation(s.Names[1])
		_, valued := m.FindAttribute(s.Names[1])
		_, stored := m.FindEntity(f.Facts[i][2])
		if s.Value && unknown == nil && valued != nil && stored != nil {
			hint := fmt.Sprintf("write %s for a link, or the name of an attribute for a value", ast.Relation{Name: s.Names[1]}.Applied(`"…"`, `"…"`))
			return lang.ErrorList{f.query.Errorf(s.At[1], hint, "%s is a relation, which links entities and has no values", s.Names[1])}
		}
	}
	return nil
}

// Place returns an error about a name of fact i, with its position. The hint may be empty.
func (f *Formula) Place(i int, wrong *facts.NameError, hint string) error {
	at := f.stated[i].At[slices.Index(facts.Parts[:], wrong.Part)]
	mistake := f.query.Errorf(at, hint, "%v", wrong.Err)
	if unknown, ok := errors.AsType[*names.UnknownError](wrong.Err); ok {
		mistake.Unknown = true
		mistake.Nearest = unknown.Nearest
	}
	return lang.ErrorList{mistake}
}
