package stated

import (
	"context"
	"errors"
	"fmt"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
)

// maxAssumed bounds the facts that a question assumes.
const maxAssumed = 100

// place is the place of a fact in the formulas.
type place struct {
	formula *Formula
	index   int
}

// stated returns the fact.
func (p place) stated() ast.Fact { return p.formula.stated[p.index] }

// Assume returns a snapshot of a model with the facts that formulas state, without those that they negate, and with
// the values that they state in place of others of the same entities and attributes. It adds unknown names, with
// a warning for each. grow may refuse new entities: see facts.Assume.
func Assume(ctx context.Context, m *runtime.Model, formulas []string, grow func() error) (*runtime.Model, []lang.Warning, error) {
	change := facts.Change{New: true, Replace: true}
	places := map[string][]place{} // by list of the change
	for i, text := range formulas {
		name := "assume"
		if len(formulas) > 1 {
			name = fmt.Sprintf("assume[%d]", i)
		}
		f, err := Parse(name, text)
		if err == nil {
			err = f.Check(m.Bundle())
		}
		if err != nil {
			return nil, nil, err
		}
		for j, s := range f.stated {
			if len(change.Add)+len(change.Remove) == maxAssumed {
				return nil, nil, lang.ErrorList{f.query.Errorf(s.Pos, "add more to a copy of the model", "more than %d facts are assumed", maxAssumed)}
			}
			list := "add"
			if s.Negated {
				list = "remove"
				change.Remove = append(change.Remove, f.Facts[j])
			} else {
				change.Add = append(change.Add, f.Facts[j])
			}
			places[list] = append(places[list], place{f, j})
		}
	}

	assumed, done, err := facts.Assume(ctx, m, change, grow)
	if wrong, ok := errors.AsType[*facts.NameError](err); ok {
		at := places[wrong.List][wrong.Index]
		return nil, nil, at.formula.Place(at.index, wrong, "")
	}
	if both, ok := errors.AsType[*facts.Contradiction](err); ok {
		added := places["add"][both.Add].stated()
		removed := places["remove"][both.Remove]
		s := removed.stated()
		err = lang.ErrorList{removed.formula.query.Errorf(s.Pos, "leave out one of the two", "%s contradicts %s at %s", s.Text, added.Text, added.Pos)}
	}
	if err != nil {
		return nil, nil, err
	}
	return assumed, newNames(places["add"], done), nil
}

// newNames returns a warning for each new name, at its first position.
func newNames(added []place, done facts.Result) (warnings []lang.Warning) {
	fresh := map[string]string{}
	for _, name := range done.Entities {
		fresh[name] = "entity"
	}
	for _, name := range done.Attributes {
		fresh[name] = "attribute"
	}
	for _, p := range added {
		s := p.stated()
		for i, name := range s.Names {
			what, is := fresh[name]
			if !is {
				continue
			}
			delete(fresh, name)
			w := p.formula.query.Errorf(s.At[i], "", "the model has no %s %q: it is assumed too", what, name)
			warnings = append(warnings, lang.Warning(*w))
		}
	}
	return warnings
}
