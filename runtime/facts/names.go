package facts

import (
	"errors"
	"fmt"

	"github.com/efoc/efoc/runtime/model"
)

// NameError says which fact of a change has a name that the model lacks, or no name at all.
type NameError struct {
	// Removed says that the fact is to be removed, otherwise it is to be added.
	Removed bool
	// Index is the place of the fact in its list, from 0.
	Index int
	Err   error
}

// Error says which fact it is, counting from 1, and what is wrong.
func (e *NameError) Error() string {
	list := "add"
	if e.Removed {
		list = "remove"
	}
	return fmt.Sprintf("fact %d to %s: %v", e.Index+1, list, e.Err)
}

func (e *NameError) Unwrap() error { return e.Err }

// resolve finds the facts of a change in a model. It returns the model that has all their
// entities.
func resolve(m *model.Model, add, remove []Fact) (*model.Model, model.Change, error) {
	var c model.Change
	for i, list := range [][]Fact{add, remove} {
		for j, f := range list {
			t, err := m.Fact(f)
			if err != nil && i == 0 {
				m, t, err = admit(m, f, err)
			}
			if err != nil {
				return nil, c, &NameError{Removed: i == 1, Index: j, Err: advice(err)}
			}
			if i == 0 {
				c.Add = append(c.Add, t)
			} else {
				c.Remove = append(c.Remove, t)
			}
		}
	}
	return m, c, nil
}

// admit is asked for a fact to be added of which Model.Fact knows no name: it returns the
// model with a row for the new entity, and the fact in that. It refuses all, for there is
// no way to make such rows yet.
func admit(m *model.Model, f Fact, unknown error) (*model.Model, model.Triple, error) {
	return m, model.Triple{}, unknown
}

// advice says what to do about a name that the model lacks.
func advice(err error) error {
	unknown, ok := errors.AsType[*model.UnknownNameError](err)
	switch {
	case !ok:
		return err
	case unknown.Kind == "relation":
		return fmt.Errorf("%w; the link predictor knows no other relations than those of efoc info: train anew to have more", err)
	}
	return fmt.Errorf("%w; the link predictor knows no other entities: import or train anew to have more", err)
}
