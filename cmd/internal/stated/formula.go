// Package stated reads facts that users state as formulas: to add and remove, or to assume.
//
//	Parse   reads the facts in a formula               -> Formula
//	Assume  returns a model with facts assumed         -> runtime.Model
package stated

import (
	"errors"
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/facts"
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
